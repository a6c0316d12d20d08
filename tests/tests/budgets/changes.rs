//! AWS calls of changes to spaces, API keys and the account.

use serde_json::{Value, json};
use tests::{Stack, TestSpace, stack_test};

use super::{
    ApiRequest,
    requests::{cost, warm},
};

/// A request, its status and its calls.
struct Costed<'a> {
    request: ApiRequest<'a>,
    status: u16,
    calls: &'a [&'a str],
}

fn costed<'a>(request: ApiRequest<'a>, status: u16, calls: &'a [&'a str]) -> Costed<'a> {
    Costed {
        request,
        status,
        calls,
    }
}

async fn assert_costs(stack: &Stack, cases: &[Costed<'_>]) {
    for case in cases {
        let response = case.request.client.send(case.request.build());
        assert_eq!(
            cost(stack, "spaces", case.status, response).await,
            case.calls,
            "{}",
            case.request
        );
    }
}

#[stack_test]
async fn space_changes_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    let client = &acme.client;
    let account = &stack.account();
    warm(stack, acme).await;

    let space = acme.path();
    let access = format!("{space}/access-control");
    let security = format!("{space}/security");
    let config = client.get_ok(&space).await["active_upload_config_id"].clone();
    let renamed = || json!({"name": "Renamed"});
    let configured = json!({"name": "Renamed", "active_upload_config_id": config});
    let verified = json!({"access_control": {"requires_auth": true}});
    let change = ["GetItem", "TransactWriteItems", "UpdateItem"];
    let change_by_account = ["BatchGetItem", "TransactWriteItems", "UpdateItem"];
    let change_of_config = ["GetItem", "GetItem", "TransactWriteItems", "UpdateItem"];
    let cases = [
        costed(
            ApiRequest::new(client, "PUT", &space, renamed()),
            200,
            &change,
        ),
        costed(
            ApiRequest::new(account, "PUT", &space, renamed()),
            200,
            &change_by_account,
        ),
        costed(
            ApiRequest::new(client, "PUT", &space, configured),
            200,
            &change_of_config,
        ),
        costed(
            ApiRequest::new(client, "PUT", &space, json!({})),
            422,
            &["GetItem", "UpdateItem"],
        ),
        costed(
            ApiRequest::new(client, "PUT", &access, verified),
            200,
            &change,
        ),
        costed(
            ApiRequest::new(client, "DELETE", &access, Value::Null),
            200,
            &change,
        ),
        costed(
            ApiRequest::new(client, "PUT", &security, json!({"security": {}})),
            200,
            &change,
        ),
        costed(
            ApiRequest::new(client, "DELETE", &security, Value::Null),
            200,
            &change,
        ),
        costed(
            ApiRequest::new(account, "POST", "/spaces", json!({"name": "Other"})),
            201,
            &["TransactWriteItems", "UpdateItem"],
        ),
        costed(
            ApiRequest::new(account, "POST", "/spaces", json!({"name": 5})),
            422,
            &["UpdateItem"],
        ),
    ];

    assert_costs(stack, &cases).await;
}

#[stack_test]
async fn key_changes_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    let client = &acme.client;
    warm(stack, acme).await;

    let keys = acme.keys_path();
    let own = format!("{keys}/{}", acme.key_id);
    let unknown = format!("{keys}/999");
    let with_unknown_key = stack
        .anonymous
        .with_key(domain::KeySecret::new(&stack.unrestricted_context().env).reveal());
    let cases = [
        costed(
            ApiRequest::new(client, "POST", &keys, json!({"name": "web"})),
            201,
            &["GetItem", "TransactWriteItems", "UpdateItem", "UpdateItem"],
        ),
        costed(
            ApiRequest::new(client, "DELETE", &unknown, Value::Null),
            404,
            &["GetItem", "GetItem", "UpdateItem"],
        ),
        costed(
            ApiRequest::new(client, "DELETE", &own, Value::Null),
            204,
            &[
                "GetItem",
                "GetItem",
                "UpdateItem",
                "UpdateItem",
                "UpdateItem",
            ],
        ),
        costed(
            ApiRequest::new(&with_unknown_key, "GET", "/spaces", Value::Null),
            401,
            &["UpdateItem"],
        ),
    ];

    assert_costs(stack, &cases).await;
}

#[stack_test]
async fn account_changes_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    let account = &stack.account();
    warm(stack, acme).await;

    let keys = "/account/api-keys";
    let created = account.create(keys, json!({"name": "spare"})).await;
    let spare = format!("{keys}/{}", created["id"]);
    let choice = json!({"default_space_id": acme.id});
    let cases = [
        costed(
            ApiRequest::new(account, "POST", keys, json!({"name": "web"})),
            201,
            &["TransactWriteItems", "UpdateItem", "UpdateItem"],
        ),
        costed(
            ApiRequest::new(account, "DELETE", &spare, Value::Null),
            204,
            &["GetItem", "UpdateItem", "UpdateItem", "UpdateItem"],
        ),
        costed(
            ApiRequest::new(account, "PUT", "/account", choice),
            200,
            &[
                "BatchGetItem",
                "BatchGetItem",
                "BatchGetItem",
                "PutItem",
                "UpdateItem",
            ],
        ),
    ];

    assert_costs(stack, &cases).await;
}
