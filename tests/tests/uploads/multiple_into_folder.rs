//! Several files in one folder: in one request, in replayed requests and in concurrent requests.

use futures::future::join_all;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, file, file_path, folder_path, stack_test, text};

use super::{
    multiple_files::{empty, space},
    presign::presign_body,
    routes::{BY_KEY, Route, Uploads},
};
use crate::{
    folders::create::paths,
    routes::creations::{assert_first, assert_payload_mismatch},
};

/// Number of concurrent uploads.
const CALLERS: usize = 6;

/// Returns a form of uploads into a folder path.
fn form(acme: &TestSpace, path: &str) -> Form {
    let form = space(acme).text("folder_id", "root");
    form.text("folder_path", path.to_owned())
}

fn photo(name: &str) -> Part {
    file(name, "image/jpeg", PHOTO)
}

#[stack_test]
async fn all_files_of_request_go_into_one_folder(stack: &Stack, acme: &TestSpace) {
    let form = form(acme, "a/b")
        .part("files", photo("1.jpg"))
        .part("file", photo("2.jpg"))
        .part("files[]", photo("3.jpg"));
    let files = acme.upload_form(form).await.expect_created();

    let folder = text(&files[0]["folder_id"]);
    for file in files.as_array().expect("a list") {
        assert_eq!(file["folder_path"], "a/b/");
        assert_eq!(file["folder_id"], folder);
        stack.anonymous.fetch(&text(&file["url"])).await;
    }
    assert_eq!(paths(acme).await, ["a/", "a/b/"]);
    let listed = acme.get_ok(&format!("/files?folder_id={folder}")).await;
    assert_eq!(listed.as_array().map(Vec::len), Some(3));
}

#[stack_test]
async fn rejected_upload_creates_no_folders(stack: &Stack, acme: &TestSpace) {
    let small = json!({"validation": {"max_file_size": 10}, "storage": {"folder": "by config"}});
    acme.upload_config("small").with_settings(small).await;
    let signed = acme.upload_config("signed");
    signed.with(json!({"is_signed": true})).await;
    let new = || form(acme, "new/newer");
    let with_photo = || new().part("file", photo("1.jpg"));
    let two = new().part("files", photo("1.jpg"));
    let by_config = space(acme).text("upload_config", "small");
    let before = stack.dump().await;

    for (form, status) in [
        (new().part("file", empty()), 422),
        (two.part("files", empty()), 422),
        (new().part("file", photo("a.php.jpg")), 422),
        (new(), 422),
        (with_photo().text("ref", "x".repeat(256)), 422),
        (with_photo().text("upload_config", "none"), 422),
        (with_photo().text("upload_config", "small"), 422),
        (by_config.part("file", photo("1.jpg")), 422),
        (with_photo().text("upload_config", "signed"), 403),
    ] {
        acme.upload_form(form).await.expect_error(status);
    }
    for fields in [
        json!({"folder_id": "root", "folder_path": "new/newer", "size": 0}),
        json!({"folder_id": "root", "folder_path": "new/newer", "filename": "a.exe"}),
        json!({"folder_id": "root", "folder_path": "new/newer", "upload_config": "small"}),
        json!({"upload_config": "small"}),
    ] {
        let body = presign_body(acme, fields);
        acme.post_err(422, "/upload/presign", body).await;
    }

    stack.assert_unchanged(&before, "rejected uploads").await;
}

#[stack_test]
async fn replayed_upload_returns_same_file_and_creates_no_folders(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();

    for route in BY_KEY {
        let upload = async |key: &'static str, path: &str| {
            let fields = [("folder_id", "root"), ("folder_path", path)];
            uploads.photo(route).with(&fields).once(key).send().await
        };
        let first = assert_first(upload("one", "a/b").await);
        let first = uploads.record(first).await;
        assert_eq!(first["folder_path"], "a/b/");
        let replayed = async || {
            let replay = upload("one", "a/b").await.expect_status(201);
            assert_eq!(replay.header("idempotent-replayed"), "true");
            replay.json()
        };

        let before = stack.dump().await;
        replayed().await;
        for other in ["a/c", "A/B", "a"] {
            assert_payload_mismatch(upload("one", other).await);
        }
        stack.assert_unchanged(&before, "replayed uploads").await;

        // The file stays in the renamed folder.
        let folder = folder_path(&json!({"id": first["folder_id"]}));
        let name = format!("{route:?}");
        acme.put_ok(&folder, json!({ "name": name })).await;
        replayed().await;
        assert_eq!(paths(acme).await, ["a/".to_owned(), format!("a/{name}/")]);

        // A replay succeeds even after the file and its folder are deleted.
        if route == Route::Form {
            acme.delete_ok(&file_path(&first)).await;
            acme.delete_ok(&folder).await;
            assert_eq!(replayed().await["data"]["id"], first["id"]);
            assert_eq!(paths(acme).await, ["a/"]);
        }
    }

    let into_b = [("folder_id", "root"), ("folder_path", "a/b")];
    let other = uploads.upload(Route::Form, &into_b).await;
    assert_eq!(other["folder_path"], "a/b/");
    stack.run_purges().await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_uploads_create_missing_folder_once(acme: &TestSpace) {
    let spellings = ["NEW/E\u{301}T\u{C9}/deep", "new/été/Deep"];
    let upload = |index: usize| {
        let form = form(acme, spellings[index % 2]);
        acme.upload_form(form.part("file", photo("photo.jpg")))
    };

    let responses = join_all((0..CALLERS).map(upload)).await;

    let files = responses.into_iter().map(Response::expect_created);
    let files: Vec<Value> = files.collect();
    let found = paths(acme).await;
    assert_eq!(found.len(), 3, "{found:?}");
    for file in &files {
        assert_eq!(file["folder_id"], files[0]["folder_id"]);
        assert_eq!(file["folder_path"], found[2]);
    }
}
