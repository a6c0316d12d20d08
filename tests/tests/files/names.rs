//! Names and tags of existing files: search, `Content-Disposition`, and round trips of records.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, file, form, stack_test};

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
        .get(&format!("/files?{}", one("search", search)))
        .await
        .expect_status(200)
        .json();
    page["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| text(&file["original_name"]).to_owned())
        .collect()
}

#[stack_test]
async fn search_prefix_ignores_unicode_form_of_its_end(stack: &Stack) {
    let acme = stack.space("Acme").await;
    named(&acme, "ΟΔΟΣ.jpg").await;
    for search in ["ΟΔΟΣ", "οδος", "οδοσ", "ΟΔ", "ΟΔΟΣ.J"] {
        assert_eq!(found(&acme.client, search).await, ["ΟΔΟΣ.jpg"], "{search}");
    }

    let folder = |name: &str| json!({"space_id": acme.id, "name": name});
    acme.client
        .post("/folders", folder("ΟΔΟΣ"))
        .await
        .expect_created();

    let name_taken = json!({"name": ["The name has already been taken."]});
    assert_eq!(
        acme.client
            .post("/folders", folder("οδοσ"))
            .await
            .expect_error(422),
        name_taken
    );
}

#[stack_test]
async fn rename_changes_etag(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let record = named(&acme, "before.jpg").await;
    let url = format!("{}?download", text(&record["url"]));
    let first = stack.anonymous.get(&url).await.expect_status(200);

    assert!(first.header("content-disposition").contains("before.jpg"));

    let condition = [("if-none-match", first.header("etag"))];
    stack
        .anonymous
        .get_with(&url, &condition)
        .await
        .expect_status(304);

    let file = format!("/files/{}", text(&record["id"]));
    acme.client
        .put(&file, json!({"original_name": "after.jpg"}))
        .await
        .expect_ok();

    let second = stack
        .anonymous
        .get_with(&url, &condition)
        .await
        .expect_status(200);

    assert!(second.header("content-disposition").contains("after.jpg"));
}

#[stack_test]
async fn rename_to_executable_name_returns_422(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = format!("/files/{}", text(&named(&acme, "photo.jpg").await["id"]));
    let rejection =
        json!({"original_name": ["The original name field must not be an executable file."]});

    for name in ["photo.exe", "photo.php.jpg", "x.sh", "PHOTO.BAT"] {
        assert_eq!(
            acme.client
                .put(&file, json!({"original_name": name}))
                .await
                .expect_error(422),
            rejection,
            "{name}"
        );
    }

    acme.client
        .put(&file, json!({"original_name": "photo.exe.jpg"}))
        .await
        .expect_ok();

    // A name that the config allowed remains valid.
    let config = json!({"space_id": acme.id, "name": "scripts", "config": {"validation": {"allowed_formats": ["sh"]}}});
    acme.client
        .post("/upload-configs", config)
        .await
        .expect_created();

    let script = Form::new()
        .text("space", acme.handle.clone())
        .text("upload_config", "scripts");
    let script = script.part(
        "file",
        tests::file("run.sh", "text/x-sh", b"#!/bin/sh\necho hello\n".to_vec()),
    );
    let script = format!(
        "/files/{}",
        text(&acme.client.upload(script).await.expect_created()["id"])
    );
    acme.client
        .put(&script, json!({"original_name": "walk.sh"}))
        .await
        .expect_ok();
}

#[stack_test]
async fn duplicate_config_tag_is_stored_once(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let tags = json!({"space_id": acme.id, "name": "twice", "config": {"metadata": {"tags": ["a", " a", "b", "a"]}}});
    let id = acme
        .client
        .post("/upload-configs", tags)
        .await
        .expect_created()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let config = acme
        .client
        .get(&format!("/upload-configs/{id}"))
        .await
        .expect_ok();

    assert_eq!(config["config"]["metadata"]["tags"], json!(["a", "b"]));

    let form = Form::new()
        .text("space", acme.handle.clone())
        .text("upload_config", "twice");
    let record = acme
        .client
        .upload(form.part("file", file("a.jpg", "image/jpeg", PHOTO)))
        .await
        .expect_created();

    assert_eq!(record["tags"], json!(["a", "b"]));
}

#[stack_test]
async fn stale_record_in_update_moves_no_file(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let folder = acme
        .client
        .post("/folders", json!({"space_id": acme.id, "name": "Before"}))
        .await
        .expect_created();
    let folder = text(&folder["id"]);
    let form =
        form(&acme.handle, "a.jpg", "image/jpeg", PHOTO).text("folder_id", folder.to_owned());
    let mut record = acme.client.upload(form).await.expect_created();
    acme.client
        .put(&format!("/folders/{folder}"), json!({"name": "After"}))
        .await
        .expect_ok();
    record["tags"] = json!(["x"]);

    let address = format!("/files/{}", text(&record["id"]));
    let rejection = json!({"folder_path": ["The folder path field must not be changed."]});

    assert_eq!(
        acme.client
            .put(&address, record.clone())
            .await
            .expect_error(422),
        rejection
    );
    record["folder_path"] = json!("After/");

    let changed = acme.client.put(&address, record).await.expect_ok();
    assert_eq!(
        (&changed["folder_id"], &changed["tags"]),
        (&json!(folder), &json!(["x"]))
    );

    // With another folder alone: `folder_path` of the record still names the current folder.
    let elsewhere = acme
        .client
        .post(
            "/folders",
            json!({"space_id": acme.id, "name": "Elsewhere"}),
        )
        .await
        .expect_created();

    for folder_id in [
        &elsewhere["id"],
        &json!("root"),
        &json!(folder),
        &json!(null),
    ] {
        let mut record = acme.client.get(&address).await.expect_ok();
        record["folder_id"] = folder_id.clone();
        let moved = acme.client.put(&address, record).await.expect_ok();
        let expected = if *folder_id == json!("root") {
            &Value::Null
        } else {
            folder_id
        };
        assert_eq!(&moved["folder_id"], expected);
    }

    let folders = acme.client.get("/folders").await.expect_status(200).json();
    assert_eq!(
        folders["data"].as_array().map(Vec::len),
        Some(2),
        "no folder is created"
    );
}
