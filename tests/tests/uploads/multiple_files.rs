//! `POST /upload` with `files`: one or many, all or none.

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::{DEFAULT_ATTEMPTS, DYNAMODB_ATTEMPTS, Dump, PHOTO, Stack, Tenant, file, stack_test};

/// Attempts of a client of AWS before it gives up.
const ATTEMPTS: u32 = DEFAULT_ATTEMPTS;
/// Tries of a transaction that conflicts.
const CONFLICT_TRIES: u32 = 8;
/// Most files of a request.
const MOST: usize = 10;

fn space(acme: &Tenant) -> Form {
    Form::new().text("space", acme.handle.clone())
}

fn photo(name: &str) -> Part {
    file(name, "image/jpeg", [PHOTO, name.as_bytes()].concat())
}

fn photos(acme: &Tenant, field: &'static str, count: usize) -> Form {
    (0..count).fold(space(acme), |form, index| {
        form.part(field, photo(&format!("{index}.jpg")))
    })
}

fn empty() -> Part {
    file("a.txt", "text/plain", Vec::new())
}

/// What a browser sends where no file was chosen.
fn unchosen() -> Part {
    Part::bytes(Vec::new())
        .file_name("")
        .mime_str("application/octet-stream")
        .expect("a type")
}

fn names(files: &Value) -> Vec<&str> {
    let files = files
        .as_array()
        .unwrap_or_else(|| panic!("no list: {files}"));
    files
        .iter()
        .map(|file| file["original_name"].as_str().expect("a name"))
        .collect()
}

/// Demands that every file is shown, delivered and kept once.
async fn assert_there(stack: &Stack, acme: &Tenant, files: &Value, before: &Dump) {
    for file in files.as_array().expect("a list") {
        let id = file["id"].as_str().expect("an id");
        assert_eq!(
            &acme.client.get(&format!("/files/{id}")).await.expect_ok(),
            file
        );
        let delivered = stack
            .anonymous
            .get(file["url"].as_str().expect("an address"))
            .await
            .expect_status(200);
        assert!(
            delivered
                .body
                .ends_with(file["original_name"].as_str().expect("a name").as_bytes())
        );
    }

    let after = stack.dump().await;
    let made = files.as_array().map_or(0, Vec::len);
    assert_eq!(after.objects.len() - before.objects.len(), made);
    assert_eq!(
        after.items_with_prefix("PATH#").count() - before.items_with_prefix("PATH#").count(),
        made
    );
}

#[stack_test]
async fn one_file_returns_object_and_several_return_list(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let upload = |form: Form| acme.client.upload(form);
    assert!(
        upload(space(&acme).part("file", photo("a.jpg")))
            .await
            .expect_created()
            .is_object()
    );
    for field in ["files", "files[]", "files[0]", "files[17]"] {
        let before = stack.dump().await;
        let files = upload(space(&acme).part(field, photo("a.jpg")))
            .await
            .expect_created();
        assert_eq!(names(&files), ["a.jpg"], "{field}");
        assert_there(stack, &acme, &files, &before).await;
    }
    let before = stack.dump().await;
    let mixed = space(&acme)
        .part("files[1]", photo("b.jpg"))
        .part("files", photo("c.jpg"))
        .part("file", photo("a.jpg"));
    let files = upload(mixed.part("files[0]", photo("b.jpg")))
        .await
        .expect_created();
    assert_eq!(
        names(&files),
        ["a.jpg", "b.jpg", "c.jpg", "b.jpg"],
        "the one of file first, then as they came"
    );
    assert_there(stack, &acme, &files, &before).await;

    let unchosen_first = space(&acme)
        .part("file", unchosen())
        .part("files", photo("a.jpg"))
        .part("files", unchosen());
    assert_eq!(
        names(&upload(unchosen_first).await.expect_created()),
        ["a.jpg"]
    );
    let unchosen_list = space(&acme)
        .part("files", unchosen())
        .part("file", photo("a.jpg"));
    assert!(upload(unchosen_list).await.expect_created().is_object());
}

#[stack_test]
async fn request_is_limited_to_ten_files(stack: &Stack) {
    let acme = stack.space("Acme").await;
    for form in [
        photos(&acme, "files[]", MOST),
        photos(&acme, "files", MOST - 1).part("file", photo("file.jpg")),
        photos(&acme, "files", MOST).part("files", unchosen()),
    ] {
        let before = stack.dump().await;
        let files = acme.client.upload(form).await.expect_created();
        assert_eq!(names(&files).len(), MOST);
        assert_there(stack, &acme, &files, &before).await;
    }

    let before = stack.dump().await;
    for form in [
        photos(&acme, "files[]", MOST + 1),
        photos(&acme, "files", MOST).part("file", photo("file.jpg")),
        photos(&acme, "files", 50),
    ] {
        let errors = acme.client.upload(form).await.expect_error(422);
        assert_eq!(
            errors,
            json!({"files": ["The files field must not have more than 10 items."]})
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "too many files");
}

#[stack_test]
async fn one_invalid_file_rejects_request_with_all_errors(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let is_empty = |field: &str| format!("The {field} field must not be empty.");
    let executable = |field: &str| format!("The {field} field must not be an executable file.");
    let before = stack.dump().await;

    for (form, errors) in [
        (
            space(&acme)
                .part("files", photo("a.jpg"))
                .part("files", empty())
                .part("files", photo("b.jpg")),
            json!({"files.1": [is_empty("files.1")]}),
        ),
        (
            space(&acme)
                .part("files[5]", empty())
                .part("file", empty())
                .part("files[]", photo("a.exe")),
            json!({
                "file": [is_empty("file")], "files.0": [is_empty("files.0")], "files.1": [executable("files.1")],
            }),
        ),
        // Positions are those of the form, unchosen ones included.
        (
            space(&acme)
                .part("files", unchosen())
                .part("files", empty()),
            json!({"files.1": [is_empty("files.1")]}),
        ),
        (
            space(&acme)
                .text("files", "text")
                .part("files", photo("a.jpg"))
                .text("files[]", "text"),
            json!({
                "files.0": ["The files.0 field must be a file."], "files.2": ["The files.2 field must be a file."],
            }),
        ),
        (
            space(&acme).part("files", unchosen()),
            json!({"file": ["The file field is required when files is not present."]}),
        ),
        (
            photos(&acme, "files", MOST)
                .part("file", empty())
                .text("ref", "x".repeat(256))
                .text("upload_config", "no"),
            json!({
                "files": ["The files field must not have more than 10 items."], "file": [is_empty("file")],
                "ref": ["The ref field must not be greater than 255 characters."],
                "upload_config": ["The selected upload config is invalid."],
            }),
        ),
        (
            Form::new()
                .part("files", photo("a.php"))
                .text("folder_path", "a")
                .text("space", " "),
            json!({
                "files.0": [executable("files.0")], "space": ["The space field is required."],
                "folder_id": ["The folder id field is required when folder path is present."],
            }),
        ),
    ] {
        assert_eq!(acme.client.upload(form).await.expect_error(422), errors);
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "files that are wrong");
}

#[stack_test]
async fn unknown_space_or_config_is_rejected(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let foreign = other
        .client
        .get(&format!("/spaces/{}", other.id))
        .await
        .expect_ok()["active_upload_config_id"]
        .clone();

    let foreign = foreign.as_str().expect("an id");
    let before = stack.dump().await;
    let unknown = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1";

    for (name, value) in [
        ("folder_id", unknown),
        ("folder_id", "\u{0}"),
        ("folder_id", acme.id.as_str()),
        ("upload_config", foreign),
        ("upload_config", unknown),
        ("upload_config", "Starter"),
        ("upload_config", "../starter"),
        ("upload_config", "é"),
        ("space", other.handle.as_str()),
        ("space", acme.id.as_str()),
    ] {
        let form = if name == "space" {
            Form::new()
        } else {
            space(&acme)
        };
        let form = form
            .text(name, value.to_owned())
            .part("files", photo("a.jpg"));
        let message = format!("The selected {} is invalid.", name.replace('_', " "));
        assert_eq!(
            acme.client.upload(form).await.expect_error(422),
            json!({name: [message]}),
            "{name} {value:?}"
        );
    }

    let both = space(&acme)
        .text("folder_id", unknown)
        .text("folder_path", "a/b")
        .part("files", photo("a.jpg"));

    assert_eq!(
        acme.client.upload(both).await.expect_error(422),
        json!({"folder_id": ["The selected folder id is invalid."]})
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "references to what is not there");

    // An empty text is none.
    let blank = ["folder_id", "folder_path", "upload_config", "ref"];
    let form = blank
        .into_iter()
        .fold(space(&acme), |form, name| form.text(name, "  "));
    acme.client
        .upload(form.part("files", photo("a.jpg")))
        .await
        .expect_created();
}

#[stack_test]
async fn failure_after_partial_storage_leaves_nothing(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let faults = stack.cloud.faults();
    let busy = async |before: &Dump| {
        let response = acme.client.upload(photos(&acme, "files", 5)).await;
        assert_eq!(response.header("retry-after"), "1");
        response.expect_error(503);
        // That it was given up is kept for a while, so that it is never written late.
        let mut after = stack.dump().await;
        after.items.retain(|(partition, _), item| {
            !partition.starts_with("FILE#") || !item["space_id"].is_null()
        });
        after.assert_unchanged(before, "an upload that failed");
    };
    acme.client
        .get(&format!("/spaces/{}", acme.id))
        .await
        .expect_ok();
    let before = stack.dump().await;

    faults.skip(S3, "PutObject", 2);
    faults.fail(
        S3,
        "PutObject",
        5 * ATTEMPTS - 2,
        InjectedError::new(503, "SlowDown"),
    );
    busy(&before).await;
    // Stored, and nobody was told so.
    faults.lose_response(S3, "PutObject", 5 * ATTEMPTS);
    busy(&before).await;
    faults.fail(
        DynamoDb,
        "TransactWriteItems",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(500, "InternalServerError"),
    );
    busy(&before).await;
    faults.fail(
        DynamoDb,
        "TransactWriteItems",
        CONFLICT_TRIES,
        InjectedError::new(400, "TransactionConflict"),
    );
    busy(&before).await;

    faults.skip(S3, "PutObject", 2);
    faults.fail(
        S3,
        "PutObject",
        1,
        InjectedError::new(400, "InvalidRequest"),
    );
    acme.client
        .upload(photos(&acme, "files", 5))
        .await
        .expect_error(500);
    faults.fail(
        DynamoDb,
        "TransactWriteItems",
        1,
        InjectedError::new(400, "ValidationException"),
    );
    acme.client
        .upload(photos(&acme, "files", 5))
        .await
        .expect_error(500);
    assert_eq!(stack.dump().await.objects, before.objects);

    let files = acme
        .client
        .upload(photos(&acme, "files", 5))
        .await
        .expect_created();
    assert_there(stack, &acme, &files, &before).await;
}

#[stack_test]
async fn unknown_commit_outcome_is_resolved(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let faults = stack.cloud.faults();
    let before = stack.dump().await;
    faults.lose_response(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS);
    let files = acme
        .client
        .upload(photos(&acme, "files", 3))
        .await
        .expect_created();
    assert_there(stack, &acme, &files, &before).await;

    // Where that cannot be settled either, nobody is told that they are there, and what may be in
    // use stays whole.
    let before = stack.dump().await;
    faults.lose_response(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS);
    faults.fail(
        DynamoDb,
        "TransactWriteItems",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(500, "InternalServerError"),
    );
    acme.client
        .upload(photos(&acme, "files", 3))
        .await
        .expect_error(503);
    let after = stack.dump().await;
    assert_eq!(after.objects.len() - before.objects.len(), 3);
    assert_eq!(after.files_with_bytes().len(), after.objects.len());
}
