//! The console of the program shows no logs of emulators and no signatures.

use serde_json::json;
use tempfile::TempDir;

use crate::local_stack::program::{Program, client};

#[tokio::test]
async fn console_shows_no_line_of_emulators_and_no_signature() {
    for (level, shows_requests) in [("warn", false), ("trace", true)] {
        let directory = TempDir::new().expect("a temporary directory");
        let mut program = Program::start(&directory.path().join("data"), &["--log", level]);
        let local = program.ready().local;

        let account = client(&local);
        let space = account.create("/spaces", json!({"name": "Acme"})).await;
        let folder = json!({"space_id": space["id"], "name": "Open"});

        account.create("/folders", folder.clone()).await;
        account.post_err(422, "/folders", folder).await;

        let file = json!({"space": space["handle"], "filename": "a.txt", "content_type": "text/plain", "size": 1});
        let presigned = account
            .post("/upload/presign", file)
            .await
            .expect_status(201)
            .json();
        let url = presigned["upload_url"]
            .as_str()
            .expect("a URL")
            .replace("X-Amz-Signature=", "X-Amz-Signature=0");

        account
            .send(account.request("PUT", &url).body("a"))
            .await
            .expect_status(403);

        program.signal("-TERM");
        let log = program.expect_success();
        assert_eq!(log.contains("/api/v1/folders"), shows_requests, "{log}");

        for emulated in [
            "dynoxide",
            "s3s",
            "X-Amz-Signature",
            "Signature=",
            "SignatureDoesNotMatch",
        ] {
            assert!(!log.contains(emulated), "{level}: {emulated}: {log}");
        }

        assert!(shows_requests || log.is_empty(), "{log}");
    }
}
