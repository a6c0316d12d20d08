//! `PUT` and `DELETE /spaces/:id/security`.

use serde_json::{Value, json};
use tests::{Stack, TestSpace, seconds, stack_test};

use crate::support::image_server::{ImageServer, logo};

/// Returns the watermark of a new space.
fn default_watermark() -> Value {
    json!({"enabled": false, "url": null, "position": "southeast", "opacity": 0.5})
}

/// Returns watermarks of requests, and how the stored watermarks differ from the default.
fn watermarks(url: &str) -> Vec<(Value, Value)> {
    let mut cases = vec![
        (
            json!({"enabled": true, "url": url, "position": "north", "opacity": 1}),
            json!({"enabled": true, "url": url, "position": "north", "opacity": 1.0}),
        ),
        (
            json!({"enabled": true, "url": url}),
            json!({"enabled": true, "url": url}),
        ),
        (json!({"opacity": 0.001}), json!({"opacity": 0.001})),
        // Tiny values are raised to a minimum that DynamoDB can store.
        (json!({"opacity": 1e-130}), json!({"opacity": 1e-6})),
        (json!({"opacity": 5e-324}), json!({"opacity": 1e-6})),
        (json!({"url": url, "enabled": false}), json!({"url": url})),
        (
            json!({"url": null, "position": null, "opacity": null}),
            json!({}),
        ),
        (json!({}), json!({})),
        (json!(null), json!({})),
    ];
    let positions = [
        "northwest",
        "north",
        "northeast",
        "west",
        "center",
        "east",
        "southwest",
        "south",
        "southeast",
    ];
    cases.extend(
        positions.map(|position| (json!({"position": position}), json!({"position": position}))),
    );

    cases
}

#[stack_test]
async fn put_replaces_security_and_absent_fields_take_defaults(stack: &Stack, acme: &TestSpace) {
    let path = format!("/spaces/{}/security", acme.id);
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let url = server.url();
    for (given, differences) in watermarks(url) {
        stack.clock.advance(seconds(1));
        let mut expected = default_watermark();
        for (field, value) in differences.as_object().expect("an object") {
            expected[field] = value.clone();
        }
        let updated = acme
            .put_ok(&path, json!({"security": {"watermark": given}}))
            .await;
        assert_eq!(
            updated["security"],
            json!({"watermark": expected, "transformations": "any"}),
            "{given}"
        );
        assert_eq!(acme.get_ok(&acme.path()).await, updated, "{given}");
    }

    acme.put_ok(
        &path,
        json!({"security": {"watermark": {"enabled": true, "url": url}}}),
    )
    .await;

    let emptied = acme.put_ok(&path, json!({"security": {}})).await;
    assert_eq!(
        emptied["security"],
        json!({"watermark": default_watermark(), "transformations": "any"})
    );

    acme.put_ok(
        &path,
        json!({"security": {"watermark": {"enabled": true, "url": url}}}),
    )
    .await;

    let reset = acme.delete(&path).await.expect_ok();
    assert_eq!(
        reset["security"],
        json!({"watermark": default_watermark(), "transformations": "any"})
    );
    assert_eq!(acme.get_ok(&acme.path()).await, reset);
}

/// Returns malformed requests and their errors.
fn malformed_requests() -> Vec<(Value, Value)> {
    vec![
        (
            json!({}),
            json!({"security": ["The security field is required."]}),
        ),
        (
            json!({"security": null}),
            json!({"security": ["The security field is required."]}),
        ),
        (
            json!({"security": [1]}),
            json!({"security": ["The security field must be an object."]}),
        ),
        (
            json!({"security": {"watermark": true}}),
            json!({"security.watermark": ["The security.watermark field must be an object."]}),
        ),
        (
            json!({"security": {"hotlinking": {}, "watermark": {"size": 3, "opacity": 2}}}),
            json!({
                "security.hotlinking": ["The security.hotlinking field is not supported."],
                "security.watermark.size": ["The security.watermark.size field is not supported."],
                "security.watermark.opacity": ["The security.watermark.opacity field must not be greater than 1."],
            }),
        ),
    ]
}

/// Returns requests with invalid watermarks and their errors.
fn invalid_watermarks() -> Vec<(Value, Value)> {
    let watermark = |value: Value| json!({"security": {"watermark": value}});
    let error =
        |field: &str, message: &str| json!({format!("security.watermark.{field}"): [message]});
    let required =
        "The security.watermark.url field is required when security.watermark.enabled is true.";

    vec![
        (watermark(json!({"enabled": true})), error("url", required)),
        (
            watermark(json!({"enabled": true, "url": null})),
            error("url", required),
        ),
        (
            watermark(json!({"enabled": true, "url": " "})),
            error("url", required),
        ),
        (
            watermark(json!({"enabled": true, "url": "http://example.com/logo.png"})),
            error(
                "url",
                "The security.watermark.url field must be an https URL.",
            ),
        ),
        (
            watermark(json!({"url": "https://10.0.0.1/logo.png"})),
            error(
                "url",
                "The security.watermark.url field must be the URL of a public host.",
            ),
        ),
        (
            watermark(json!({"enabled": null, "url": 1, "position": "middle", "opacity": 0})),
            json!({
                "security.watermark.enabled": ["The security.watermark.enabled field must be true or false."],
                "security.watermark.url": ["The security.watermark.url field must be a string."],
                "security.watermark.position": ["The selected security.watermark.position is invalid."],
                "security.watermark.opacity": ["The security.watermark.opacity field must be greater than 0."],
            }),
        ),
        (
            watermark(json!({"opacity": -0.1})),
            error(
                "opacity",
                "The security.watermark.opacity field must be greater than 0.",
            ),
        ),
        (
            watermark(json!({"opacity": "0.5"})),
            error(
                "opacity",
                "The security.watermark.opacity field must be a number.",
            ),
        ),
    ]
}

#[stack_test]
async fn invalid_watermark_reports_all_errors_by_full_field_name(acme: &TestSpace) {
    let path = format!("/spaces/{}/security", acme.id);
    let before = acme.get_ok(&acme.path()).await;

    for (body, errors) in [malformed_requests(), invalid_watermarks()].concat() {
        assert_eq!(
            acme.put_err(422, &path, body.clone()).await,
            errors,
            "{body}"
        );
    }

    assert_eq!(acme.get_ok(&acme.path()).await, before);
}
