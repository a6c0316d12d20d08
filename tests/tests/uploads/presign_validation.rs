//! `POST /upload/presign`: validation of the request, and of its declared values.

use serde_json::{Value, json};
use tests::{
    Stack, TestSpace, assert_fields, field_error, field_errors, field_names, rows, stack_test,
};

use super::presign::{PendingFile, presign_body};

/// Maximum size of a presigned upload: 5 GB.
const MAX_FILE_BYTES: u64 = 5 << 30;

const NOT_TYPE: &str = "must be a MIME type, such as image/jpeg";
const TOO_LARGE: &str = "must not be greater than 5368709120 bytes";
const TOO_LONG: &str = "must not be greater than 255 characters";
const LONG_TYPE: &str = "must not be greater than 100 characters";
const CONTROL: &str = "must not contain control characters";
const EXECUTABLE: &str = "must not be an executable file";

/// Returns invalid values of fields, and the ends of their error messages.
fn invalid_fields() -> Vec<(&'static str, Value, &'static str)> {
    let long_type = format!("image/{}", "x".repeat(95));
    let mut invalid = vec![
        ("filename", json!("x".repeat(256)), TOO_LONG),
        ("filename", json!("é".repeat(256)), TOO_LONG),
        ("content_type", json!(long_type), LONG_TYPE),
        ("size", json!(0), "must be at least 1"),
        ("size", json!(-1), "must be at least 1"),
        ("size", json!(MAX_FILE_BYTES + 1), TOO_LARGE),
        ("size", json!(u64::MAX), TOO_LARGE),
        ("size", json!("5"), "must be an integer"),
        ("ref", json!("x".repeat(256)), TOO_LONG),
        ("ref", json!("a\u{0}b"), CONTROL),
    ];

    for field in ["space", "filename", "content_type", "upload_config", "ref"] {
        invalid.push((field, json!(5), "must be a string"));
    }
    for field in ["space", "filename", "content_type", "size"] {
        invalid.extend([json!(null), json!("  ")].map(|blank| (field, blank, "is required")));
    }
    for name in ["setup.exe", "photo.jpg.EXE", "a.php.jpg", "run.sh"] {
        invalid.push(("filename", json!(name), EXECUTABLE));
    }

    let types = "image|image/|/jpeg|image jpeg|image/jp eg|image/é|image/*|*/*|image/a; b";
    let injected = "image/jpeg\r\nx-amz-acl: public-read";
    for malformed in types.split('|').chain([injected]) {
        invalid.push(("content_type", json!(malformed), NOT_TYPE));
    }

    invalid
}

#[stack_test]
async fn invalid_presign_reports_all_errors_and_queues_no_check(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let foreign = other.upload_config("foreign").await.id;
    let before = stack.dump().await;
    let errors = async |fields: Value| {
        let body = presign_body(acme, fields);
        acme.post_err(422, "/upload/presign", body).await
    };

    let unknown = [
        ("space", json!("zzzzzz"), ""),
        ("space", json!(acme.id), ""),
        ("space", json!(other.handle), ""),
        ("upload_config", json!("nope"), ""),
        ("upload_config", json!("Starter"), ""),
        ("upload_config", json!("foreign"), ""),
        ("upload_config", json!(foreign), ""),
    ];
    for (field, value, end) in invalid_fields().into_iter().chain(unknown) {
        let found = errors(json!({ field: value })).await;
        assert_eq!(found, field_error(field, end), "{value}");
    }

    // The name is validated only against an existing config.
    let several = json!({"size": 0, "filename": "a.exe", "ref": 5, "upload_config": "nope", "folder_path": "a"});
    let found = errors(several).await;
    let fields = ["folder_id", "ref", "size", "upload_config"];
    assert_eq!(field_names(&found), fields);

    // The end of the test asserts that no check is queued.
    stack.assert_unchanged(&before, "rejected requests").await;
}

/// Returns fields of a request, and fields of the record.
fn accepted_fields(acme: &TestSpace, config: &str) -> Vec<(Value, Value)> {
    let name = "é".repeat(255);
    let kind = format!("application/{}", "x".repeat(88));
    let reference = "x".repeat(255);
    let handle = format!(" {} ", acme.handle);

    rows(json!([
        [{"filename": name}, {"original_name": name}],
        [{"filename": "../../C:\\me.jpg"}, {"original_name": "me.jpg"}],
        [{"filename": "no extension"}, {"original_name": "no extension", "extension": "bin"}],
        [{"content_type": kind}, {"mime_type": kind}],
        [{"content_type": "text/plain; charset=utf-8"}, {"mime_type": "text/plain"}],
        [{"content_type": "IMAGE/JPEG"}, {"mime_type": "image/jpeg"}],
        [{"size": 1}, {"size": 1}],
        [{"size": MAX_FILE_BYTES}, {"size": MAX_FILE_BYTES}],
        [{"ref": reference}, {"ref": reference}],
        [{"ref": null, "upload_config": null, "extra": 1}, {"ref": null, "tags": []}],
        [{"space": handle}, {"space_id": acme.id}],
        [{"upload_config": "second"}, {"upload_config_id": config, "tags": ["a"]}],
        [{"upload_config": config.to_lowercase()}, {"upload_config_id": config, "tags": ["a"]}],
    ]))
}

#[stack_test]
async fn presign_accepts_values_at_their_bounds(stack: &Stack, acme: &TestSpace) {
    let settings = json!({"metadata": {"tags": ["a"]}});
    let config = acme.upload_config("second").with_settings(settings).await;

    for (fields, stored) in accepted_fields(acme, &config.id) {
        let declared = presign_body(acme, fields.clone())["content_type"].clone();
        let pending_file = PendingFile::create(acme, fields).await;
        let pending = acme.get_ok(&pending_file.address()).await;
        assert_eq!(pending["status"], "pending");
        assert_fields(&pending, stored);
        let headers = &pending_file.response["headers"];
        assert_eq!(*headers, json!({"content-type": declared}));
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn presign_rejects_declared_values_that_break_config(acme: &TestSpace) {
    let settings = json!({"validation": {"max_file_size": 10}});
    acme.upload_config("small").with_settings(settings).await;

    let too_large = json!({"upload_config": "small", "size": 11, "filename": "a.exe"});
    let body = presign_body(acme, too_large);
    let errors = acme.post_err(422, "/upload/presign", body).await;
    let too_large = ("size", "must not be greater than 10 bytes");
    assert_eq!(errors, field_errors([too_large, ("filename", EXECUTABLE)]));
}
