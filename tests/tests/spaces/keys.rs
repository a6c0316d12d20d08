//! `/account`, and the keys of accounts and spaces.

use std::time::Duration;

use domain::env::Timestamp;
use serde_json::{Value, json};
use tests::{
    Client, Stack, TestSpace, UNKNOWN_ID, assert_fields, column, field_error, seconds, stack_test,
    text,
};

/// Returns the kinds of keys: a client that creates them, and their path.
fn kinds(stack: &Stack, acme: &TestSpace) -> [(&'static str, Client, String); 2] {
    let account = "/account/api-keys".to_owned();
    [
        ("space", acme.client.clone(), acme.keys_path()),
        ("account", stack.account(), account),
    ]
}

#[stack_test]
async fn key_is_returned_once_and_works_until_revoked(stack: &Stack, acme: &TestSpace) {
    for (kind, creator, path) in kinds(stack, acme) {
        let before = column(&creator.get_ok(&path).await, "id");
        let created = creator.create(&path, json!({"name": "web"})).await;
        let secret = text(&created["key"]);
        assert!(secret.starts_with("sk_") && secret.len() == 49, "{secret}");
        let expected = json!({
            "name": "web", "type": kind, "is_active": true, "last_four": secret.get(45..),
        });
        assert_fields(&created, expected);
        let space_id = (kind == "space").then(|| json!(acme.id));
        assert_eq!(created.get("space_id"), space_id.as_ref());
        assert_eq!(created.get("role").is_some(), kind == "space");
        let web = creator.with_key(&secret);
        let own = creator.get_ok("/account").await["user_id"].clone();
        assert_eq!(web.get_ok("/account").await["user_id"], own);

        let listed = creator.get_ok(&path).await;
        assert!(!listed.to_string().contains(&secret));
        let ids = [vec![created["id"].clone()], before].concat();
        assert_eq!(column(&listed, "id"), ids);
        assert_eq!(listed[0]["last_used_at"], listed[0]["created_at"]);

        let revocation = format!("{path}/{}", created["id"]);
        for _ in 0..2 {
            creator.delete_ok(&revocation).await.expect_body("");
            stack.clock.advance(seconds(1));
        }
        web.get_err(401, "/account").await;
        // Revoked keys stay listed, and the second revocation changes nothing.
        let listed = creator.get_ok(&path).await;
        assert_eq!(column(&listed, "id"), ids);
        let revoked = json!({"is_active": false, "updated_at": created["updated_at"]});
        assert_fields(&listed[0], revoked);
    }
}

#[stack_test]
async fn key_expires(stack: &Stack, acme: &TestSpace) {
    for (_, creator, path) in kinds(stack, acme) {
        let now = stack.now();
        let expires_at = now.plus_ms(600_000).rfc3339();
        let body = json!({"name": "short", "expires_at": expires_at});
        let short = creator.create(&path, body).await;
        assert_eq!(short["expires_at"], expires_at);
        let client = creator.with_key(&text(&short["key"]));

        stack.clock.advance(Duration::from_millis(599_999));
        client.get_ok("/account").await;
        stack.clock.advance(Duration::from_millis(1));
        client.get_err(401, "/account").await;

        let listed = creator.get_ok(&path).await;
        assert_eq!(column(&listed, "is_active"), [false, true]);
        for invalid in [json!(now.rfc3339()), json!("tomorrow"), json!(5)] {
            let body = json!({"name": "x", "expires_at": invalid});
            let errors = creator.post_err(422, &path, body).await;
            assert!(errors["expires_at"][0].is_string(), "{invalid}: {errors}");
        }
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

/// Returns the ids on the first page of the account keys.
async fn key_ids(client: &Client) -> Vec<Value> {
    column(&client.get_ok("/account/api-keys").await, "id")
}

/// Returns the default space of an account.
async fn default_space(client: &Client) -> Value {
    client.get_ok("/account").await["default_space_id"].clone()
}

#[stack_test]
async fn account_describes_caller_and_key(stack: &Stack) {
    let first = stack.account().get_ok("/spaces").await[0].clone();
    let acme = stack.space("Acme").await;

    let own = stack.account().get_ok("/account").await;
    assert_eq!(text(&own["user_id"]).len(), 26);
    let expected = json!({"role": null, "default_space_id": first["id"]});
    assert_fields(&own, expected);
    let secret = stack.account().key.expect("a key");
    let last_four = secret.get(secret.len() - 4..);
    let key = json!({"type": "account", "is_active": true, "last_four": last_four});
    assert_fields(&own["key"], key);
    for absent in ["key", "space_id", "role"] {
        assert_eq!(own["key"].get(absent), None, "{absent}");
    }

    for role in ["viewer", "user", "admin", "owner"] {
        let foreign = acme.role(role).await.get_ok("/account").await;
        let expected = json!({"user_id": null, "role": role, "default_space_id": acme.id});
        assert_fields(&foreign, expected);
        let key = json!({"type": "space", "space_id": acme.id, "role": role});
        assert_fields(&foreign["key"], key);
    }
}

#[stack_test]
async fn default_space_must_be_own_space(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let user = stack.user().await;
    assert_eq!(default_space(&user.client).await, Value::Null);

    stack.add_member(&user, acme, "viewer").await;
    let lower_case = json!({"default_space_id": acme.id.to_lowercase()});
    let chosen = user.client.put_ok("/account", lower_case).await;
    assert_eq!(chosen["default_space_id"], acme.id);

    let unknown = "The selected default space id is invalid.";
    let required = "The default space id field is required.";
    for (id, message) in [
        (json!(other.id), unknown),
        (json!(UNKNOWN_ID), unknown),
        (json!("x"), unknown),
        (json!(null), required),
        (json!(" "), required),
    ] {
        let body = json!({"default_space_id": id});
        let errors = user.client.put_err(422, "/account", body).await;
        assert_eq!(errors, json!({"default_space_id": [message]}), "{id}");
    }
    let errors = user.client.put_err(422, "/account", json!({})).await;
    assert_eq!(errors, json!({"default_space_id": [required]}));
    assert_eq!(user.client.get_ok("/account").await, chosen);

    let path = format!("/spaces?id={}", acme.id);
    stack.account().delete_ok(&path).await;
    assert_eq!(default_space(&user.client).await, Value::Null);
    stack.run_purges().await;
    assert_eq!(default_space(&user.client).await, Value::Null);
}

#[stack_test]
async fn account_key_has_no_role_and_creates_spaces(stack: &Stack) {
    let account = stack.account();
    let path = "/account/api-keys";
    let with_role = json!({"name": "laptop", "role": "viewer"});
    let errors = account.post_err(422, path, with_role).await;
    let end = "must not be present for an account key";
    assert_eq!(errors, field_error("role", end));

    let created = account.create(path, json!({"name": "laptop"})).await;
    let laptop = account.with_key(&text(&created["key"]));
    laptop.create("/spaces", json!({"name": "Acme"})).await;
}

#[stack_test]
async fn account_keys_of_other_users_return_404(stack: &Stack, acme: &TestSpace) {
    let user = stack.user().await;
    stack.add_member(&user, acme, "owner").await;
    let own = key_ids(&stack.account()).await;
    let foreign = key_ids(&user.client).await;
    assert_eq!((own.len(), foreign.len()), (1, 1));

    for path in [
        format!("/account/api-keys/{}", own[0]),
        format!("/account/api-keys/{}", acme.key_id),
        // An account key is not a key of a space.
        format!("{}/{}", acme.keys_path(), foreign[0]),
    ] {
        user.client.delete_err(404, &path).await;
    }

    assert_eq!(key_ids(&stack.account()).await, own);
    user.client.get_ok("/account").await;
}
