//! The console of the program shows no logs of emulators and no signatures.

use serde_json::json;

use crate::{local_stack::program::DataDir, uploads::presign::PendingFile};

#[tokio::test]
async fn console_shows_no_line_of_emulators_and_no_signature() {
    for (level, shows_requests) in [("warn", false), ("trace", true)] {
        let data = DataDir::new();
        let program = data.start(&["--log", level]);
        let acme = program.space().await;
        let folder = json!({"space_id": acme.id, "name": "Open"});
        acme.create("/folders", folder.clone()).await;
        acme.post_err(422, "/folders", folder).await;

        let pending = PendingFile::create(&acme, json!({})).await;
        let invalid = "X-Amz-Signature=0";
        let url = pending.url().replace("X-Amz-Signature=", invalid);
        let put = acme.request("PUT", &url).body("a");
        acme.send(put).await.expect_status(403);

        let log = program.end();
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
