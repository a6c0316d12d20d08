//! `POST /spaces` and `GET /spaces/:id`.

use futures::future::join_all;
use serde_json::json;
use tests::{Stack, TestSpace, stack_test};

#[stack_test]
async fn space_is_created_with_defaults(stack: &Stack) {
    let account = stack.account();
    let created = account
        .create(
            "/spaces",
            json!({"name": " Acme ", "description": "Photos\nand more", "extra": 1}),
        )
        .await;
    let record = account
        .get_ok(&format!(
            "/spaces/{}",
            created["id"].as_str().expect("an id")
        ))
        .await;
    assert_eq!(created, record);

    let handle = created["handle"].as_str().expect("a handle");
    assert!(
        handle.len() == 6 && handle.as_bytes()[0].is_ascii_lowercase(),
        "{handle}"
    );

    for field in ["id", "active_upload_config_id"] {
        assert_eq!(created[field].as_str().map(str::len), Some(26), "{field}");
    }

    assert_eq!(created["created_at"], created["updated_at"]);
    assert!(
        created["created_at"]
            .as_str()
            .is_some_and(|at| at.len() == 24 && at.ends_with('Z'))
    );

    let fixed = json!({
        "name": "Acme", "description": "Photos\nand more", "enabled": true, "folder_mode": "dynamic",
        "custom_domain": null, "webhook_url": null,
        "access_control": {"requires_auth": false, "public_read": true},
        "security": {"watermark": {"enabled": false, "url": null, "position": "southeast", "opacity": 0.5}, "transformations": "any"},
    });

    for (field, value) in fixed.as_object().expect("an object") {
        assert_eq!(&created[field], value, "{field}");
    }
}

#[stack_test]
async fn space_is_created_with_every_optional_field(stack: &Stack) {
    let account = stack.account();
    let body = json!({
        "name": "Acme", "folder_mode": "fixed", "enabled": false, "custom_domain": "Assets.Example.COM",
        "webhook_url": "https://example.com/hook",
    });

    let created = account.create("/spaces", body).await;

    let expected = json!({
        "folder_mode": "fixed", "enabled": false, "custom_domain": "assets.example.com",
        "webhook_url": "https://example.com/hook",
    });

    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(&created[field], value, "{field}");
    }

    let invalid = json!({"name": "Other", "enabled": 1, "custom_domain": "localhost", "webhook_url": "http://example.com"});
    let errors = account.post_err(422, "/spaces", invalid).await;
    let fields: Vec<&String> = errors.as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["custom_domain", "enabled", "webhook_url"]);
}

#[stack_test]
async fn id_is_case_insensitive(acme: &TestSpace) {
    let record = acme
        .get_ok(&format!("/spaces/{}", acme.id.to_lowercase()))
        .await;
    assert_eq!(record["id"], acme.id);
}

#[stack_test]
async fn names_are_unique_ignoring_case_and_concurrently(stack: &Stack) {
    let account = stack.account();
    let attempts = (0..50).map(|index| {
        let name = if index % 2 == 0 { "Ärger" } else { "äRGER" };
        account.post("/spaces", json!({ "name": name }))
    });
    let responses = join_all(attempts).await;

    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status == 201)
            .count(),
        1
    );

    for response in responses
        .into_iter()
        .filter(|response| response.status != 201)
    {
        assert_eq!(
            response.expect_error(422),
            json!({"name": ["The name has already been taken."]})
        );
    }
}

#[stack_test]
async fn invalid_space_reports_all_errors(stack: &Stack) {
    let account = stack.account();
    for (body, errors) in [
        (json!({}), json!({"name": ["The name field is required."]})),
        (
            json!({"name": "  "}),
            json!({"name": ["The name field is required."]}),
        ),
        (
            json!({"name": null}),
            json!({"name": ["The name field is required."]}),
        ),
        (
            json!({"name": ["x"], "description": 5, "folder_mode": "other"}),
            json!({
                "name": ["The name field must be a string."],
                "description": ["The description field must be a string."],
                "folder_mode": ["The selected folder mode is invalid."],
            }),
        ),
        (
            json!({"name": "é".repeat(256)}),
            json!({"name": ["The name field must not be greater than 255 characters."]}),
        ),
        (
            json!({"name": "a\u{0}b"}),
            json!({"name": ["The name field must not contain control characters."]}),
        ),
    ] {
        assert_eq!(
            account.post_err(422, "/spaces", body.clone()).await,
            errors,
            "{body}"
        );
    }

    account
        .create(
            "/spaces",
            json!({"name": "é".repeat(255), "folder_mode": "fixed"}),
        )
        .await;
}

#[stack_test]
async fn space_key_cannot_create_spaces(acme: &TestSpace) {
    acme.post_err(403, "/spaces", json!({"name": "Other"}))
        .await;
}
