//! `/spaces/:id/api-keys`.

use std::time::Duration;

use domain::Timestamp;
use serde_json::json;
use tests::{Stack, TestSpace, assert_fields, column, seconds, stack_test, text};

#[stack_test]
async fn key_is_returned_once_and_works_until_revoked(stack: &Stack, acme: &TestSpace) {
    let path = acme.keys_path();
    let web = acme.create_key("web").role("viewer").await;
    let secret = text(&web.record["key"]);
    assert!(secret.starts_with("sk_") && secret.len() == 49, "{secret}");
    let expected = json!({
        "type": "space", "space_id": acme.id, "is_active": true, "last_four": secret.get(45..),
    });
    assert_fields(&web.record, expected);
    web.client.get_ok(&acme.path()).await;

    let listed = acme.get_ok(&path).await;
    assert!(!listed.to_string().contains(&secret));
    assert_eq!(column(&listed, "id"), [web.id, acme.key_id]);
    assert_eq!(listed[0]["last_used_at"], listed[0]["created_at"]);

    for _ in 0..2 {
        acme.delete_ok(web.path()).await.expect_body("");
        stack.clock.advance(seconds(1));
    }
    web.client.get_err(401, &acme.path()).await;
    // Revoked keys stay listed, and the second revocation changes nothing.
    let revoked = acme.get_ok(&path).await[0].clone();
    let expected = json!({"is_active": false, "updated_at": web.record["updated_at"]});
    assert_fields(&revoked, expected);
}

#[stack_test]
async fn key_expires(stack: &Stack, acme: &TestSpace) {
    let path = acme.keys_path();
    let now = stack.now();
    let expires_at = now.plus_ms(600_000).rfc3339();
    let short = acme.create_key("short").expiring_at(&expires_at).await;
    assert_eq!(short.record["expires_at"], expires_at);

    stack.clock.advance(Duration::from_millis(599_999));
    short.client.get_ok(&acme.path()).await;
    stack.clock.advance(Duration::from_millis(1));
    short.client.get_err(401, &acme.path()).await;

    let listed = acme.get_ok(&path).await;
    assert_eq!(column(&listed, "is_active"), [false, true]);
    for invalid in [json!(now.rfc3339()), json!("tomorrow"), json!(5)] {
        let body = json!({"name": "x", "expires_at": invalid});
        let errors = acme.post_err(422, &path, body).await;
        assert!(errors["expires_at"][0].is_string(), "{invalid}: {errors}");
    }
}

#[stack_test]
async fn key_defaults_to_role_of_creator(stack: &Stack, acme: &TestSpace) {
    let path = acme.keys_path();

    for creator in [&acme.client, &stack.account()] {
        for (given, role) in [
            (json!({"name": "x"}), "owner"),
            (json!({"name": "x", "role": null}), "owner"),
            (json!({"name": "x", "role": "viewer"}), "viewer"),
            (json!({"name": "x", "role": "user"}), "user"),
            (json!({"name": "x", "role": "admin"}), "admin"),
            (json!({"name": "x", "role": "owner"}), "owner"),
        ] {
            let created = creator.create(&path, given).await;
            let expected = json!({"role": role, "expires_at": null, "last_used_at": null});
            assert_fields(&created, expected);

            // Only owners create keys, so no key has a higher role than its creator.
            let key = stack.anonymous.with_key(&text(&created["key"]));
            let status = if role == "owner" { 201 } else { 403 };
            let response = key.post(&path, json!({"name": "y"})).await;
            response.expect_status(status);
        }
    }
}

#[stack_test]
async fn last_used_at_has_minute_precision(stack: &Stack, acme: &TestSpace) {
    let last_used = async || {
        let list = acme.get_ok(&acme.keys_path()).await;
        let time = Timestamp::parse_rfc3339(&text(&list[0]["last_used_at"]));
        time.expect("RFC 3339").ms()
    };

    let first = last_used().await;
    stack.clock.advance(seconds(59));
    assert_eq!(last_used().await, first);

    stack.clock.advance(seconds(1));
    assert_eq!(last_used().await, first + 60_000);
}

#[stack_test]
async fn invalid_key_reports_all_errors(acme: &TestSpace) {
    let body = json!({"name": 1, "role": "emperor", "expires_at": "never"});
    let errors = acme.post_err(422, &acme.keys_path(), body).await;
    let expected = json!({
        "name": ["The name field must be a string."],
        "role": ["The selected role is invalid."],
        "expires_at": ["The expires at field must be a valid date."],
    });

    assert_eq!(errors, expected);
}
