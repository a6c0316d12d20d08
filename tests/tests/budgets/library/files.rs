//! AWS calls of reads and changes of files.

use serde_json::{Value, json};
use tests::{Client, Stack, TestSpace, file_path, stack_test, text};

use super::{ApiRequest, Costed, assert_costs, costed, nested, stored, warm};

/// A space with nested folders, and files with tags and references.
struct TaggedFiles {
    acme: TestSpace,
    /// Ids of the folders, the outermost first.
    ids: Vec<String>,
    /// File in the root.
    top: Value,
    /// File in the first folder.
    first: Value,
    /// File in the fifth folder.
    fifth: Value,
}

impl TaggedFiles {
    async fn new(stack: &Stack) -> TaggedFiles {
        let acme = warm(stack).await;
        let ids = nested(&acme, 5).await;
        let top = stored(&acme, "root").await;
        let first = stored(&acme, &ids[0]).await;
        let fifth = stored(&acme, &ids[4]).await;

        for file in [&top, &first, &fifth] {
            let named = json!({"ref": format!("of {}", text(&file["id"])), "tags": ["red"]});
            acme.put_ok(&file_path(file), named).await;
        }

        TaggedFiles {
            acme,
            ids,
            top,
            first,
            fifth,
        }
    }
}

#[stack_test]
async fn file_reads_stay_within_call_budget(stack: &Stack) {
    let library = TaggedFiles::new(stack).await;
    let acme = &library.acme;
    let client = &acme.client;
    let account = &stack.account();
    let by_ref = |file: &Value| {
        format!(
            "/files/by-ref?space_id={}&ref=of%20{}",
            acme.id,
            text(&file["id"])
        )
    };
    let get = |client, path, calls| {
        costed(
            ApiRequest::new(client, "GET", path, Value::Null),
            200,
            calls,
        )
    };
    let cases = [
        // The space, the file, and its ancestors in one read.
        get(client, file_path(&library.top), "BatchGetItem"),
        get(client, file_path(&library.first), "2 BatchGetItem"),
        get(client, file_path(&library.fifth), "2 BatchGetItem"),
        get(account, file_path(&library.top), "BatchGetItem, GetItem"),
        get(
            account,
            file_path(&library.fifth),
            "2 BatchGetItem, GetItem",
        ),
        costed(
            ApiRequest::new(
                client,
                "GET",
                "/files/01JCQZ4XK8V9W7Y6T5S4R3Q2P1".to_owned(),
                Value::Null,
            ),
            404,
            "BatchGetItem",
        ),
        get(client, by_ref(&library.top), "BatchGetItem, GetItem, Query"),
        get(
            client,
            by_ref(&library.fifth),
            "2 BatchGetItem, GetItem, Query",
        ),
    ];

    assert_costs(stack, "files", &cases).await;
}

#[stack_test]
async fn file_urls_stay_within_call_budget(stack: &Stack) {
    let library = TaggedFiles::new(stack).await;
    let client = &library.acme.client;
    let account = &stack.account();
    let ids = json!({"file_ids": [library.top["id"], library.fifth["id"]]});
    let signed_url = format!("{}/signed-url", file_path(&library.fifth));
    let cases = [
        costed(
            ApiRequest::new(client, "POST", "/files/urls", ids.clone()),
            200,
            "BatchGetItem, GetItem",
        ),
        costed(
            ApiRequest::new(account, "POST", "/files/urls", ids),
            200,
            "3 BatchGetItem",
        ),
        costed(
            ApiRequest::new(client, "POST", signed_url, json!({})),
            200,
            "BatchGetItem",
        ),
    ];

    assert_costs(stack, "files", &cases).await;
}

#[stack_test]
async fn file_lists_stay_within_call_budget(stack: &Stack) {
    let library = TaggedFiles::new(stack).await;
    let acme = &library.acme;
    let client = &acme.client;
    let account = &stack.account();
    let list = |query: &str| format!("/files?space_id={}{query}", acme.id);
    let get = |client, path, calls| {
        costed(
            ApiRequest::new(client, "GET", path, Value::Null),
            200,
            calls,
        )
    };
    let cases = [
        // The space, one page of the range, and the ancestors of all its files.
        get(client, list(""), "BatchGetItem, GetItem, Query"),
        get(account, list(""), "2 BatchGetItem, Query"),
        get(
            client,
            list("&type=upload&status=active"),
            "BatchGetItem, GetItem, Query",
        ),
        get(client, list("&type=private"), "GetItem, Query"),
        // The records of the entries are read.
        get(client, list("&tag=red"), "2 BatchGetItem, GetItem, Query"),
        get(client, list("&tag=blue"), "GetItem, Query"),
        get(
            client,
            list("&search=PHO"),
            "2 BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list("&folder_id=root"),
            "BatchGetItem, GetItem, Query",
        ),
        // The folder is read first, to know that it exists.
        get(
            client,
            list(&format!("&folder_id={}", library.ids[0])),
            "3 BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list(&format!("&folder_id={}", library.ids[4])),
            "3 BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list(&format!("&folder_id={}", library.ids[2])),
            "BatchGetItem, GetItem, Query",
        ),
    ];

    assert_costs(stack, "files", &cases).await;
}

/// Returns moves of a file from the root into other folders.
fn moves<'a>(client: &'a Client, top: &str, ids: &[String]) -> Vec<Costed<'a>> {
    let put = |body, calls| {
        costed(
            ApiRequest::new(client, "PUT", top.to_owned(), body),
            200,
            calls,
        )
    };

    vec![
        // The target is read, and its ancestors again for the response.
        put(
            json!({"folder_id": ids[0]}),
            "3 BatchGetItem, TransactWriteItems",
        ),
        put(
            json!({"folder_id": ids[4]}),
            "5 BatchGetItem, TransactWriteItems",
        ),
        put(
            json!({"folder_id": null}),
            "2 BatchGetItem, TransactWriteItems",
        ),
        put(
            json!({"folder_id": "root", "folder_path": "level 1/level 2"}),
            "3 BatchGetItem, 2 GetItem, TransactWriteItems",
        ),
        put(
            json!({"folder_id": "root"}),
            "2 BatchGetItem, TransactWriteItems",
        ),
        // The first name is missing, and so are those below it. Each created folder is one write.
        put(
            json!({"folder_id": "root", "folder_path": "x/y"}),
            "3 BatchGetItem, GetItem, 3 TransactWriteItems",
        ),
    ]
}

#[stack_test]
async fn file_changes_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, 5).await;
    let client = &acme.client;
    let top = file_path(&stored(&acme, "root").await);
    let inner = file_path(&stored(&acme, &ids[0]).await);
    let verified = json!({"access_control": {"requires_auth": true}});
    let put = |path: &str, body, calls| {
        costed(
            ApiRequest::new(client, "PUT", path.to_owned(), body),
            200,
            calls,
        )
    };
    let updates = [
        put(
            &top,
            json!({"original_name": "a.jpg", "ref": "x", "tags": ["a", "b"]}),
            "BatchGetItem, TransactWriteItems",
        ),
        // The ancestors are read before the update, to compare read-only fields, and after it.
        put(
            &inner,
            json!({"original_name": "a.jpg"}),
            "3 BatchGetItem, TransactWriteItems",
        ),
        costed(
            ApiRequest::new(client, "PUT", top.clone(), json!({"size": 1})),
            422,
            "BatchGetItem",
        ),
    ];
    let other_changes = [
        put(
            &format!("{top}/access-control"),
            verified,
            "2 BatchGetItem, TransactWriteItems",
        ),
        costed(
            ApiRequest::new(
                client,
                "DELETE",
                format!("{top}/access-control"),
                Value::Null,
            ),
            200,
            "2 BatchGetItem, TransactWriteItems",
        ),
        costed(
            ApiRequest::new(client, "DELETE", top.clone(), Value::Null),
            204,
            "BatchGetItem, GetItem, SendMessageBatch, TransactWriteItems",
        ),
        costed(
            ApiRequest::new(client, "DELETE", inner, Value::Null),
            204,
            "BatchGetItem, GetItem, SendMessageBatch, TransactWriteItems",
        ),
    ];

    assert_costs(stack, "files", &updates).await;
    assert_costs(stack, "files", &moves(client, &top, &ids)).await;
    assert_costs(stack, "files", &other_changes).await;
    stack.run_purges().await;
}
