//! AWS calls of reads and changes of folders.

use serde_json::{Value, json};
use tests::{Stack, TestSpace, stack_test};

use super::{ApiRequest, Costed, DEEPEST, assert_costs, costed, folder, nested, stored, warm};

#[stack_test]
async fn folder_reads_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, DEEPEST).await;
    let client = &acme.client;
    let account = &stack.account();
    let list = |query: String| format!("/folders?space_id={}{query}", acme.id);
    let get = |client, path, calls| {
        costed(
            ApiRequest::new(client, "GET", path, Value::Null),
            200,
            calls,
        )
    };
    let cases = [
        get(client, format!("/folders/{}", ids[0]), "BatchGetItem"),
        get(client, format!("/folders/{}", ids[1]), "2 BatchGetItem"),
        get(
            client,
            format!("/folders/{}", ids[DEEPEST - 1]),
            "2 BatchGetItem",
        ),
        get(
            account,
            format!("/folders/{}", ids[DEEPEST - 1]),
            "2 BatchGetItem, GetItem",
        ),
        // The space, a page, and the ancestors of all its folders.
        get(client, list(String::new()), "GetItem, Query"),
        get(
            client,
            list("&parent_id=root".to_owned()),
            "BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list(format!("&parent_id={}", ids[0])),
            "3 BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list(format!("&parent_id={}", ids[10])),
            "3 BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list(format!("&parent_id={}", ids[DEEPEST - 1])),
            "BatchGetItem, GetItem, Query",
        ),
    ];

    assert_costs(stack, "folders", &cases).await;
}

/// Returns creations of folders in the root and in nested folders.
fn creations<'a>(acme: &'a TestSpace, ids: &[String]) -> Vec<Costed<'a>> {
    let client = &acme.client;
    let new =
        |name: &str, parent: Value| json!({"name": name, "space_id": acme.id, "parent_id": parent});
    let post = |body, status, calls| {
        costed(
            ApiRequest::new(client, "POST", "/folders".to_owned(), body),
            status,
            calls,
        )
    };

    vec![
        post(new("a", Value::Null), 201, "GetItem, TransactWriteItems"),
        post(
            new("b", json!(ids[0])),
            201,
            "BatchGetItem, GetItem, TransactWriteItems",
        ),
        post(
            new("c", json!(ids[4])),
            201,
            "2 BatchGetItem, GetItem, TransactWriteItems",
        ),
        // A taken name takes the calls that detect it.
        post(
            new("LEVEL 1", Value::Null),
            422,
            "GetItem, TransactWriteItems",
        ),
    ]
}

#[stack_test]
async fn folder_changes_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, 5).await;
    let other = folder(&acme, "other", None).await;
    let client = &acme.client;
    let put = |id: &str, body, calls| {
        costed(
            ApiRequest::new(client, "PUT", format!("/folders/{id}"), body),
            200,
            calls,
        )
    };
    let verified = json!({"access_control": {"requires_auth": true}});
    let no_watermark = json!({"security": {}});
    let change = "BatchGetItem, TransactWriteItems";
    let deep_change = "2 BatchGetItem, TransactWriteItems";
    let delete = |id: &str, status, calls| {
        costed(
            ApiRequest::new(client, "DELETE", format!("/folders/{id}"), Value::Null),
            status,
            calls,
        )
    };
    let changes = [
        put(&other, json!({"name": "Other"}), change),
        put(&ids[4], json!({"name": "five"}), deep_change),
        put(&other, json!({"parent_id": ids[0]}), deep_change),
        put(
            &other,
            json!({"parent_id": ids[4]}),
            "3 BatchGetItem, TransactWriteItems",
        ),
        put(&other, json!({"parent_id": null}), deep_change),
        put(&other, json!({"parent_id": null}), change),
        costed(
            ApiRequest::new(
                client,
                "PUT",
                format!("/folders/{}", ids[0]),
                json!({"parent_id": ids[0]}),
            ),
            422,
            "2 BatchGetItem",
        ),
        put(&format!("{other}/access-control"), verified, change),
        put(&format!("{other}/security"), no_watermark, change),
        delete(&format!("{other}/access-control"), 200, change),
        delete(&format!("{other}/security"), 200, change),
        // The folder is locked, checked again, and deleted.
        delete(&other, 204, "BatchGetItem, 2 Query, 2 TransactWriteItems"),
        delete(&ids[0], 409, "BatchGetItem"),
        delete(&other, 404, "BatchGetItem"),
    ];

    assert_costs(stack, "folders", &creations(&acme, &ids)).await;
    assert_costs(stack, "folders", &changes).await;

    let full = folder(&acme, "full", None).await;
    stored(&acme, &full).await;
    assert_costs(
        stack,
        "folders",
        &[delete(&full, 409, "BatchGetItem, Query")],
    )
    .await;
}
