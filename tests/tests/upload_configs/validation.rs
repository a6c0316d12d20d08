//! Upload configs: validation of requests.

use serde_json::{Value, json};
use tests::{TestSpace, stack_test};

#[stack_test]
async fn restrictions_of_a_config_with_unsigned_uploads_cannot_be_cleared(acme: &TestSpace) {
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true});
    let message = "The unsigned restrictions field is required when allow unsigned is true.";
    let required = json!({"unsigned_restrictions": [message]});
    for body in [
        json!({"space_id": acme.id, "name": "web", "allow_unsigned": true}),
        json!({"space_id": acme.id, "name": "web", "allow_unsigned": true, "unsigned_restrictions": null}),
    ] {
        assert_eq!(acme.post_err(422, "/upload-configs", body).await, required);
    }

    let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    let id = acme.upload_config("web").with(unsigned).await.id;

    let clear = json!({"id": id, "unsigned_restrictions": null});
    let errors = acme.post_err(422, "/upload-configs/update", clear).await;
    assert_eq!(errors, required);

    let close = json!({"allow_unsigned": false, "unsigned_restrictions": null});
    let closed = acme.update_upload_config(&id, close).await;
    assert_eq!(closed["unsigned_restrictions"], Value::Null);
}

/// The errors of [`invalid_request`]: field and end of the message, which is empty for a value that cannot be selected.
const ERRORS: [(&str, &str); 22] = [
    ("name", "must consist of letters, digits, _ and -"),
    ("allow_unsigned", "must be false when `is_signed` is true"),
    ("delivery_type", ""),
    ("unsigned_restrictions.allowed_referrers", "is required"),
    ("unsigned_restrictions.require_https", "is required"),
    (
        "unsigned_restrictions.max_uploads_per_hour",
        "must not be greater than 1000",
    ),
    ("config.extra", "is not supported"),
    (
        "config.storage.folder",
        "must not contain the names . and .., or control characters",
    ),
    ("config.storage.generate_filename", "must be true or false"),
    ("config.storage.odd", "is not supported"),
    (
        "config.validation.allowed_formats.0",
        "must be an extension of letters and digits, such as jpg",
    ),
    ("config.validation.allowed_formats.1", "must be a string"),
    ("config.validation.max_file_size", "must be at least 1"),
    ("config.validation.max_image_width", "must be at least 20"),
    (
        "config.transformations.upload_quality",
        "must not be greater than 100",
    ),
    ("config.transformations.upload_format", ""),
    (
        "config.transformations.eager.0.width",
        "is required when height is not present",
    ),
    (
        "config.transformations.eager.1.width",
        "must not be greater than 8192",
    ),
    ("config.transformations.eager.1.crop", ""),
    ("config.metadata.tags.0", "is required"),
    ("config.notifications.webhook_url", "must be an https URL"),
    ("config.notifications.events.0", ""),
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
    let body = invalid_request(&acme.id);
    let errors = acme.post_err(422, "/upload-configs", body).await;

    let expected = ERRORS.map(|(field, end)| {
        let name = field.replace('_', " ");
        let message = match end {
            "" => format!("The selected {name} is invalid."),
            _ => format!("The {name} field {end}."),
        };
        (field.to_owned(), json!([message]))
    });
    assert_eq!(errors, Value::Object(expected.into_iter().collect()));
}
