//! Several files in one folder: in one request, in replayed requests and in concurrent requests.

use futures::future::join_all;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, file, folder_path, stack_test, text};

use super::presign::presign_body;
use crate::{
    folders::create::paths,
    routes::creations::{assert_first, assert_replay},
};

/// Number of concurrent uploads.
const CALLERS: usize = 6;

/// Returns a form of uploads into a folder path.
fn form(acme: &TestSpace, path: &str) -> Form {
    let form = Form::new().text("space", acme.handle.clone());
    form.text("folder_id", "root")
        .text("folder_path", path.to_owned())
}

fn photo(name: &str) -> Part {
    file(name, "image/jpeg", PHOTO)
}

#[stack_test]
async fn all_files_of_request_go_into_one_folder(stack: &Stack, acme: &TestSpace) {
    let form = form(acme, "a/b")
        .part("files", photo("1.jpg"))
        .part("file", photo("2.jpg"));
    let files = acme
        .upload_form(form.part("files[]", photo("3.jpg")))
        .await
        .expect_created();
    let files = files.as_array().expect("a list");

    assert_eq!(files.len(), 3);

    for file in files {
        assert_eq!(
            (&file["folder_path"], &file["folder_id"]),
            (&json!("a/b/"), &files[0]["folder_id"])
        );
        assert_eq!(
            &acme.get_ok(&format!("/files/{}", text(&file["id"]))).await,
            file
        );
        stack.anonymous.fetch(&text(&file["url"])).await;
    }

    assert_eq!(paths(acme).await, ["a/", "a/b/"]);

    let listed = acme
        .fetch(&format!(
            "/files?folder_id={}",
            text(&files[0]["folder_id"])
        ))
        .await;

    assert_eq!(listed.json()["data"].as_array().map(Vec::len), Some(3));
}

/// Returns rejected forms and their statuses.
fn rejected_forms(acme: &TestSpace) -> Vec<(Form, u16)> {
    let empty = || file("a.txt", "text/plain", Vec::new());
    let new = || form(acme, "new/newer");
    let by = |name: &'static str| {
        Form::new()
            .text("space", acme.handle.clone())
            .text("upload_config", name)
    };

    vec![
        (new().part("file", empty()), 422),
        (
            new().part("files", photo("1.jpg")).part("files", empty()),
            422,
        ),
        (new().part("file", photo("a.php.jpg")), 422),
        (new(), 422),
        (
            new()
                .part("file", photo("1.jpg"))
                .text("ref", "x".repeat(256)),
            422,
        ),
        (
            new()
                .part("file", photo("1.jpg"))
                .text("upload_config", "none"),
            422,
        ),
        (
            new()
                .part("file", photo("1.jpg"))
                .text("upload_config", "small"),
            422,
        ),
        (by("small").part("file", photo("1.jpg")), 422),
        (
            new()
                .part("file", photo("1.jpg"))
                .text("upload_config", "signed"),
            403,
        ),
    ]
}

#[stack_test]
async fn rejected_upload_creates_no_folders(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("small")
        .with_settings(
            json!({"validation": {"max_file_size": 10}, "storage": {"folder": "by config"}}),
        )
        .await;

    let signed = acme.upload_config("signed");
    signed.with(json!({"is_signed": true})).await;

    let before = stack.dump().await;

    for (form, status) in rejected_forms(acme) {
        acme.upload_form(form).await.expect_error(status);
    }

    let new = json!({"folder_id": "root", "folder_path": "new/newer"});
    for (field, value) in [
        ("size", json!(0)),
        ("filename", json!("a.exe")),
        ("upload_config", json!("small")),
    ] {
        let mut fields = new.clone();
        fields[field] = value;
        acme.post_err(422, "/upload/presign", presign_body(acme, fields))
            .await;
    }

    acme.post_err(
        422,
        "/upload/presign",
        presign_body(acme, json!({"upload_config": "small"})),
    )
    .await;

    stack
        .dump()
        .await
        .assert_unchanged(&before, "rejected uploads");
}

/// Uploads the photo into a folder path, with an idempotency key.
async fn upload_with_key(acme: &TestSpace, key: &str, path: &str) -> Response {
    let request = acme
        .request("POST", "/upload")
        .header("idempotency-key", key);
    acme.send(request.multipart(form(acme, path).part("file", photo("photo.jpg"))))
        .await
}

#[stack_test]
async fn replayed_upload_returns_same_file_and_creates_no_folders(stack: &Stack, acme: &TestSpace) {
    let first = assert_first(upload_with_key(acme, "one", "a/b").await);
    let before = stack.dump().await;
    assert_replay(&upload_with_key(acme, "one", "a/b").await, &first);
    for other in ["a/c", "A/B", "a"] {
        assert!(
            upload_with_key(acme, "one", other).await.expect_error(422)["idempotency_key"]
                .is_array(),
            "{other}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "replayed uploads");

    // The replay succeeds even after the file and its folder are deleted.
    let file = first.json()["data"].clone();
    acme.delete_ok(&format!("/files/{}", text(&file["id"])))
        .await;
    acme.delete_ok(&folder_path(&json!({"id": file["folder_id"]})))
        .await;
    assert_replay(&upload_with_key(acme, "one", "a/b").await, &first);
    assert_eq!(paths(acme).await, ["a/"]);

    let second = assert_first(upload_with_key(acme, "two", "a/b").await).json()["data"].clone();
    assert_eq!(second["folder_path"], "a/b/");
    for field in ["id", "folder_id"] {
        assert_ne!(second[field], file[field], "{field}");
    }

    stack.run_purges().await;
}

#[stack_test]
async fn replayed_presign_returns_same_file_and_creates_no_folders(
    stack: &Stack,
    acme: &TestSpace,
) {
    let presign = async |path: &str| {
        let request = acme
            .request("POST", "/upload/presign")
            .header("idempotency-key", "one");
        acme.send(request.json(&presign_body(
            acme,
            json!({"folder_id": "root", "folder_path": path}),
        )))
        .await
    };

    let first = presign("a/b").await.expect_status(201).json();
    let before = stack.dump().await;
    let again = presign("a/b").await;

    assert_eq!(
        (again.status, again.header("idempotent-replayed")),
        (201, "true")
    );
    assert_eq!(again.json()["file_id"], first["file_id"]);
    assert!(presign("a/c").await.expect_error(422)["idempotency_key"].is_array());

    stack
        .dump()
        .await
        .assert_unchanged(&before, "a replayed presign request");

    let file = acme
        .get_ok(&format!("/files/{}", text(&first["file_id"])))
        .await;

    assert_eq!(file["folder_path"], "a/b/");

    // The file stays in the renamed folder.
    acme.put_ok(
        &folder_path(&json!({"id": file["folder_id"]})),
        json!({"name": "c"}),
    )
    .await;

    assert_eq!(
        presign("a/b").await.expect_status(201).json()["file_id"],
        first["file_id"]
    );
    assert_eq!(paths(acme).await, ["a/", "a/c/"]);

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_uploads_create_missing_folder_once(acme: &TestSpace) {
    let upper = "NEW/E\u{301}T\u{C9}/deep";
    let lower = "new/été/Deep";

    let upload = |index: usize| {
        let form = form(
            acme,
            if index.is_multiple_of(2) {
                upper
            } else {
                lower
            },
        );
        acme.upload_form(form.part("file", photo("photo.jpg")))
    };

    let responses = join_all((0..CALLERS).map(upload)).await;
    let files: Vec<Value> = responses
        .into_iter()
        .map(Response::expect_created)
        .collect();
    let found = paths(acme).await;

    assert_eq!(found.len(), 3, "{found:?}");

    for file in &files {
        assert_eq!(
            (&file["folder_id"], &file["folder_path"]),
            (&files[0]["folder_id"], &json!(found[2]))
        );
    }
}
