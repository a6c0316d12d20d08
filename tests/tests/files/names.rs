//! Names and tags of existing files: search, `Content-Disposition`, and round trips of records.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, stack_test};

use super::list_rules::one;

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

async fn named(acme: &TestSpace, name: &str) -> Value {
    acme.upload(PHOTO).named(name, "image/jpeg").await.record
}

/// Returns the original names of the files that a search finds.
async fn found(client: &Client, search: &str) -> Vec<String> {
    let page = client
        .fetch(&format!("/files?{}", one("search", search)))
        .await
        .json();
    page["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| text(&file["original_name"]).to_owned())
        .collect()
}

#[stack_test]
async fn search_prefix_ignores_unicode_form_of_its_end(acme: &TestSpace) {
    named(acme, "ΟΔΟΣ.jpg").await;
    for search in ["ΟΔΟΣ", "οδος", "οδοσ", "ΟΔ", "ΟΔΟΣ.J"] {
        assert_eq!(found(&acme.client, search).await, ["ΟΔΟΣ.jpg"], "{search}");
    }

    acme.folder("ΟΔΟΣ").await;

    let name_taken = json!({"name": ["The name has already been taken."]});
    assert_eq!(
        acme.post_err(
            422,
            "/folders",
            json!({"space_id": acme.id, "name": "οδοσ"})
        )
        .await,
        name_taken
    );
}

#[stack_test]
async fn rename_changes_etag(stack: &Stack, acme: &TestSpace) {
    let record = named(acme, "before.jpg").await;
    let url = format!("{}?download", text(&record["url"]));
    let first = stack.anonymous.fetch(&url).await;

    assert!(first.header("content-disposition").contains("before.jpg"));

    let condition = [("if-none-match", first.header("etag"))];
    stack
        .anonymous
        .get_with(&url, &condition)
        .await
        .expect_status(304);

    let file = format!("/files/{}", text(&record["id"]));
    acme.put_ok(&file, json!({"original_name": "after.jpg"}))
        .await;

    let second = stack
        .anonymous
        .get_with(&url, &condition)
        .await
        .expect_status(200);

    assert!(second.header("content-disposition").contains("after.jpg"));
}

#[stack_test]
async fn rename_to_executable_name_returns_422(acme: &TestSpace) {
    let file = format!("/files/{}", text(&named(acme, "photo.jpg").await["id"]));
    let rejection =
        json!({"original_name": ["The original name field must not be an executable file."]});

    for name in ["photo.exe", "photo.php.jpg", "x.sh", "PHOTO.BAT"] {
        assert_eq!(
            acme.put_err(422, &file, json!({"original_name": name}))
                .await,
            rejection,
            "{name}"
        );
    }

    acme.put_ok(&file, json!({"original_name": "photo.exe.jpg"}))
        .await;

    // A name that the config allowed remains valid.
    let settings = json!({"validation": {"allowed_formats": ["sh"]}});
    acme.upload_config("scripts").with_settings(settings).await;

    let script = acme.upload("#!/bin/sh\necho hello\n");
    let script = script.named("run.sh", "text/x-sh");
    let script = script.with_config("scripts").await;
    acme.put_ok(script.path(), json!({"original_name": "walk.sh"}))
        .await;
}

#[stack_test]
async fn duplicate_config_tag_is_stored_once(acme: &TestSpace) {
    let settings = json!({"metadata": {"tags": ["a", " a", "b", "a"]}});
    let created = acme.upload_config("twice").with_settings(settings).await;
    let config = acme.get_ok(created.path()).await;

    assert_eq!(config["config"]["metadata"]["tags"], json!(["a", "b"]));

    let record = acme.upload(PHOTO).with_config("twice").await;

    assert_eq!(record["tags"], json!(["a", "b"]));
}

#[stack_test]
async fn stale_record_in_update_moves_no_file(acme: &TestSpace) {
    let folder = acme.folder("Before").await.id;
    let mut record = acme.upload(PHOTO).into_id(&folder).await.record;
    acme.put_ok(&format!("/folders/{folder}"), json!({"name": "After"}))
        .await;
    record["tags"] = json!(["x"]);

    let address = format!("/files/{}", text(&record["id"]));
    let rejection = json!({"folder_path": ["The folder path field must not be changed."]});

    assert_eq!(acme.put_err(422, &address, record.clone()).await, rejection);
    record["folder_path"] = json!("After/");

    let changed = acme.put_ok(&address, record).await;
    assert_eq!(
        (&changed["folder_id"], &changed["tags"]),
        (&json!(folder), &json!(["x"]))
    );

    // With another folder alone: `folder_path` of the record still names the current folder.
    let elsewhere = acme.folder("Elsewhere").await;

    for folder_id in [
        &elsewhere["id"],
        &json!("root"),
        &json!(folder),
        &json!(null),
    ] {
        let mut record = acme.get_ok(&address).await;
        record["folder_id"] = folder_id.clone();
        let moved = acme.put_ok(&address, record).await;
        let expected = if *folder_id == json!("root") {
            &Value::Null
        } else {
            folder_id
        };
        assert_eq!(&moved["folder_id"], expected);
    }

    let folders = acme.fetch("/folders").await.json();
    assert_eq!(
        folders["data"].as_array().map(Vec::len),
        Some(2),
        "no folder is created"
    );
}
