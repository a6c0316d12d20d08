//! `/account` and the account keys under it.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, StackOptions, TestSpace, UNKNOWN_ID, form, stack_test};

/// Returns the ids on the first page of the account keys.
async fn key_ids(client: &Client) -> Vec<u64> {
    let page = client.fetch("/account/api-keys").await.json();
    page["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|key| key["id"].as_u64().expect("a number"))
        .collect()
}

const LARGE_UPLOADS_URL: &str = "https://large.test/api/v1";

#[stack_test(options = StackOptions::default().with_parameters(&[("LargeUploadsUrl", LARGE_UPLOADS_URL)]))]
async fn account_names_the_url_for_large_uploads(stack: &Stack) {
    let account = stack.account().get_ok("/account").await;
    assert_eq!(account["large_uploads_url"], LARGE_UPLOADS_URL);
}

#[stack_test]
async fn account_describes_caller_and_key(stack: &Stack) {
    let first = stack.account().fetch("/spaces").await.json()["data"][0].clone();
    let acme = stack.space("Acme").await;
    let own = stack.account().get_ok("/account").await;
    assert_eq!(own["user_id"].as_str().map(str::len), Some(26));
    assert_eq!(
        (&own["role"], &own["default_space_id"]),
        (&Value::Null, &first["id"]),
        "the first space is the default"
    );

    assert_eq!(own["large_uploads_url"], Value::Null, "the default");

    let key = &own["key"];
    let secret = stack.account().key.expect("a key");
    assert_eq!(
        (&key["type"], &key["is_active"]),
        (&json!("account"), &json!(true))
    );
    assert_eq!(key["last_four"].as_str(), secret.get(secret.len() - 4..));

    for absent in ["key", "space_id", "role"] {
        assert_eq!(key.get(absent), None, "{absent}");
    }

    for role in ["viewer", "user", "admin", "owner"] {
        let foreign = acme.role(role).await.get_ok("/account").await;
        let fields = (
            &foreign["user_id"],
            &foreign["role"],
            &foreign["default_space_id"],
        );
        assert_eq!(fields, (&Value::Null, &json!(role), &json!(acme.id)));
        let fields = (
            &foreign["key"]["type"],
            &foreign["key"]["space_id"],
            &foreign["key"]["role"],
        );
        assert_eq!(fields, (&json!("space"), &json!(acme.id), &json!(role)));
    }
}

#[stack_test]
async fn default_space_must_be_own_space(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let user = stack.user().await;
    assert_eq!(
        user.client.get_ok("/account").await["default_space_id"],
        Value::Null
    );

    stack.add_member(&user, acme, "viewer").await;
    let change = |id: &str| json!({"default_space_id": id});
    let chosen = user
        .client
        .put_ok("/account", change(&acme.id.to_lowercase()))
        .await;
    assert_eq!(chosen["default_space_id"], acme.id);
    assert_eq!(user.client.get_ok("/account").await, chosen);

    let unknown = json!({"default_space_id": ["The selected default space id is invalid."]});
    for id in [other.id.as_str(), UNKNOWN_ID, "x"] {
        assert_eq!(
            user.client.put_err(422, "/account", change(id)).await,
            unknown,
            "{id}"
        );
    }

    let required = json!({"default_space_id": ["The default space id field is required."]});
    for body in [
        json!({}),
        json!({"default_space_id": null}),
        json!({"default_space_id": " "}),
    ] {
        assert_eq!(
            user.client.put_err(422, "/account", body.clone()).await,
            required,
            "{body}"
        );
    }

    assert_eq!(user.client.get_ok("/account").await, chosen);

    stack
        .account()
        .delete_ok(&format!("/spaces?id={}", acme.id))
        .await;
    assert_eq!(
        user.client.get_ok("/account").await["default_space_id"],
        Value::Null,
        "the space is deleted"
    );

    stack.run_purges().await;
}

#[stack_test]
async fn account_keys_are_created_listed_and_revoked(stack: &Stack) {
    let account = stack.account();
    let first = key_ids(&account).await;
    let limited = account
        .post_err(
            422,
            "/account/api-keys",
            json!({"name": "laptop", "role": "viewer"}),
        )
        .await;
    assert_eq!(
        limited,
        json!({"role": ["The role field must not be present for an account key."]})
    );

    let created = account
        .create("/account/api-keys", json!({"name": "laptop"}))
        .await;
    let laptop = account.with_key(created["key"].as_str().expect("a key"));
    assert_eq!(
        (&created["name"], &created["type"]),
        (&json!("laptop"), &json!("account"))
    );
    assert!(
        created.get("space_id").is_none() && created.get("role").is_none(),
        "{created}"
    );
    assert_eq!(
        laptop.get_ok("/account").await["user_id"],
        account.get_ok("/account").await["user_id"]
    );

    laptop.create("/spaces", json!({"name": "Acme"})).await;
    let id = created["id"].as_u64().expect("a number");
    assert_eq!(key_ids(&account).await, [vec![id], first.clone()].concat());

    let listed = account.fetch("/account/api-keys").await.json()["data"][0].clone();
    assert!(
        listed.get("key").is_none() && listed["last_four"] == created["last_four"],
        "{listed}"
    );

    for unknown_id in ["999", "x", "-1", "0", "18446744073709551616"] {
        account
            .delete_err(404, &format!("/account/api-keys/{unknown_id}"))
            .await;
    }

    account.delete_ok(&format!("/account/api-keys/{id}")).await;
    laptop.get_err(401, "/account").await;
    assert_eq!(
        key_ids(&account).await,
        [vec![id], first].concat(),
        "revoked keys stay listed"
    );
}

#[stack_test]
async fn account_keys_of_other_users_return_404(stack: &Stack, acme: &TestSpace) {
    let user = stack.user().await;
    stack.add_member(&user, acme, "owner").await;

    let own = key_ids(&stack.account()).await;
    let foreign = key_ids(&user.client).await;
    assert_eq!((own.len(), foreign.len()), (1, 1));

    for id in [own[0], acme.key_id] {
        user.client
            .delete_err(404, &format!("/account/api-keys/{id}"))
            .await;
    }

    // An account key is not a key of a space.
    user.client
        .delete_err(404, &format!("/spaces/{}/api-keys/{}", acme.id, foreign[0]))
        .await;
    assert_eq!(key_ids(&stack.account()).await, own);

    user.client.get_ok("/account").await;
}

#[stack_test]
async fn account_key_expires(stack: &Stack) {
    let account = stack.account();
    let now = account.create("/spaces", json!({"name": "Acme"})).await["created_at"].clone();
    let expires_at = domain::Timestamp::parse_rfc3339(now.as_str().expect("a date"))
        .expect("RFC 3339")
        .plus_ms(60_000);
    let body = json!({"name": "short", "expires_at": expires_at.rfc3339()});
    let short = account.create("/account/api-keys", body).await;
    let short = account.with_key(short["key"].as_str().expect("a key"));

    stack.clock.advance(Duration::from_millis(59_999));
    short.get_ok("/account").await;
    stack.clock.advance(Duration::from_millis(1));

    short.get_err(401, "/account").await;
}

#[stack_test]
async fn space_key_reads_account_and_cannot_change_it(stack: &Stack, acme: &TestSpace) {
    let id = key_ids(&stack.account()).await[0];
    acme.put_err(403, "/account", json!({"default_space_id": acme.id}))
        .await;
    acme.get_err(403, "/account/api-keys").await;
    acme.post_err(403, "/account/api-keys", json!({"name": "x"}))
        .await;
    acme.delete_err(403, &format!("/account/api-keys/{id}"))
        .await;

    stack.account().get_ok("/account").await;
}

#[stack_test]
async fn member_role_applies_to_its_space_only(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let user = stack.user().await;

    stack.add_member(&user, acme, "viewer").await;
    stack.add_member(&user, other, "user").await;

    let upload = |handle: &str| form(handle, "photo.jpg", "image/jpeg", PHOTO);
    user.client
        .upload_form(upload(&acme.handle))
        .await
        .expect_error(403);

    user.client
        .upload_form(upload(&other.handle))
        .await
        .expect_created();

    let own = user.client.create("/spaces", json!({"name": "Mine"})).await;
    user.client
        .put_ok(
            &format!("/spaces/{}", own["id"].as_str().expect("an id")),
            json!({"name": "Ours"}),
        )
        .await;
}
