//! `POST /upload`: one file with an API key, and rejected forms.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::{
    PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, field_error, field_errors, file, form,
    large_photo, stack_test, text,
};

use super::{
    confirm::delivered_bytes,
    multiple_files::{MAX_FILES, empty, photo, photos, space, unselected},
};

/// The magic number of OLE files: installers and Office documents.
const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0\0\0";
/// Type of such a file.
const UNRECOGNIZED: &str = "application/octet-stream other bin";
const PDF: &[u8] = b"%PDF-1.7\n%\xE2\xE3";
/// Maximum size of a form upload: 50 MB.
const MAX_FILE_BYTES: usize = 50 << 20;

#[stack_test]
async fn uploaded_bytes_are_delivered_unchanged_for_any_size(stack: &Stack, acme: &TestSpace) {
    for bytes in [
        PHOTO.to_vec(),
        large_photo(1 << 20),
        large_photo((1 << 20) + 1),
        large_photo(MAX_FILE_BYTES),
    ] {
        let uploaded = acme.upload(bytes.clone()).await;
        let delivered = delivered_bytes(stack, &uploaded).await;
        assert!(delivered == bytes, "{} bytes differ", bytes.len());
    }
}

#[stack_test]
async fn form_fields_are_accepted_in_any_order(acme: &TestSpace) {
    let starter = acme.get_ok(&acme.path()).await["active_upload_config_id"].clone();

    for config in [starter.as_str().expect("an id"), "starter", "  "] {
        let program = file("a.exe", "text/plain", b"MZ\0\0".to_vec());
        let form = Form::new()
            .part("file", photo("a.jpg"))
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
    let types: [(&str, &str, &[u8], &str); 5] = [
        ("a.png", "image/png", PHOTO, "image/jpeg image jpg"),
        ("a", unknown, PHOTO, "image/jpeg image jpg"),
        ("a.csv", "text/csv", b"a,b\n1,2\n", "text/csv text csv"),
        ("a.pdf", unknown, PDF, "application/pdf document pdf"),
        ("a.dat", "application/x-mine", OLE, UNRECOGNIZED),
    ];

    for (name, declared, bytes, expected) in types {
        let uploaded = acme.upload(bytes).named(name, declared).await;
        let detected = ["mime_type", "resource_type", "extension"];
        let detected = detected.map(|field| text(&uploaded[field]));
        assert_eq!(detected.join(" "), expected);
    }
}

/// Returns forms of a photo with an invalid field, and their errors.
fn invalid_fields(acme: &TestSpace) -> Vec<(Form, Value)> {
    let once = field_error("space", "must appear only once");
    let with = |name: &'static str, value: &str, errors: Value| {
        let form = space(acme).text(name, value.to_owned());
        (form.part("file", photo("a.jpg")), errors)
    };
    let unselectable = |name, value| with(name, value, field_error(name, ""));
    let long = field_error("ref", "must not be greater than 255 characters");
    let twice = json!({"space": [once["space"][0], field_error("space", "")["space"][0]]});

    vec![
        with("space", "zzzzzz", twice),
        unselectable("upload_config", "nope"),
        unselectable("upload_config", "Starter"),
        unselectable("folder_id", UNKNOWN_ID),
        with("ref", &"x".repeat(256), long),
    ]
}

/// Returns forms without a space, or without a file, and their errors.
fn incomplete_forms(acme: &TestSpace) -> Vec<(Form, Value)> {
    let no_space = ("space", "is required");
    let no_file = ("file", "is required when files is not present");
    let unnamed = Part::bytes(vec![]).file_name("");
    let invalid_without_space = Form::new()
        .part("files", photo("a.php"))
        .text("folder_path", "a")
        .text("space", " ");
    let executable = ("files.0", "must not be an executable file");
    let no_folder = ("folder_id", "is required when folder path is present");

    let only_file = Form::new().part("file", photo("a.jpg"));
    let unknown = |handle| form(handle, "a.jpg", "image/jpeg", PHOTO);

    let rejected = [
        (Form::new().text("x", "y"), vec![no_space, no_file]),
        (only_file, vec![no_space]),
        (invalid_without_space, vec![executable, no_space, no_folder]),
        (space(acme).part("file", unnamed), vec![no_file]),
        (space(acme).part("files", unselected()), vec![no_file]),
        (unknown("zzzzzz"), vec![("space", "")]),
        (unknown("../x"), vec![("space", "")]),
    ];
    rejected
        .map(|(form, ends)| (form, field_errors(ends)))
        .into()
}

/// Returns forms with invalid files, and their errors.
fn invalid_files(acme: &TestSpace) -> Vec<(Form, Value)> {
    let is_empty = |field| (field, "must not be empty");
    let executable = ("files.1", "must not be an executable file");
    let no_file = |field| (field, "must be a file");
    let large = file("a.jpg", "image/jpeg", large_photo(MAX_FILE_BYTES + 1));
    let too_large = ("file", "must not be greater than 51200 kilobytes");
    let second_is_empty = space(acme)
        .part("files", photo("a.jpg"))
        .part("files", empty())
        .part("files", photo("b.jpg"));
    let each_is_invalid = space(acme)
        .part("files[5]", empty())
        .part("file", empty())
        .part("files[]", photo("a.exe"));
    let of_each = vec![is_empty("file"), is_empty("files.0"), executable];
    // Indexes count all parts of the form, also those without a file.
    let after_unselected = space(acme).part("files", unselected());
    let after_unselected = after_unselected.part("files", empty());
    let texts = space(acme)
        .text("files", "text")
        .part("files", photo("a.jpg"))
        .text("files[]", "text");
    let many = photos(acme, "files", MAX_FILES)
        .part("file", empty())
        .text("ref", "x".repeat(256))
        .text("upload_config", "no");
    let of_many = vec![
        ("files", "must not have more than 10 items"),
        is_empty("file"),
        ("ref", "must not be greater than 255 characters"),
        ("upload_config", ""),
    ];

    let rejected = [
        (space(acme).part("file", large), vec![too_large]),
        (second_is_empty, vec![is_empty("files.1")]),
        (each_is_invalid, of_each),
        (after_unselected, vec![is_empty("files.1")]),
        (texts, vec![no_file("files.0"), no_file("files.2")]),
        (many, of_many),
    ];
    rejected
        .map(|(form, ends)| (form, field_errors(ends)))
        .into()
}

#[stack_test]
async fn rejected_upload_reports_all_errors_and_stores_nothing(stack: &Stack, acme: &TestSpace) {
    let mut rejected = incomplete_forms(acme);
    rejected.extend(invalid_fields(acme));
    rejected.extend(invalid_files(acme));
    let before = stack.dump().await;

    for (form, errors) in rejected {
        assert_eq!(acme.upload_form(form).await.expect_error(422), errors);
    }

    stack.assert_unchanged(&before, "rejected uploads").await;
    let calls = stack.local.call_log().calls();
    let mut operations = calls.iter().map(|call| &*call.operation);
    assert!(!operations.any(|operation| operation == "PutObject"));
}
