//! Names and tags of existing files: search, `Content-Disposition`, and round trips of records.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, stack_test};

use super::list_rules::one;

#[stack_test]
async fn search_prefix_ignores_unicode_form_of_its_end(acme: &TestSpace) {
    let file = acme.upload(PHOTO).named("ΟΔΟΣ.jpg", "image/jpeg").await;
    for search in ["ΟΔΟΣ", "οδος", "οδοσ", "ΟΔ", "ΟΔΟΣ.J"] {
        let path = format!("/files?{}", one("search", search));
        let found = acme.get_ok(&path).await;
        assert_eq!(found, json!([file.record]), "{search}");
    }

    acme.folder("ΟΔΟΣ").await;
    let body = json!({"space_id": acme.id, "name": "οδοσ"});
    let taken = json!({"name": ["The name has already been taken."]});
    assert_eq!(acme.post_err(422, "/folders", body).await, taken);
}

#[stack_test]
async fn rename_changes_etag(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).named("before.jpg", "image/jpeg").await;
    let url = file.url_with("download");
    let first = stack.anonymous.fetch(&url).await;
    first.expect_header("content-disposition", "attachment; filename=\"before.jpg\"");
    let unchanged = [("if-none-match", first.header("etag"))];
    stack.anonymous.fetch_as(200, file.url(), &unchanged).await;
    stack.anonymous.fetch_as(304, &url, &unchanged).await;

    let renamed = json!({"original_name": "after.jpg"});
    acme.put_ok(file.path(), renamed).await;

    let second = stack.anonymous.fetch_as(200, &url, &unchanged).await;
    second.expect_header("content-disposition", "attachment; filename=\"after.jpg\"");
}

#[stack_test]
async fn rename_to_executable_name_returns_422(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let rejection =
        json!({"original_name": ["The original name field must not be an executable file."]});

    for name in ["photo.exe", "photo.php.jpg", "x.sh", "PHOTO.BAT"] {
        let body = json!({ "original_name": name });
        assert_eq!(
            acme.put_err(422, file.path(), body).await,
            rejection,
            "{name}"
        );
    }
    let harmless = json!({"original_name": "photo.exe.jpg"});
    acme.put_ok(file.path(), harmless).await;

    // A name that the config allowed remains valid.
    let settings = json!({"validation": {"allowed_formats": ["sh"]}});
    acme.upload_config("scripts").with_settings(settings).await;
    let script = acme
        .upload("#!/bin/sh\necho hello\n")
        .with_config("scripts");
    let script = script.named("run.sh", "text/x-sh").await;
    let renamed = json!({"original_name": "walk.sh"});
    acme.put_ok(script.path(), renamed).await;
}

#[stack_test]
async fn duplicate_config_tag_is_stored_once(acme: &TestSpace) {
    let settings = json!({"metadata": {"tags": ["a", " a", "b", "a"]}});
    let created = acme.upload_config("twice").with_settings(settings).await;
    let config = acme.get_ok(created.path()).await;
    assert_eq!(config["config"]["metadata"]["tags"], json!(["a", "b"]));

    let file = acme.upload(PHOTO).with_config("twice").await;
    assert_eq!(file["tags"], json!(["a", "b"]));
}

#[stack_test]
async fn stale_record_in_update_moves_no_file(acme: &TestSpace) {
    let folder = acme.folder("Before").await;
    let file = acme.upload(PHOTO).into(&folder).await;
    acme.put_ok(folder.path(), json!({"name": "After"})).await;
    let mut record = file.record.clone();
    record["tags"] = json!(["x"]);

    let rejection = json!({"folder_path": ["The folder path field must not be changed."]});
    assert_eq!(acme.put_err(422, file.path(), &record).await, rejection);
    record["folder_path"] = json!("After/");
    let changed = acme.put_ok(file.path(), record).await;
    assert_eq!(changed["folder_id"], folder.id);
    assert_eq!(changed["tags"], json!(["x"]));

    // With another folder alone: `folder_path` of the record still names the current folder.
    let elsewhere = json!(acme.folder("Elsewhere").await.id);
    let folder = json!(folder.id);
    for (folder_id, expected) in [
        (&elsewhere, &elsewhere),
        (&json!("root"), &Value::Null),
        (&folder, &folder),
        (&Value::Null, &Value::Null),
    ] {
        let mut record = acme.get_ok(file.path()).await;
        record["folder_id"] = folder_id.clone();
        let moved = acme.put_ok(file.path(), record).await;
        assert_eq!(&moved["folder_id"], expected);
    }

    let folders = acme.get_ok("/folders").await;
    assert_eq!(folders.as_array().map(Vec::len), Some(2), "none is created");
}
