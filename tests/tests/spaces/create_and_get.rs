//! `POST /spaces` and `GET /spaces/:id`.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Stack, assert_fields, rows, stack_test, text};

#[stack_test]
async fn space_is_created_with_defaults(stack: &Stack) {
    let account = stack.account();
    let body = json!({"name": " Acme ", "description": "Photos\nand more", "extra": 1});
    let created = account.create("/spaces", body).await;
    for id in [text(&created["id"]), text(&created["id"]).to_lowercase()] {
        let record = account.get_ok(&format!("/spaces/{id}")).await;
        assert_eq!(record, created);
    }

    let handle = text(&created["handle"]);
    assert_eq!(handle.len(), 6);
    assert!(handle.as_bytes()[0].is_ascii_lowercase(), "{handle}");
    for field in ["id", "active_upload_config_id"] {
        assert_eq!(text(&created[field]).len(), 26, "{field}");
    }
    let created_at = text(&created["created_at"]);
    assert!(created_at.len() == 24 && created_at.ends_with('Z'));

    let expected = json!({
        "name": "Acme", "description": "Photos\nand more", "enabled": true, "folder_mode": "dynamic",
        "custom_domain": null, "webhook_url": null, "updated_at": created_at, "role": "owner",
        "access_control": {"requires_auth": false, "public_read": true},
        "security": {"watermark": {"enabled": false, "url": null, "file_id": null, "position": "southeast", "opacity": 0.5}, "transformations": "any"},
    });
    assert_fields(&created, expected);
}

#[stack_test]
async fn space_is_created_with_every_optional_field(stack: &Stack) {
    let body = json!({
        "name": "Acme", "folder_mode": "fixed", "enabled": false, "custom_domain": "Assets.Example.COM",
        "webhook_url": "https://example.com/hook",
    });
    let created = stack.account().create("/spaces", body).await;

    let expected = json!({
        "folder_mode": "fixed", "enabled": false, "custom_domain": "assets.example.com",
        "webhook_url": "https://example.com/hook",
    });
    assert_fields(&created, expected);
}

#[stack_test]
async fn names_are_unique_ignoring_case_and_concurrently(stack: &Stack) {
    let account = stack.account();
    let attempts = (0..50).map(|index| {
        let name = if index % 2 == 0 { "Ärger" } else { "äRGER" };
        account.post("/spaces", json!({ "name": name }))
    });
    let responses = join_all(attempts).await;
    let (created, rejected): (Vec<_>, Vec<_>) = responses
        .into_iter()
        .partition(|response| response.status == 201);

    assert_eq!(created.len(), 1);
    let taken = json!({"name": ["The name has already been taken."]});
    for response in rejected {
        assert_eq!(response.expect_error(422), taken);
    }
}

/// Returns invalid requests and their errors.
fn invalid_requests() -> Vec<(Value, Value)> {
    rows(json!([
        [{}, {"name": ["The name field is required."]}],
        [{"name": "  "}, {"name": ["The name field is required."]}],
        [{"name": null}, {"name": ["The name field is required."]}],
        [{"name": "é".repeat(256)}, {"name": ["The name field must not be greater than 255 characters."]}],
        [{"name": "a\u{0}b"}, {"name": ["The name field must not contain control characters."]}],
        [{"name": ["x"], "description": 5, "folder_mode": "other"}, {
            "name": ["The name field must be a string."],
            "description": ["The description field must be a string."],
            "folder_mode": ["The selected folder mode is invalid."],
        }],
        [{"name": "x", "enabled": 1, "custom_domain": "localhost", "webhook_url": "http://example.com"}, {
            "enabled": ["The enabled field must be true or false."],
            "custom_domain": ["The custom domain field must be a public host name, such as assets.example.com."],
            "webhook_url": ["The webhook url field must be an https URL."],
        }],
    ]))
}

#[stack_test]
async fn invalid_space_reports_all_errors(stack: &Stack) {
    let account = stack.account();
    for (body, expected) in invalid_requests() {
        let errors = account.post_err(422, "/spaces", &body).await;
        assert_eq!(errors, expected, "{body}");
    }

    let longest = json!({"name": "é".repeat(255), "folder_mode": "fixed"});
    account.create("/spaces", longest).await;
}
