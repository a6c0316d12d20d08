//! `POST /upload`: one file with an API key.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, file, form, large_photo, noise, stack_test};

/// The magic number of OLE files: installers and Office documents.
const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0\0\0";
/// Maximum size of a form upload: 50 MB.
const MAX_FILE_BYTES: usize = 50 << 20;

pub(super) fn assert_no_object_stored(stack: &Stack) {
    let put = stack
        .local
        .call_log()
        .calls()
        .into_iter()
        .filter(|call| call.operation == "PutObject")
        .count();

    assert_eq!(put, 0, "rejected uploads store nothing");
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
        let delivered = stack
            .anonymous
            .fetch(uploaded["url"].as_str().expect("a URL"))
            .await;
        assert!(delivered.body == bytes, "{} bytes differ", bytes.len());
        let digest = <sha2::Sha256 as sha2::Digest>::digest(&bytes);
        assert_eq!(uploaded["checksum_sha256"], hex::encode(digest));
    }
}

#[stack_test]
async fn form_fields_are_accepted_in_any_order(acme: &TestSpace) {
    let starter = acme.get_ok(&acme.path()).await["active_upload_config_id"].clone();

    for config in [starter.as_str().expect("an id"), "starter"] {
        let form = Form::new()
            .part("file", file("photo.jpg", "image/jpeg", PHOTO))
            .text("ref", " order-7 ")
            .text("upload_config", config.to_owned())
            .text("ignored", "yes".repeat(100_000))
            .part(
                "attachment",
                file("a.exe", "text/plain", b"MZ\0\0".to_vec()),
            )
            .text("space", acme.handle.clone());
        let uploaded = acme.upload_form(form).await.expect_created();
        assert_eq!(
            (&uploaded["ref"], &uploaded["upload_config_id"]),
            (&json!("order-7"), &starter)
        );
    }
}

#[stack_test]
async fn stored_type_is_detected_from_bytes(acme: &TestSpace) {
    for (name, declared, bytes, expected) in [
        (
            "a.png",
            "image/png",
            PHOTO.to_vec(),
            ("image/jpeg", "image", "jpg"),
        ),
        (
            "a",
            "application/octet-stream",
            PHOTO.to_vec(),
            ("image/jpeg", "image", "jpg"),
        ),
        (
            "a.csv",
            "text/csv",
            b"a,b\n1,2\n".to_vec(),
            ("text/csv", "text", "csv"),
        ),
        (
            "a.pdf",
            "application/pdf",
            b"%PDF-1.7\n%\xE2\xE3".to_vec(),
            ("application/pdf", "document", "pdf"),
        ),
        (
            "a.rtf",
            "text/rtf",
            b"{\\rtf1 x}".to_vec(),
            ("application/rtf", "document", "rtf"),
        ),
        (
            "a.dat",
            "application/octet-stream",
            OLE.to_vec(),
            ("application/octet-stream", "other", "bin"),
        ),
        (
            "a.dat",
            "application/x-mine",
            noise(3, 100),
            ("application/octet-stream", "other", "bin"),
        ),
    ] {
        let uploaded = acme.upload(bytes).named(name, declared).await;
        let got = ["mime_type", "resource_type", "extension"]
            .map(|field| uploaded[field].as_str().unwrap_or_default());
        assert_eq!((got[0], got[1], got[2]), expected, "{name}");
    }
}

/// An upload that is rejected with 422.
struct RejectedUpload {
    case: &'static str,
    form: Form,
    errors: Value,
}

fn rejected(case: &'static str, form: Form, errors: Value) -> RejectedUpload {
    RejectedUpload { case, form, errors }
}

fn space(acme: &TestSpace) -> Form {
    Form::new().text("space", acme.handle.clone())
}

fn photo() -> Part {
    file("photo.jpg", "image/jpeg", PHOTO)
}

fn rejected_fields(acme: &TestSpace) -> Vec<RejectedUpload> {
    let with = |name: &'static str, value: &str| {
        space(acme)
            .text(name, value.to_owned())
            .part("file", photo())
    };
    let elsewhere = |handle: &'static str| Form::new().text("space", handle).part("file", photo());
    let unknown = json!({"space": ["The selected space is invalid."]});
    let nothing = json!({
        "space": ["The space field is required."],
        "file": ["The file field is required when files is not present."],
    });
    let two_spaces = json!({"space": ["The space field must appear only once.", "The selected space is invalid."]});
    let path_alone =
        json!({"folder_id": ["The folder id field is required when folder path is present."]});
    let long = json!({"ref": ["The ref field must not be greater than 255 characters."]});

    vec![
        rejected("nothing", Form::new().text("x", "y"), nothing),
        rejected(
            "no space",
            Form::new().part("file", photo()),
            json!({"space": ["The space field is required."]}),
        ),
        rejected("unknown space", elsewhere("zzzzzz"), unknown.clone()),
        rejected("no handle", elsewhere("../x"), unknown),
        rejected("two spaces", with("space", "zzzzzz"), two_spaces),
        rejected(
            "unknown config",
            with("upload_config", "nope"),
            json!({"upload_config": ["The selected upload config is invalid."]}),
        ),
        rejected(
            "unknown folder",
            with("folder_id", UNKNOWN_ID),
            json!({"folder_id": ["The selected folder id is invalid."]}),
        ),
        rejected("path alone", with("folder_path", "a/b"), path_alone),
        rejected("long reference", with("ref", &"x".repeat(256)), long),
    ]
}

fn rejected_files(acme: &TestSpace) -> Vec<RejectedUpload> {
    let sent = |name: &str, declared: &str, bytes: Vec<u8>| {
        space(acme).part("file", file(name, declared, bytes))
    };
    let file_error = |end: &str| json!({"file": [format!("The file field {end}.")]});
    let executable = || file_error("must not be an executable file");
    let not_pdf = || file_error("must be application/pdf as declared, but is image/jpeg");
    let not_png = || file_error("must be image/png as declared, but is text/plain");
    let program = b"MZ\x90\0\x03\0\0\0".to_vec();
    let unchosen = space(acme).part("file", Part::bytes(vec![]).file_name(""));
    let two = space(acme).part("file", photo()).part("file", photo());

    vec![
        rejected(
            "file as text",
            space(acme).text("file", "hello"),
            file_error("must be a file"),
        ),
        rejected("two files", two, file_error("must appear only once")),
        rejected(
            "no file chosen",
            unchosen,
            file_error("is required when files is not present"),
        ),
        rejected(
            "empty",
            sent("a.txt", "text/plain", vec![]),
            file_error("must not be empty"),
        ),
        rejected(
            "executable's name",
            sent("a.jpg.exe", "image/jpeg", PHOTO.to_vec()),
            executable(),
        ),
        rejected(
            "server's name",
            sent("a.php.jpg", "image/jpeg", PHOTO.to_vec()),
            executable(),
        ),
        rejected(
            "renamed executable",
            sent("a.jpg", "image/jpeg", program),
            executable(),
        ),
        rejected(
            "type_mismatch",
            sent("a.pdf", "application/pdf", PHOTO.to_vec()),
            not_pdf(),
        ),
        rejected(
            "no picture",
            sent("a.png", "image/png", b"just text".to_vec()),
            not_png(),
        ),
        rejected(
            "too large",
            sent("a.jpg", "image/jpeg", large_photo(MAX_FILE_BYTES + 1)),
            file_error("must not be greater than 51200 kilobytes"),
        ),
    ]
}

#[stack_test]
async fn rejected_upload_reports_all_errors_and_stores_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let foreign = acme
        .upload_form(form(&other.handle, "a.jpg", "image/jpeg", PHOTO))
        .await
        .expect_error(422);

    assert_eq!(
        foreign,
        json!({"space": ["The selected space is invalid."]}),
        "the same error as for an unknown space"
    );

    for RejectedUpload { case, form, errors } in rejected_fields(acme)
        .into_iter()
        .chain(rejected_files(acme))
    {
        assert_eq!(
            acme.upload_form(form).await.expect_error(422),
            errors,
            "{case}"
        );
    }

    assert_no_object_stored(stack);
}
