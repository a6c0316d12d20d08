//! AWS calls of changes to spaces, API keys and the account.

use domain::keys::KeySecret;
use serde_json::{Value, json};
use tests::{Stack, TestSpace, stack_test};

use super::{Budget, warm};

#[stack_test]
async fn space_changes_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    let account = &stack.account();
    let by_key = Budget::of(stack, "spaces", &acme.client);
    let by_account = Budget::of(stack, "spaces", account);

    let space = acme.path();
    let access = format!("{space}/access-control");
    let security = format!("{space}/security");
    let config = acme.get_ok(&space).await["active_upload_config_id"].clone();
    let renamed = || json!({"name": "Renamed"});
    let configured = json!({"name": "Renamed", "active_upload_config_id": config});
    let protected = json!({"access_control": {"requires_auth": true}});
    let change = "GetItem, TransactWriteItems";

    by_key.put(&space, renamed(), change).await;
    let change_by_account = "BatchGetItem, TransactWriteItems";
    by_account.put(&space, renamed(), change_by_account).await;
    let change_of_config = "2 GetItem, TransactWriteItems";
    by_key.put(&space, configured, change_of_config).await;
    let invalid = format!("PUT {space}");
    by_key.line(422, &invalid, json!({}), "GetItem").await;

    by_key.put(&access, protected, change).await;
    by_key.reset(&access, change).await;
    by_key.put(&security, json!({"security": {}}), change).await;
    by_key.reset(&security, change).await;

    let other = json!({"name": "Other"});
    by_account
        .create("/spaces", other, "TransactWriteItems")
        .await;
    let invalid = json!({"name": 5});
    by_account.line(422, "POST /spaces", invalid, "").await;
}

#[stack_test]
async fn key_changes_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    let by_key = Budget::of(stack, "spaces", &acme.client);
    let keys = acme.keys_path();
    let own = format!("{keys}/{}", acme.key_id);
    let unknown = format!("DELETE {keys}/999");
    let secret = KeySecret::new(&stack.unrestricted_context().env);
    let with_unknown_key = stack.anonymous.with_key(secret.reveal());

    let creation = "GetItem, TransactWriteItems, UpdateItem";
    by_key.create(&keys, json!({"name": "web"}), creation).await;
    by_key.line(404, &unknown, Value::Null, "2 GetItem").await;
    by_key.delete(&own, "2 GetItem, 2 UpdateItem").await;
    let unauthenticated = Budget::of(stack, "spaces", &with_unknown_key);
    let list = "GET /spaces";
    unauthenticated.line(401, list, Value::Null, "").await;
}

#[stack_test]
async fn account_changes_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    let account = &stack.account();
    let budget = Budget::of(stack, "spaces", account);
    let keys = "/account/api-keys";
    let created = account.create(keys, json!({"name": "spare"})).await;
    let spare = format!("{keys}/{}", created["id"]);
    let choice = json!({"default_space_id": acme.id});

    let creation = "TransactWriteItems, UpdateItem";
    budget.create(keys, json!({"name": "web"}), creation).await;
    budget.delete(&spare, "GetItem, 2 UpdateItem").await;
    budget
        .put("/account", choice, "3 BatchGetItem, PutItem")
        .await;
}
