//! AWS calls of changes to spaces, API keys and the account.

use serde_json::{Value, json};
use tests::{Client, Stack, stack_test};

use super::requests::{cost, warm};

/// A request with an optional JSON body, its status and its calls.
type Costed<'a> = (&'a Client, &'a str, &'a str, Value, u16, &'a [&'a str]);

async fn assert_costs(stack: &Stack, cases: &[Costed<'_>]) {
    for (client, method, path, body, status, expected) in cases {
        let request = client.request(method, path);
        let request = if body.is_null() {
            request
        } else {
            request.json(body)
        };
        assert_eq!(
            cost(stack, "spaces", *status, client.send(request)).await,
            *expected,
            "{method} {path} {body}"
        );
    }
}

#[stack_test]
async fn space_changes_stay_within_call_budget(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let client = &acme.client;
    let account = &stack.account();
    warm(stack, &acme).await;

    let space = format!("/spaces/{}", acme.id);
    let access = format!("{space}/access-control");
    let security = format!("{space}/security");
    let config = client.get(&space).await.expect_ok()["active_upload_config_id"].clone();
    let renamed = || json!({"name": "Renamed"});
    let configured = json!({"name": "Renamed", "active_upload_config_id": config});
    let verified = json!({"access_control": {"requires_auth": true}});
    let change = ["GetItem", "TransactWriteItems", "UpdateItem"];
    let change_by_account = ["BatchGetItem", "TransactWriteItems", "UpdateItem"];
    let change_of_config = ["GetItem", "GetItem", "TransactWriteItems", "UpdateItem"];
    let cases: [Costed; 10] = [
        (client, "PUT", &space, renamed(), 200, &change),
        (account, "PUT", &space, renamed(), 200, &change_by_account),
        (client, "PUT", &space, configured, 200, &change_of_config),
        (
            client,
            "PUT",
            &space,
            json!({}),
            422,
            &["GetItem", "UpdateItem"],
        ),
        (client, "PUT", &access, verified, 200, &change),
        (client, "DELETE", &access, Value::Null, 200, &change),
        (
            client,
            "PUT",
            &security,
            json!({"security": {}}),
            200,
            &change,
        ),
        (client, "DELETE", &security, Value::Null, 200, &change),
        (
            account,
            "POST",
            "/spaces",
            json!({"name": "Other"}),
            201,
            &["TransactWriteItems", "UpdateItem"],
        ),
        (
            account,
            "POST",
            "/spaces",
            json!({"name": 5}),
            422,
            &["UpdateItem"],
        ),
    ];

    assert_costs(stack, &cases).await;
}

#[stack_test]
async fn key_and_account_changes_stay_within_call_budget(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let client = &acme.client;
    let account = &stack.account();
    warm(stack, &acme).await;

    let keys = format!("/spaces/{}/api-keys", acme.id);
    let created = account
        .post("/account/api-keys", json!({"name": "spare"}))
        .await
        .expect_created();
    let own = format!("{keys}/{}", acme.key_id);
    let spare = format!("/account/api-keys/{}", created["id"]);
    let unknown = format!("{keys}/999");
    let choice = json!({"default_space_id": acme.id});
    let client_with_unknown_key = stack
        .anonymous
        .with_key(domain::KeySecret::new(&stack.admin_environment().env).reveal());
    let create = ["GetItem", "TransactWriteItems", "UpdateItem", "UpdateItem"];
    let revoke = [
        "GetItem",
        "GetItem",
        "UpdateItem",
        "UpdateItem",
        "UpdateItem",
    ];
    let choose = [
        "BatchGetItem",
        "BatchGetItem",
        "BatchGetItem",
        "PutItem",
        "UpdateItem",
    ];
    let cases: [Costed; 7] = [
        (client, "POST", &keys, json!({"name": "web"}), 201, &create),
        (
            account,
            "POST",
            "/account/api-keys",
            json!({"name": "web"}),
            201,
            &create[1..],
        ),
        (
            client,
            "DELETE",
            &unknown,
            Value::Null,
            404,
            &["GetItem", "GetItem", "UpdateItem"],
        ),
        (client, "DELETE", &own, Value::Null, 204, &revoke),
        (account, "DELETE", &spare, Value::Null, 204, &revoke[1..]),
        (account, "PUT", "/account", choice, 200, &choose),
        (
            &client_with_unknown_key,
            "GET",
            "/spaces",
            Value::Null,
            401,
            &["UpdateItem"],
        ),
    ];

    assert_costs(stack, &cases).await;
}
