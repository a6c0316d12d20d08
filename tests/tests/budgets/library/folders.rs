//! AWS calls of reads and changes of folders.

use serde_json::{Value, json};
use tests::{Stack, stack_test};

use super::{Budget, DEEPEST, folder, nested, stored, warm};

#[stack_test]
async fn folder_reads_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, DEEPEST).await;
    let account = stack.account();
    let by_key = Budget::of(stack, "folders", &acme.client);
    let by_account = Budget::of(stack, "folders", &account);
    let path = |index: usize| format!("/folders/{}", ids[index]);
    let deepest = path(DEEPEST - 1);

    by_key.get(&path(0), "BatchGetItem").await;
    by_key.get(&path(1), "2 BatchGetItem").await;
    by_key.get(&deepest, "2 BatchGetItem").await;
    by_account.get(&deepest, "2 BatchGetItem, GetItem").await;

    // The space, a page, and the ancestors of all its folders.
    let list = format!("/folders?space_id={}", acme.id);
    by_key.get(&list, "GetItem, Query").await;
    for (parent, calls) in [
        ("root", "BatchGetItem, GetItem, Query"),
        (&ids[0], "3 BatchGetItem, GetItem, Query"),
        (&ids[10], "3 BatchGetItem, GetItem, Query"),
        (&ids[DEEPEST - 1], "BatchGetItem, GetItem, Query"),
    ] {
        by_key
            .get(&format!("{list}&parent_id={parent}"), calls)
            .await;
    }
}

/// Creates folders in the root and in nested folders.
async fn assert_creations(budget: Budget<'_>, space: &str, ids: &[String]) {
    let new = |name: &str, parent: Option<&String>| json!({"name": name, "space_id": space, "parent_id": parent});

    let path = "/folders";
    let in_root = "GetItem, TransactWriteItems";
    budget.create(path, new("a", None), in_root).await;
    let in_first = "BatchGetItem, GetItem, TransactWriteItems";
    budget.create(path, new("b", Some(&ids[0])), in_first).await;
    let in_fifth = "2 BatchGetItem, GetItem, TransactWriteItems";
    budget.create(path, new("c", Some(&ids[4])), in_fifth).await;
    // A taken name takes the calls that detect it.
    let taken = new("LEVEL 1", None);
    budget.line(422, "POST /folders", taken, in_root).await;
}

#[stack_test]
async fn folder_changes_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, 5).await;
    let other = acme.folder("other").await;
    let budget = Budget::of(stack, "folders", &acme.client);
    let path = other.path();
    let access = format!("{path}/access-control");
    let security = format!("{path}/security");
    let first = format!("/folders/{}", ids[0]);
    let fifth = format!("/folders/{}", ids[4]);
    let protected = json!({"access_control": {"requires_auth": true}});
    let change = "BatchGetItem, TransactWriteItems";
    let deep_change = "2 BatchGetItem, TransactWriteItems";
    let deepest_change = "3 BatchGetItem, TransactWriteItems";

    assert_creations(budget, &acme.id, &ids).await;
    budget.put(path, json!({"name": "Other"}), change).await;
    budget
        .put(&fifth, json!({"name": "five"}), deep_change)
        .await;
    for (parent, calls) in [
        (Some(&ids[0]), deep_change),
        (Some(&ids[4]), deepest_change),
        (None, deep_change),
        (None, change),
    ] {
        budget
            .put(path, json!({ "parent_id": parent }), calls)
            .await;
    }
    let into_itself = json!({"parent_id": ids[0]});
    let line = format!("PUT {first}");
    budget.line(422, &line, into_itself, "2 BatchGetItem").await;

    budget.put(&access, protected, change).await;
    budget.put(&security, json!({"security": {}}), change).await;
    budget.reset(&access, change).await;
    budget.reset(&security, change).await;

    // The folder is locked, checked again, and deleted.
    let deletion = "BatchGetItem, 2 Query, 2 TransactWriteItems";
    budget.delete(path, deletion).await;
    let full = folder(&acme, "full", None).await;
    stored(&acme, &full).await;
    let line = format!("DELETE {fifth}?force=true");
    let with_contents = "2 BatchGetItem, SendMessageBatch, TransactWriteItems";
    budget.line(202, &line, Value::Null, with_contents).await;
    for (status, path, calls) in [
        (409, &first, "BatchGetItem"),
        (404, &path.to_owned(), "BatchGetItem"),
        (409, &format!("/folders/{full}"), "BatchGetItem, Query"),
    ] {
        let line = format!("DELETE {path}");
        budget.line(status, &line, Value::Null, calls).await;
    }
    stack.run_purges().await;
}
