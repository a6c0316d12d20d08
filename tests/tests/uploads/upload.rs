//! `POST /upload`: one file with an API key.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{
    PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, file, form, large_photo, stack_test,
};

use super::multiple_files::space;

/// The magic number of OLE files: installers and Office documents.
const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0\0\0";
/// Maximum size of a form upload: 50 MB.
const MAX_FILE_BYTES: usize = 50 << 20;

pub(super) fn assert_no_object_stored(stack: &Stack) {
    let calls = stack.local.call_log().calls();
    let mut operations = calls.iter().map(|call| &*call.operation);
    assert!(!operations.any(|operation| operation == "PutObject"));
}

fn photo() -> Part {
    file("photo.jpg", "image/jpeg", PHOTO)
}

#[stack_test]
async fn uploaded_bytes_are_delivered_unchanged_for_any_size(stack: &Stack, acme: &TestSpace) {
    for bytes in [
        PHOTO.to_vec(),
        large_photo(1 << 20),
        large_photo((1 << 20) + 1),
        large_photo(MAX_FILE_BYTES),
    ] {
        let uploaded = acme.upload(bytes.clone()).await;
        let delivered = stack.anonymous.fetch(uploaded.url()).await;
        assert!(delivered.body == bytes, "{} bytes differ", bytes.len());
        let digest = hex::encode(Sha256::digest(&bytes));
        assert_eq!(uploaded["checksum_sha256"], digest);
    }
}

#[stack_test]
async fn form_fields_are_accepted_in_any_order(acme: &TestSpace) {
    let starter = acme.get_ok(&acme.path()).await["active_upload_config_id"].clone();

    for config in [starter.as_str().expect("an id"), "starter", "  "] {
        let program = file("a.exe", "text/plain", b"MZ\0\0".to_vec());
        let form = Form::new()
            .part("file", photo())
            .text("ref", " order-7 ")
            .text("upload_config", config.to_owned())
            .text("folder_path", "  ")
            .text("ignored", "yes".repeat(100_000))
            .part("attachment", program)
            .text("space", acme.handle.clone());
        let uploaded = acme.upload_form(form).await.expect_created();
        let expected = json!({"ref": "order-7", "upload_config_id": starter, "folder_id": null});
        assert_fields(&uploaded, expected);
    }
}

#[stack_test]
async fn stored_type_is_detected_from_bytes(acme: &TestSpace) {
    let unknown = "application/octet-stream";
    let pdf = ["application/pdf", "document", "pdf"];
    let types: [(&str, &str, &[u8], [&str; 3]); 5] = [
        ("a.png", "image/png", PHOTO, ["image/jpeg", "image", "jpg"]),
        ("a", unknown, PHOTO, ["image/jpeg", "image", "jpg"]),
        (
            "a.csv",
            "text/csv",
            b"a,b\n1,2\n",
            ["text/csv", "text", "csv"],
        ),
        ("a.pdf", unknown, b"%PDF-1.7\n%\xE2\xE3", pdf),
        (
            "a.dat",
            "application/x-mine",
            OLE,
            [unknown, "other", "bin"],
        ),
    ];

    for (name, declared, bytes, [mime_type, resource_type, extension]) in types {
        let uploaded = acme.upload(bytes).named(name, declared).await;
        let expected = json!({
            "mime_type": mime_type, "resource_type": resource_type, "extension": extension,
        });
        assert_fields(&uploaded, expected);
    }
}

/// Returns invalid fields of a form with a space and a photo, and the error messages.
fn invalid_fields() -> Vec<(&'static str, String, Vec<&'static str>)> {
    let unknown_config = "The selected upload config is invalid.";
    let unknown_folder = "The selected folder id is invalid.";
    let long = "The ref field must not be greater than 255 characters.";
    let second_space = "The space field must appear only once.";
    let unknown_space = "The selected space is invalid.";
    let invalid = |name, value: &str, messages| (name, value.to_owned(), messages);

    vec![
        invalid("space", "zzzzzz", vec![second_space, unknown_space]),
        invalid("upload_config", "nope", vec![unknown_config]),
        invalid("upload_config", "Starter", vec![unknown_config]),
        invalid("folder_id", UNKNOWN_ID, vec![unknown_folder]),
        ("ref", "x".repeat(256), vec![long]),
    ]
}

/// Returns rejected forms, and their errors.
fn rejected_forms(acme: &TestSpace, other: &TestSpace) -> Vec<(Form, Value)> {
    let file_error = |end: &str| json!({"file": [format!("The file field {end}.")]});
    let nothing = json!({
        "space": ["The space field is required."], "file": ["The file field is required when files is not present."],
    });
    let without_space = json!({"space": ["The space field is required."]});
    let unchosen = space(acme).part("file", Part::bytes(vec![]).file_name(""));
    let absent = file_error("is required when files is not present");
    let large = file("a.jpg", "image/jpeg", large_photo(MAX_FILE_BYTES + 1));
    let large = space(acme).part("file", large);

    let mut rejected = vec![
        (Form::new().text("x", "y"), nothing),
        (Form::new().part("file", photo()), without_space),
        (unchosen, absent),
        (
            large,
            file_error("must not be greater than 51200 kilobytes"),
        ),
    ];
    // The same error for a foreign space as for an unknown one.
    for handle in [&*other.handle, "zzzzzz", "../x"] {
        let unknown = json!({"space": ["The selected space is invalid."]});
        rejected.push((form(handle, "a.jpg", "image/jpeg", PHOTO), unknown));
    }
    rejected
}

#[stack_test]
async fn rejected_upload_reports_all_errors_and_stores_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let mut rejected = rejected_forms(acme, other);
    rejected.extend(invalid_fields().into_iter().map(|(name, value, messages)| {
        let form = space(acme).text(name, value).part("file", photo());
        (form, json!({ name: messages }))
    }));

    for (form, errors) in rejected {
        assert_eq!(acme.upload_form(form).await.expect_error(422), errors);
    }

    assert_no_object_stored(stack);
}
