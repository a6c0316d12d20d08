//! `/spaces/:id/api-keys`.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{Stack, TestSpace, seconds, stack_test};

#[stack_test]
async fn key_is_returned_once_and_works_until_revoked(stack: &Stack, acme: &TestSpace) {
    let path = acme.keys_path();
    let created_key = acme
        .create(&path, json!({"name": "web", "role": "viewer"}))
        .await;
    let secret = created_key["key"].as_str().expect("a key");
    assert!(secret.starts_with("sk_") && secret.len() == 49, "{secret}");
    assert_eq!(created_key["last_four"].as_str(), secret.get(45..));

    for (field, value) in [
        ("type", json!("space")),
        ("space_id", json!(acme.id)),
        ("is_active", json!(true)),
    ] {
        assert_eq!(created_key[field], value, "{field}");
    }

    let web = acme.client.with_key(secret);
    web.get_ok(&acme.path()).await;
    let listed = acme.fetch(&path).await;
    assert!(
        !String::from_utf8_lossy(&listed.body).contains(secret),
        "lists contain no secrets"
    );

    let listed = listed.json();
    let keys = listed["data"].as_array().expect("a list");
    assert_eq!(
        keys.iter().map(|key| key["id"].clone()).collect::<Vec<_>>(),
        [created_key["id"].clone(), json!(acme.key_id)]
    );
    assert_eq!(
        keys[0]["last_used_at"], keys[0]["created_at"],
        "the clock is stopped"
    );

    let one = format!("{path}/{}", created_key["id"]);
    for _ in 0..2 {
        assert_eq!(acme.delete_ok(&one).await.body.len(), 0);
        stack.clock.advance(seconds(1));
    }

    web.get_err(401, &acme.path()).await;
    let after = acme.fetch(&path).await.json();
    assert_eq!(
        after["data"][0]["is_active"],
        json!(false),
        "revoked keys stay listed"
    );
    assert_eq!(
        after["data"][0]["updated_at"], created_key["updated_at"],
        "the second revocation changes nothing"
    );
}

#[stack_test]
async fn key_expires(stack: &Stack, acme: &TestSpace) {
    let path = acme.keys_path();
    let created = acme.get_ok(&acme.path()).await;
    let now = domain::Timestamp::parse_rfc3339(created["created_at"].as_str().expect("a date"))
        .expect("RFC 3339");
    let expires_at = now.plus_ms(600_000).rfc3339();
    let created_key = acme
        .create(&path, json!({"name": "short", "expires_at": expires_at}))
        .await;
    assert_eq!(created_key["expires_at"], json!(expires_at));

    let short = acme
        .client
        .with_key(created_key["key"].as_str().expect("a key"));

    stack.clock.advance(Duration::from_millis(599_999));
    short.get_ok(&acme.path()).await;
    stack.clock.advance(Duration::from_millis(1));
    short.get_err(401, &acme.path()).await;

    let listed = acme.fetch(&path).await.json();
    let active: Vec<_> = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|key| &key["is_active"])
        .collect();
    assert_eq!(
        active,
        [&json!(false), &json!(true)],
        "the expired key is listed as inactive"
    );

    for invalid in [json!(now.rfc3339()), json!("tomorrow"), json!(5)] {
        let errors = acme
            .post_err(422, &path, json!({"name": "x", "expires_at": invalid}))
            .await;
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
            let created_key = creator.create(&path, given).await;
            assert_eq!(
                (
                    &created_key["role"],
                    &created_key["expires_at"],
                    &created_key["last_used_at"]
                ),
                (&json!(role), &json!(null), &json!(null))
            );
            let key = stack
                .anonymous
                .with_key(created_key["key"].as_str().expect("a key"));
            // Only owners create keys, so no key has a higher role than its creator.
            key.post(&path, json!({"name": "y"}))
                .await
                .expect_status(if role == "owner" { 201 } else { 403 });
        }
    }
}

#[stack_test]
async fn last_used_at_has_minute_precision(stack: &Stack, acme: &TestSpace) {
    let last_used = || async {
        let list = acme.fetch(&acme.keys_path()).await.json();
        domain::Timestamp::parse_rfc3339(list["data"][0]["last_used_at"].as_str().expect("used"))
            .expect("RFC 3339")
            .ms()
    };

    let first = last_used().await;
    stack.clock.advance(seconds(59));
    assert_eq!(last_used().await, first);

    stack.clock.advance(seconds(1));
    assert_eq!(last_used().await, first + 60_000);
}

#[stack_test]
async fn key_paging_is_identical_in_both_directions(stack: &Stack, acme: &TestSpace) {
    let path = acme.keys_path();
    for index in 0..24 {
        acme.create(&path, json!({"name": format!("key {index}")}))
            .await;
    }

    let page = async |query: String| acme.fetch(&format!("{path}?limit=10{query}")).await.json();
    let ids = |page: &Value| {
        page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|key| key["id"].as_u64())
            .collect::<Vec<_>>()
    };
    let cursor = |value: &Value| format!("&cursor={}", value.as_str().expect("a cursor"));

    let first = page(String::new()).await;
    let second = page(cursor(&first["next_cursor"])).await;
    let third = page(cursor(&second["next_cursor"])).await;
    assert_eq!(
        (ids(&first).len(), ids(&second).len(), ids(&third).len()),
        (10, 10, 5)
    );
    assert!(
        [ids(&first), ids(&second), ids(&third)]
            .concat()
            .is_sorted_by(|newer, older| newer > older)
    );
    assert_eq!(
        (&first["prev_cursor"], &third["next_cursor"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (&first["per_page"], first["path"].as_str()),
        (&json!(10), Some(format!("/api/v1{path}").as_str()))
    );

    let back = page(cursor(&third["prev_cursor"])).await;
    assert_eq!(ids(&back), ids(&second));
    assert_eq!(ids(&page(cursor(&back["prev_cursor"])).await), ids(&first));
    assert_eq!(ids(&page(cursor(&back["next_cursor"])).await), ids(&third));

    let other = stack.space("Other").await;
    let foreign = cursor(&first["next_cursor"]);
    let errors = other
        .get_err(422, &format!("/spaces/{}/api-keys?{foreign}", other.id))
        .await;
    assert_eq!(
        errors,
        json!({"cursor": ["The selected cursor is invalid."]})
    );
}

#[stack_test]
async fn key_of_another_space_returns_404(acme: &TestSpace, other: &TestSpace) {
    for id in [
        other.key_id.to_string(),
        "999".to_owned(),
        "x".to_owned(),
        "-1".to_owned(),
    ] {
        acme.delete_err(404, &format!("/spaces/{}/api-keys/{id}", acme.id))
            .await;
    }

    other.get_ok(&other.path()).await;
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
