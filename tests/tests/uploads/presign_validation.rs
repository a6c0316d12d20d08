//! `POST /upload/presign`: validation of the request, and of its declared values.

use serde_json::{Map, Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, stack_test};

use super::presign::{PendingFile, presign_body};

/// Maximum size of a presigned upload: 5 GB.
const MAX_FILE_BYTES: u64 = 5 << 30;
/// Required fields of a request.
const REQUIRED: [&str; 4] = ["space", "filename", "content_type", "size"];

fn field_error(field: &str, end: &str) -> Value {
    let name = field.replace('_', " ");
    json!([if end.is_empty() {
        format!("The selected {name} is invalid.")
    } else {
        format!("The {name} field {end}.")
    }])
}

/// An invalid value of a field, and the end of its error message.
#[derive(Clone)]
struct InvalidField {
    field: &'static str,
    value: Value,
    /// Empty for an unknown reference.
    error_end: &'static str,
}

impl InvalidField {
    fn new(field: &'static str, value: impl Into<Value>, error_end: &'static str) -> InvalidField {
        InvalidField {
            field,
            value: value.into(),
            error_end,
        }
    }
}

fn malformed_fields() -> Vec<InvalidField> {
    let mut malformed = Vec::new();

    for field in ["space", "filename", "content_type", "upload_config", "ref"] {
        let not_strings = [json!(5), json!(true), json!(["a"]), json!({})];
        malformed
            .extend(not_strings.map(|value| InvalidField::new(field, value, "must be a string")));
    }

    let not_integers = [json!("5"), json!(1.5), json!(true), json!([5])];
    malformed
        .extend(not_integers.map(|value| InvalidField::new("size", value, "must be an integer")));

    let malformed_types = [
        "image",
        "image/",
        "/jpeg",
        "image jpeg",
        "image/jp eg",
        "image/é",
        "image/*",
        "*/*",
        "image/a; b",
        "image/jpeg\r\nx-amz-acl: public-read",
    ];
    malformed.extend(malformed_types.map(|value| {
        InvalidField::new(
            "content_type",
            value,
            "must be a MIME type, such as image/jpeg",
        )
    }));

    malformed
}

fn disallowed_values() -> Vec<InvalidField> {
    let long = "x".repeat(256);
    let long_type = format!("image/{}", "x".repeat(95));
    let too_large = "must not be greater than 5368709120 bytes";
    let too_long = "must not be greater than 255 characters";

    let mut disallowed = vec![
        InvalidField::new("filename", long.as_str(), too_long),
        InvalidField::new("filename", "é".repeat(256), too_long),
        InvalidField::new(
            "content_type",
            long_type,
            "must not be greater than 100 characters",
        ),
        InvalidField::new("size", 0, "must be at least 1"),
        InvalidField::new("size", -1, "must be at least 1"),
        InvalidField::new("size", MAX_FILE_BYTES + 1, too_large),
        InvalidField::new("size", u64::MAX, too_large),
        InvalidField::new("ref", long.as_str(), too_long),
        InvalidField::new("ref", "a\u{0}b", "must not contain control characters"),
        InvalidField::new("folder_id", UNKNOWN_ID, ""),
    ];

    let executables = ["setup.exe", "photo.jpg.EXE", "a.php.jpg", "run.sh"];
    disallowed.extend(
        executables
            .map(|value| InvalidField::new("filename", value, "must not be an executable file")),
    );

    disallowed
}

#[stack_test]
async fn invalid_presign_reports_all_errors_and_queues_no_check(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let foreign = other.upload_config("foreign").await.id;
    let before = stack.dump().await;
    let presign = |body: Value| acme.post("/upload/presign", body);

    let required = |field: &&str| ((*field).to_owned(), field_error(field, "is required"));
    let all_required: Map<String, Value> = REQUIRED.iter().map(required).collect();
    let errors = presign(json!({})).await.expect_error(422);
    assert_eq!(errors, Value::Object(all_required));

    for field in REQUIRED {
        for blank in [json!(null), json!(""), json!("  ")] {
            let body = presign_body(acme, json!({field: blank}));
            let errors = presign(body).await.expect_error(422);
            assert_eq!(errors, json!({field: field_error(field, "is required")}));
        }
    }

    let spaces = ["zzzzzz", "../x", UNKNOWN_ID, &acme.id, &other.handle];
    let configs = [
        "nope",
        UNKNOWN_ID,
        "../starter",
        "Starter",
        "foreign",
        &foreign,
    ];
    let mut cases = [malformed_fields(), disallowed_values()].concat();
    cases.extend(spaces.map(|space| InvalidField::new("space", space, "")));
    cases.extend(configs.map(|config| InvalidField::new("upload_config", config, "")));

    for case in cases {
        let field = case.field;
        let body = presign_body(acme, json!({field: case.value}));
        let errors = presign(body).await.expect_error(422);
        let expected = json!({field: field_error(field, case.error_end)});
        assert_eq!(errors, expected, "{field} {}", case.value);
    }

    let several = json!({"size": 0, "filename": "a.exe", "ref": 5, "upload_config": "nope", "folder_path": "a"});
    let errors = presign(presign_body(acme, several)).await.expect_error(422);
    let fields: Vec<&String> = errors.as_object().expect("an object").keys().collect();
    assert_eq!(
        fields,
        ["folder_id", "ref", "size", "upload_config"],
        "the name is validated only against an existing config"
    );

    // The end of the test asserts that no check is queued.
    stack
        .dump()
        .await
        .assert_unchanged(&before, "rejected presign requests");
}

/// Returns fields of a request, and fields of the record.
fn accepted_fields(acme: &TestSpace, config: &str) -> Vec<(Value, Value)> {
    let long = "é".repeat(255);
    let long_type = format!("application/{}", "x".repeat(88));

    vec![
        (json!({"filename": long}), json!({"original_name": long})),
        (
            json!({"filename": "../../C:\\me.jpg"}),
            json!({"original_name": "me.jpg"}),
        ),
        (
            json!({"filename": "no extension"}),
            json!({"original_name": "no extension", "extension": "bin"}),
        ),
        (
            json!({"content_type": long_type}),
            json!({"mime_type": long_type}),
        ),
        (
            json!({"content_type": "text/plain; charset=utf-8"}),
            json!({"mime_type": "text/plain"}),
        ),
        (
            json!({"content_type": "IMAGE/JPEG"}),
            json!({"mime_type": "image/jpeg"}),
        ),
        (json!({"size": 1}), json!({"size": 1})),
        (
            json!({"size": MAX_FILE_BYTES}),
            json!({"size": MAX_FILE_BYTES}),
        ),
        (
            json!({"ref": "x".repeat(255)}),
            json!({"ref": "x".repeat(255)}),
        ),
        (
            json!({"ref": null, "upload_config": null, "extra": 1}),
            json!({"ref": null, "tags": []}),
        ),
        (
            json!({"space": format!(" {} ", acme.handle)}),
            json!({"space_id": acme.id}),
        ),
        (
            json!({"upload_config": "second"}),
            json!({"upload_config_id": config, "tags": ["a"]}),
        ),
        (
            json!({"upload_config": config.to_lowercase()}),
            json!({"upload_config_id": config, "tags": ["a"]}),
        ),
    ]
}

#[stack_test]
async fn presign_accepts_values_at_their_bounds(stack: &Stack, acme: &TestSpace) {
    let id = acme
        .upload_config("second")
        .with_settings(json!({"metadata": {"tags": ["a"]}}))
        .await
        .id;

    for (fields, stored) in accepted_fields(acme, &id) {
        let pending_file = PendingFile::create(acme, fields.clone()).await;
        let pending = acme.get_ok(&pending_file.address()).await;
        assert_eq!(pending["status"], "pending");
        for (field, value) in stored.as_object().expect("an object") {
            assert_eq!(&pending[field], value, "{fields}");
        }
        let declared_type = presign_body(acme, fields)["content_type"].clone();
        assert_eq!(
            pending_file.response["headers"],
            json!({"content-type": declared_type})
        );
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn presign_rejects_declared_values_that_break_config(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("small")
        .with_settings(json!({"validation": {"max_file_size": 10}}))
        .await;
    acme.upload_config("executables")
        .with_settings(json!({"validation": {"allowed_formats": ["exe"]}}))
        .await;

    let signed = acme.upload_config("signed");
    signed.with(json!({"is_signed": true})).await;

    let too_large = json!({"upload_config": "small", "size": 11, "filename": "a.exe"});
    let errors = acme
        .post_err(422, "/upload/presign", presign_body(acme, too_large))
        .await;
    let size = field_error("size", "must not be greater than 10 bytes");
    assert_eq!(
        errors,
        json!({"size": size, "filename": field_error("filename", "must not be an executable file")})
    );

    PendingFile::create(acme, json!({"upload_config": "small", "size": 10})).await;
    PendingFile::create(
        acme,
        json!({"upload_config": "executables", "filename": "setup.exe"}),
    )
    .await;

    // A config for signed uploads accepts presign requests with a key.
    let pending_file = PendingFile::create(acme, json!({"upload_config": "signed"})).await;
    pending_file.send(stack, PHOTO).await.expect_status(200);
    assert_eq!(
        pending_file.confirm(&acme.client).await.expect_ok()["status"],
        "active"
    );

    let directly = acme.upload(PHOTO).with_config("signed");
    directly.send().await.expect_error(403);
    stack.run_confirm_checks().await;
}
