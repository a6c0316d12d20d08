//! `/account` and the account keys under it.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{
    Client, Stack, StackOptions, TestSpace, UNKNOWN_ID, assert_fields, column, stack_test, text,
};

/// Returns the ids on the first page of the account keys.
async fn key_ids(client: &Client) -> Vec<Value> {
    column(&client.get_ok("/account/api-keys").await, "id")
}

/// Returns the default space of an account.
async fn default_space(client: &Client) -> Value {
    client.get_ok("/account").await["default_space_id"].clone()
}

const LARGE_UPLOADS_URL: &str = "https://large.test/api/v1";

#[stack_test(options = StackOptions::default().with_parameters(&[("LargeUploadsUrl", LARGE_UPLOADS_URL)]))]
async fn account_names_the_url_for_large_uploads(stack: &Stack) {
    let account = stack.account().get_ok("/account").await;
    assert_eq!(account["large_uploads_url"], LARGE_UPLOADS_URL);
}

#[stack_test]
async fn account_describes_caller_and_key(stack: &Stack) {
    let first = stack.account().get_ok("/spaces").await[0].clone();
    let acme = stack.space("Acme").await;

    let own = stack.account().get_ok("/account").await;
    assert_eq!(text(&own["user_id"]).len(), 26);
    let expected =
        json!({"role": null, "default_space_id": first["id"], "large_uploads_url": null});
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
async fn account_keys_are_created_listed_and_revoked(stack: &Stack) {
    let account = stack.account();
    let path = "/account/api-keys";
    let first = key_ids(&account).await;
    let with_role = json!({"name": "laptop", "role": "viewer"});
    let errors = account.post_err(422, path, with_role).await;
    let message = "The role field must not be present for an account key.";
    assert_eq!(errors, json!({"role": [message]}));

    let created = account.create(path, json!({"name": "laptop"})).await;
    assert_fields(&created, json!({"name": "laptop", "type": "account"}));
    for absent in ["space_id", "role"] {
        assert_eq!(created.get(absent), None, "{absent}");
    }
    let laptop = account.with_key(&text(&created["key"]));
    let user_id = laptop.get_ok("/account").await["user_id"].clone();
    assert_eq!(user_id, account.get_ok("/account").await["user_id"]);
    laptop.create("/spaces", json!({"name": "Acme"})).await;

    let listed = account.get_ok(path).await[0].clone();
    assert_eq!(listed.get("key"), None);
    assert_eq!(listed["last_four"], created["last_four"]);
    let all = [vec![created["id"].clone()], first].concat();
    assert_eq!(key_ids(&account).await, all);

    account
        .delete_ok(&format!("{path}/{}", created["id"]))
        .await;
    laptop.get_err(401, "/account").await;
    assert_eq!(key_ids(&account).await, all, "revoked keys stay listed");
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

#[stack_test]
async fn account_key_expires(stack: &Stack) {
    let account = stack.account();
    let expires_at = stack.now().plus_ms(60_000).rfc3339();
    let body = json!({"name": "short", "expires_at": expires_at});
    let short = account.create("/account/api-keys", body).await;
    let short = account.with_key(&text(&short["key"]));

    stack.clock.advance(Duration::from_millis(59_999));
    short.get_ok("/account").await;
    stack.clock.advance(Duration::from_millis(1));

    short.get_err(401, "/account").await;
}
