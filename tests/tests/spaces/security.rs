//! `PUT` and `DELETE /spaces/:id/security`.

use serde_json::{Value, json};
use tests::{Stack, TestSpace, merged, rows, seconds, stack_test};

use crate::support::image_server::{ImageServer, logo};

/// Positions of a watermark.
const POSITIONS: [&str; 9] = [
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

/// Returns the security of a space, with fields of its watermark that differ from the default.
fn security_with(differences: Value) -> Value {
    let default = json!({"enabled": false, "url": null, "position": "southeast", "opacity": 0.5});
    json!({"watermark": merged(default, differences), "transformations": "any"})
}

/// Returns watermarks of requests, and how the stored watermarks differ from the default.
fn watermarks(url: &str) -> Vec<(Value, Value)> {
    let mut cases = rows(json!([
        [
            {"enabled": true, "url": url, "position": "north", "opacity": 1},
            {"enabled": true, "url": url, "position": "north", "opacity": 1.0},
        ],
        [{"enabled": true, "url": url}, {"enabled": true, "url": url}],
        [{"opacity": 0.001}, {"opacity": 0.001}],
        // Tiny values are raised to a minimum that DynamoDB can store.
        [{"opacity": 1e-130}, {"opacity": 1e-6}],
        [{"opacity": 5e-324}, {"opacity": 1e-6}],
        [{"url": url, "enabled": false}, {"url": url}],
        [{"url": null, "position": null, "opacity": null}, {}],
        [{}, {}],
        [null, {}],
    ]));
    let position = |name| (json!({ "position": name }), json!({ "position": name }));
    cases.extend(POSITIONS.map(position));
    cases
}

#[stack_test]
async fn put_replaces_security_and_absent_fields_take_defaults(stack: &Stack, acme: &TestSpace) {
    let space = acme.path();
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    for (given, differences) in watermarks(server.url()) {
        stack.clock.advance(seconds(1));
        let updated = acme
            .set_security(&space, json!({ "watermark": given }))
            .await;

        assert_eq!(updated["security"], security_with(differences), "{given}");
        assert_eq!(acme.get_ok(&space).await, updated, "{given}");
    }

    for emptied in [json!({}), Value::Null] {
        let watermark = json!({"watermark": {"enabled": true, "url": server.url()}});
        acme.set_security(&space, watermark).await;
        let updated = acme.set_security(&space, emptied).await;

        assert_eq!(updated["security"], security_with(json!({})));
        assert_eq!(acme.get_ok(&space).await, updated);
    }
}

/// Returns invalid values of `security`, and the messages by the name of the field below it.
fn invalid_security() -> Vec<(Value, Value)> {
    rows(json!([
        [null, {"": "is required"}],
        [[1], {"": "must be an object"}],
        [{"watermark": true}, {".watermark": "must be an object"}],
        [{"hotlinking": {}, "watermark": {"size": 3, "opacity": 2}}, {
            ".hotlinking": "is not supported",
            ".watermark.size": "is not supported",
            ".watermark.opacity": "must not be greater than 1",
        }],
        [{"watermark": {"enabled": true}}, {".watermark.url": "is required when security.watermark.enabled is true"}],
        [{"watermark": {"enabled": true, "url": null}}, {".watermark.url": "is required when security.watermark.enabled is true"}],
        [{"watermark": {"enabled": true, "url": " "}}, {".watermark.url": "is required when security.watermark.enabled is true"}],
        [{"watermark": {"enabled": true, "url": "http://example.com/logo.png"}}, {".watermark.url": "must be an https URL"}],
        [{"watermark": {"url": "https://10.0.0.1/logo.png"}}, {".watermark.url": "must be the URL of a public host"}],
        [{"watermark": {"enabled": null, "url": 1, "opacity": 0}}, {
            ".watermark.enabled": "must be true or false",
            ".watermark.url": "must be a string",
            ".watermark.opacity": "must be greater than 0",
        }],
        [{"watermark": {"opacity": -0.1}}, {".watermark.opacity": "must be greater than 0"}],
        [{"watermark": {"opacity": "0.5"}}, {".watermark.opacity": "must be a number"}],
    ]))
}

#[stack_test]
async fn invalid_watermark_reports_all_errors_by_full_field_name(acme: &TestSpace) {
    let path = format!("{}/security", acme.path());
    let before = acme.get_ok(&acme.path()).await;

    for (security, reasons) in invalid_security() {
        let reasons = reasons.as_object().expect("an object").iter();
        let expected: Value = reasons
            .map(|(field, reason)| {
                let field = format!("security{field}");
                let message = format!("The {field} field {}.", reason.as_str().expect("a reason"));
                (field, json!([message]))
            })
            .collect();
        let body = json!({ "security": security });
        assert_eq!(acme.put_err(422, &path, body).await, expected, "{security}");
    }
    let unknown = json!({"security": {"watermark": {"position": "middle"}}});
    let errors = acme.put_err(422, &path, unknown).await;
    let message = "The selected security.watermark.position is invalid.";
    assert_eq!(errors, json!({"security.watermark.position": [message]}));
    acme.put_err(422, &path, json!({})).await;

    assert_eq!(acme.get_ok(&acme.path()).await, before);
}
