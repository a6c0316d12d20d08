//! Upload configs: validation of requests.

use serde_json::{Value, json};
use tests::{TestSpace, stack_test};

#[stack_test]
async fn restrictions_of_a_config_with_unsigned_uploads_cannot_be_cleared(acme: &TestSpace) {
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true});
    let required = json!({"unsigned_restrictions": ["The unsigned restrictions field is required when allow unsigned is true."]});
    let body = json!({"space_id": acme.id, "name": "web", "allow_unsigned": true, "unsigned_restrictions": null});
    assert_eq!(acme.post_err(422, "/upload-configs", body).await, required);

    let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    let id = acme.upload_config("web").with(unsigned).await.id;

    let clear = json!({"id": id, "unsigned_restrictions": null});
    assert_eq!(
        acme.post_err(422, "/upload-configs/update", clear).await,
        required
    );

    let close = json!({"id": id, "allow_unsigned": false, "unsigned_restrictions": null});
    let closed = acme.post_ok("/upload-configs/update", close).await;
    assert_eq!(closed["unsigned_restrictions"], Value::Null);
}

/// The errors of [`invalid_request`]: field and message.
const ERRORS: [(&str, &str); 22] = [
    (
        "name",
        "The name field must consist of letters, digits, _ and -.",
    ),
    (
        "allow_unsigned",
        "The allow unsigned field must be false when `is_signed` is true.",
    ),
    ("delivery_type", "The selected delivery type is invalid."),
    (
        "unsigned_restrictions.allowed_referrers",
        "The unsigned restrictions.allowed referrers field is required.",
    ),
    (
        "unsigned_restrictions.require_https",
        "The unsigned restrictions.require https field is required.",
    ),
    (
        "unsigned_restrictions.max_uploads_per_hour",
        "The unsigned restrictions.max uploads per hour field must not be greater than 1000.",
    ),
    ("config.extra", "The config.extra field is not supported."),
    (
        "config.storage.folder",
        "The config.storage.folder field must not contain the names . and .., or control characters.",
    ),
    (
        "config.storage.generate_filename",
        "The config.storage.generate filename field must be true or false.",
    ),
    (
        "config.storage.odd",
        "The config.storage.odd field is not supported.",
    ),
    (
        "config.validation.allowed_formats.0",
        "The config.validation.allowed formats.0 field must be an extension of letters and digits, such as jpg.",
    ),
    (
        "config.validation.allowed_formats.1",
        "The config.validation.allowed formats.1 field must be a string.",
    ),
    (
        "config.validation.max_file_size",
        "The config.validation.max file size field must be at least 1.",
    ),
    (
        "config.validation.max_image_width",
        "The config.validation.max image width field must be at least 20.",
    ),
    (
        "config.transformations.upload_quality",
        "The config.transformations.upload quality field must not be greater than 100.",
    ),
    (
        "config.transformations.upload_format",
        "The selected config.transformations.upload format is invalid.",
    ),
    (
        "config.transformations.eager.0.width",
        "The config.transformations.eager.0.width field is required when height is not present.",
    ),
    (
        "config.transformations.eager.1.width",
        "The config.transformations.eager.1.width field must not be greater than 8192.",
    ),
    (
        "config.transformations.eager.1.crop",
        "The selected config.transformations.eager.1.crop is invalid.",
    ),
    (
        "config.metadata.tags.0",
        "The config.metadata.tags.0 field is required.",
    ),
    (
        "config.notifications.webhook_url",
        "The config.notifications.webhook url field must be an https URL.",
    ),
    (
        "config.notifications.events.0",
        "The selected config.notifications.events.0 is invalid.",
    ),
];

fn invalid_request(space_id: &str) -> Value {
    json!({
        "space_id": space_id, "name": "a b", "is_signed": true, "allow_unsigned": true, "delivery_type": "public",
        "unsigned_restrictions": {"allowed_referrers": [], "max_uploads_per_hour": 1001},
        "config": {
            "extra": 1,
            "storage": {"folder": "a/../b", "generate_filename": "yes", "odd": 1},
            "validation": {"allowed_formats": ["a b", 1], "max_file_size": 0, "min_image_width": 20, "max_image_width": 10},
            "transformations": {"upload_quality": 101, "upload_format": "bmp", "eager": [{}, {"width": 9000, "crop": "stretch"}]},
            "metadata": {"tags": [""]},
            "notifications": {"webhook_url": "http://example.com", "events": ["file.moved"]},
        },
    })
}

#[stack_test]
async fn invalid_config_reports_all_errors(acme: &TestSpace) {
    let errors = acme
        .post_err(422, "/upload-configs", invalid_request(&acme.id))
        .await;

    for (field, message) in ERRORS {
        assert_eq!(errors[field], json!([message]), "{field}");
    }

    assert_eq!(
        errors.as_object().map(serde_json::Map::len),
        Some(ERRORS.len()),
        "{errors}"
    );

    let without_restrictions = json!({"space_id": acme.id, "name": "open", "allow_unsigned": true});
    let errors = acme
        .post_err(422, "/upload-configs", without_restrictions)
        .await;
    assert_eq!(
        errors,
        json!({"unsigned_restrictions": ["The unsigned restrictions field is required when allow unsigned is true."]})
    );
}
