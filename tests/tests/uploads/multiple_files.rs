//! `POST /upload` with `files`: stores all files of a request or none.

use std::{pin::pin, time::Duration};

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::{Dump, PHOTO, Stack, TestSpace, UNKNOWN_ID, file, stack_test};

/// Maximum number of files of a request.
const MAX_FILES: usize = 10;

fn space(acme: &TestSpace) -> Form {
    Form::new().text("space", acme.handle.clone())
}

fn photo(name: &str) -> Part {
    file(name, "image/jpeg", [PHOTO, name.as_bytes()].concat())
}

pub(super) fn photos(acme: &TestSpace, field: &'static str, count: usize) -> Form {
    (0..count).fold(space(acme), |form, index| {
        form.part(field, photo(&format!("{index}.jpg")))
    })
}

fn empty() -> Part {
    file("a.txt", "text/plain", Vec::new())
}

/// Returns the part that a browser sends if no file is selected.
fn unselected() -> Part {
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

/// Asserts that every file is returned by the API, delivered and stored once.
pub(super) async fn assert_stored(stack: &Stack, acme: &TestSpace, files: &Value, before: &Dump) {
    for file in files.as_array().expect("a list") {
        let id = file["id"].as_str().expect("an id");
        assert_eq!(&acme.get_ok(&format!("/files/{id}")).await, file);
        let delivered = stack
            .anonymous
            .fetch(file["url"].as_str().expect("a URL"))
            .await;
        assert!(
            delivered
                .body
                .ends_with(file["original_name"].as_str().expect("a name").as_bytes())
        );
    }

    let after = stack.dump().await;
    let created = files.as_array().map_or(0, Vec::len);
    assert_eq!(after.objects.len() - before.objects.len(), created);
    assert_eq!(
        after.items_with_prefix("PATH#").count() - before.items_with_prefix("PATH#").count(),
        created
    );
}

#[stack_test]
async fn one_file_returns_object_and_several_return_list(stack: &Stack, acme: &TestSpace) {
    let upload = |form: Form| acme.upload_form(form);
    assert!(
        upload(space(acme).part("file", photo("a.jpg")))
            .await
            .expect_created()
            .is_object()
    );

    for field in ["files", "files[]", "files[0]", "files[17]"] {
        let before = stack.dump().await;
        let files = upload(space(acme).part(field, photo("a.jpg")))
            .await
            .expect_created();
        assert_eq!(names(&files), ["a.jpg"], "{field}");
        assert_stored(stack, acme, &files, &before).await;
    }

    let before = stack.dump().await;
    let mixed = space(acme)
        .part("files[1]", photo("b.jpg"))
        .part("files", photo("c.jpg"))
        .part("file", photo("a.jpg"));
    let files = upload(mixed.part("files[0]", photo("b.jpg")))
        .await
        .expect_created();
    assert_eq!(
        names(&files),
        ["a.jpg", "b.jpg", "c.jpg", "b.jpg"],
        "the file of `file` first, then the order of the form"
    );
    assert_stored(stack, acme, &files, &before).await;

    let unselected_first = space(acme)
        .part("file", unselected())
        .part("files", photo("a.jpg"))
        .part("files", unselected());
    assert_eq!(
        names(&upload(unselected_first).await.expect_created()),
        ["a.jpg"]
    );

    let unselected_list = space(acme)
        .part("files", unselected())
        .part("file", photo("a.jpg"));
    assert!(upload(unselected_list).await.expect_created().is_object());
}

#[stack_test]
async fn request_is_limited_to_ten_files(stack: &Stack, acme: &TestSpace) {
    for form in [
        photos(acme, "files[]", MAX_FILES),
        photos(acme, "files", MAX_FILES - 1).part("file", photo("file.jpg")),
        photos(acme, "files", MAX_FILES).part("files", unselected()),
    ] {
        let before = stack.dump().await;
        let files = acme.upload_form(form).await.expect_created();
        assert_eq!(names(&files).len(), MAX_FILES);
        assert_stored(stack, acme, &files, &before).await;
    }

    let before = stack.dump().await;
    for form in [
        photos(acme, "files[]", MAX_FILES + 1),
        photos(acme, "files", MAX_FILES).part("file", photo("file.jpg")),
        photos(acme, "files", 50),
    ] {
        let errors = acme.upload_form(form).await.expect_error(422);
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

/// Returns invalid forms and their errors.
fn invalid_forms(acme: &TestSpace) -> Vec<(Form, Value)> {
    let empty_error = |field: &str| format!("The {field} field must not be empty.");
    let executable_error =
        |field: &str| format!("The {field} field must not be an executable file.");

    vec![
        (
            space(acme)
                .part("files", photo("a.jpg"))
                .part("files", empty())
                .part("files", photo("b.jpg")),
            json!({"files.1": [empty_error("files.1")]}),
        ),
        (
            space(acme)
                .part("files[5]", empty())
                .part("file", empty())
                .part("files[]", photo("a.exe")),
            json!({
                "file": [empty_error("file")], "files.0": [empty_error("files.0")], "files.1": [executable_error("files.1")],
            }),
        ),
        // Indexes count all parts of the form, also those without a file.
        (
            space(acme)
                .part("files", unselected())
                .part("files", empty()),
            json!({"files.1": [empty_error("files.1")]}),
        ),
        (
            space(acme)
                .text("files", "text")
                .part("files", photo("a.jpg"))
                .text("files[]", "text"),
            json!({
                "files.0": ["The files.0 field must be a file."], "files.2": ["The files.2 field must be a file."],
            }),
        ),
        (
            space(acme).part("files", unselected()),
            json!({"file": ["The file field is required when files is not present."]}),
        ),
        (
            photos(acme, "files", MAX_FILES)
                .part("file", empty())
                .text("ref", "x".repeat(256))
                .text("upload_config", "no"),
            json!({
                "files": ["The files field must not have more than 10 items."], "file": [empty_error("file")],
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
                "files.0": [executable_error("files.0")], "space": ["The space field is required."],
                "folder_id": ["The folder id field is required when folder path is present."],
            }),
        ),
    ]
}

#[stack_test]
async fn one_invalid_file_rejects_request_with_all_errors(stack: &Stack, acme: &TestSpace) {
    let before = stack.dump().await;

    for (form, errors) in invalid_forms(acme) {
        assert_eq!(acme.upload_form(form).await.expect_error(422), errors);
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "rejected uploads");
}

#[stack_test]
async fn unknown_space_or_config_is_rejected(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let foreign = other.get_ok(&other.path()).await["active_upload_config_id"].clone();

    let foreign = foreign.as_str().expect("an id");
    let before = stack.dump().await;
    let unknown = UNKNOWN_ID;

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
            space(acme)
        };
        let form = form
            .text(name, value.to_owned())
            .part("files", photo("a.jpg"));
        let message = format!("The selected {} is invalid.", name.replace('_', " "));
        assert_eq!(
            acme.upload_form(form).await.expect_error(422),
            json!({name: [message]}),
            "{name} {value:?}"
        );
    }

    let both = space(acme)
        .text("folder_id", unknown)
        .text("folder_path", "a/b")
        .part("files", photo("a.jpg"));

    assert_eq!(
        acme.upload_form(both).await.expect_error(422),
        json!({"folder_id": ["The selected folder id is invalid."]})
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "uploads with unknown references");

    // Blank fields are ignored.
    let blank = ["folder_id", "folder_path", "upload_config", "ref"];
    let form = blank
        .into_iter()
        .fold(space(acme), |form, name| form.text(name, "  "));
    acme.upload_form(form.part("files", photo("a.jpg")))
        .await
        .expect_created();
}

/// Returns the number of calls that an upload makes before it stores its file.
async fn calls_before_put(stack: &Stack, acme: &TestSpace) -> u32 {
    let mut calls = 0;
    loop {
        let mut hold = stack.local.faults().hold("uploads", calls);
        let operation = async {
            hold.reached().await;
            let operation = hold.operation();
            hold.release();
            operation
        };
        let upload = acme.client.upload_form(photos(acme, "file", 1));
        let (uploaded, operation) = tokio::join!(upload, operation);
        uploaded.expect_created();
        if operation.as_deref() == Some("PutObject") {
            return calls;
        }
        calls += 1;
    }
}

/// The other half of the admission: a process stores 256 MiB at a time, of which a space has three quarters.
#[stack_test]
async fn files_are_not_stored_while_too_many_others_are(stack: &Stack, acme: &TestSpace) {
    let calls = calls_before_put(stack, acme).await;
    let large = || file("a.txt", "text/plain", vec![b'a'; 48 << 20]);
    let large = (0..4).fold(space(acme), |form, _| form.part("files", large()));

    let mut hold = stack.local.faults().hold("uploads", calls);
    let mut large = pin!(acme.client.upload_form(large));
    tokio::select! {
        response = &mut large => panic!("{response:?}"),
        () = hold.reached() => assert_eq!(hold.operation().as_deref(), Some("PutObject")),
    }
    let small = acme.client.upload_form(photos(acme, "file", 1));
    let mut small = pin!(small);
    let waited = tokio::time::timeout(Duration::from_secs(1), &mut small).await;
    assert!(waited.is_err(), "it is stored");

    hold.release();
    large.await.expect_created();
    small.await.expect_created();
}
