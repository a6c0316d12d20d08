//! The number of AWS calls of requests that concern files and folders. It depends neither on the
//! size of the library nor on the depth of folders.

mod delivery;
mod folders;
mod uploads;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, Tenant, form, stack_test};

/// Maximum depth of folders.
const DEEPEST: usize = 20;
/// The call that counts a request of a key that was used in this minute before.
const COUNTED: &str = "UpdateItem";

/// Creates a space and uses its key and the account key once, since recording the first use in a
/// minute takes more writes.
async fn warm(stack: &Stack) -> Tenant {
    let acme = stack.space("Acme").await;
    for client in [&acme.client, &stack.account()] {
        client
            .get(&format!("/spaces/{}", acme.id))
            .await
            .expect_ok();
    }
    acme
}

/// Runs a request, and returns the response and the calls of its function: each operation, with its
/// number if there are several.
async fn cost(
    stack: &Stack,
    function: &str,
    status: u16,
    request: impl Future<Output = Response>,
) -> (Response, String) {
    let (response, calls) = stack.calls_of(request).await;
    let response = response.expect_status(status);
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();

    for call in &calls {
        let (principal, operation) = call.split_once(' ').expect("who called, and what for");
        assert_eq!(principal, function, "{}: {calls:?}", response.request);
        *numbers.entry(operation).or_default() += 1;
    }

    let reported = |(operation, number): (&str, usize)| match number {
        1 => operation.to_owned(),
        number => format!("{number} {operation}"),
    };
    let reported: Vec<String> = numbers.into_iter().map(reported).collect();

    (response, reported.join(", "))
}

/// A request with an optional JSON body, its status, and its calls apart from [`COUNTED`].
type Costed<'a> = (&'a Client, &'a str, String, Value, u16, &'a str);

/// Sends requests one after another, and asserts the calls of each.
async fn assert_costs(stack: &Stack, function: &str, cases: &[Costed<'_>]) {
    let mut others = Vec::new();
    for (client, method, path, body, status, expected) in cases {
        let request = client.request(method, path);
        let request = if body.is_null() {
            request
        } else {
            request.json(body)
        };
        let (_, calls) = cost(stack, function, *status, client.send(request)).await;
        if calls != counted(expected) {
            others.push(format!(
                "{method} {path} {body}: {calls}, not {}",
                counted(expected)
            ));
        }
    }

    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// Adds [`COUNTED`], which sorts after all other calls.
fn counted(calls: &str) -> String {
    format!("{calls}, {COUNTED}")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Creates a folder in a parent or in the root, and returns its id.
async fn folder(acme: &Tenant, name: &str, parent: Option<&str>) -> String {
    let body = json!({"name": name, "space_id": acme.id, "parent_id": parent});
    text(&acme.client.post("/folders", body).await.expect_created()["id"])
}

/// Creates nested folders, and returns their ids, the outermost first.
async fn nested(acme: &Tenant, depth: usize) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for level in 1..=depth {
        ids.push(
            folder(
                acme,
                &format!("level {level}"),
                ids.last().map(String::as_str),
            )
            .await,
        );
    }
    ids
}

/// Uploads the photo into a folder, or into the root for `root`, and returns its record.
async fn stored(acme: &Tenant, folder: &str) -> Value {
    let form =
        form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO).text("folder_id", folder.to_owned());
    acme.client.upload(form).await.expect_created()
}

fn address(file: &Value) -> String {
    format!("/files/{}", text(&file["id"]))
}

#[stack_test]
async fn file_reads_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, 5).await;
    let client = &acme.client;
    let account = &stack.account();
    let top = stored(&acme, "root").await;
    let first = stored(&acme, &ids[0]).await;
    let fifth = stored(&acme, &ids[4]).await;

    for file in [&top, &first, &fifth] {
        let named = json!({"ref": format!("of {}", text(&file["id"])), "tags": ["red"]});
        client.put(&address(file), named).await.expect_ok();
    }

    let list = |query: &str| format!("/files?space_id={}{query}", acme.id);
    let by_ref = |file: &Value| {
        format!(
            "/files/by-ref?space_id={}&ref=of%20{}",
            acme.id,
            text(&file["id"])
        )
    };
    let get = |client, path, calls| (client, "GET", path, Value::Null, 200, calls);
    let cases: Vec<Costed> = vec![
        // The space, the file, and its ancestors in one read.
        get(client, address(&top), "BatchGetItem"),
        get(client, address(&first), "2 BatchGetItem"),
        get(client, address(&fifth), "2 BatchGetItem"),
        get(account, address(&top), "BatchGetItem, GetItem"),
        get(account, address(&fifth), "2 BatchGetItem, GetItem"),
        (
            client,
            "GET",
            "/files/01JCQZ4XK8V9W7Y6T5S4R3Q2P1".to_owned(),
            Value::Null,
            404,
            "BatchGetItem",
        ),
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
            list(&format!("&folder_id={}", ids[0])),
            "3 BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list(&format!("&folder_id={}", ids[4])),
            "3 BatchGetItem, GetItem, Query",
        ),
        get(
            client,
            list(&format!("&folder_id={}", ids[2])),
            "BatchGetItem, GetItem, Query",
        ),
        get(client, by_ref(&top), "BatchGetItem, GetItem, Query"),
        get(client, by_ref(&fifth), "2 BatchGetItem, GetItem, Query"),
        (
            client,
            "POST",
            "/files/urls".to_owned(),
            json!({"file_ids": [top["id"], fifth["id"]]}),
            200,
            "BatchGetItem, GetItem",
        ),
        (
            account,
            "POST",
            "/files/urls".to_owned(),
            json!({"file_ids": [top["id"], fifth["id"]]}),
            200,
            "3 BatchGetItem",
        ),
        (
            client,
            "POST",
            format!("{}/signed-url", address(&fifth)),
            json!({}),
            200,
            "BatchGetItem",
        ),
    ];

    assert_costs(stack, "files", &cases).await;
}

#[stack_test]
async fn file_changes_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, 5).await;
    let client = &acme.client;
    let top = address(&stored(&acme, "root").await);
    let inner = address(&stored(&acme, &ids[0]).await);
    let verified = json!({"access_control": {"requires_auth": true}});
    let put = |path: &str, body, calls| (client, "PUT", path.to_owned(), body, 200, calls);
    let cases: Vec<Costed> = vec![
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
        (
            client,
            "PUT",
            top.clone(),
            json!({"size": 1}),
            422,
            "BatchGetItem",
        ),
        // The target is read, and its ancestors again for the response.
        put(
            &top,
            json!({"folder_id": ids[0]}),
            "3 BatchGetItem, TransactWriteItems",
        ),
        put(
            &top,
            json!({"folder_id": ids[4]}),
            "5 BatchGetItem, TransactWriteItems",
        ),
        put(
            &top,
            json!({"folder_id": null}),
            "2 BatchGetItem, TransactWriteItems",
        ),
        put(
            &top,
            json!({"folder_id": "root", "folder_path": "level 1/level 2"}),
            "3 BatchGetItem, 2 GetItem, TransactWriteItems",
        ),
        put(
            &top,
            json!({"folder_id": "root"}),
            "2 BatchGetItem, TransactWriteItems",
        ),
        // The first name is missing, and so are those below it. Each created folder is one write.
        put(
            &top,
            json!({"folder_id": "root", "folder_path": "x/y"}),
            "3 BatchGetItem, GetItem, 3 TransactWriteItems",
        ),
        put(
            &format!("{top}/access-control"),
            verified,
            "2 BatchGetItem, TransactWriteItems",
        ),
        (
            client,
            "DELETE",
            format!("{top}/access-control"),
            Value::Null,
            200,
            "2 BatchGetItem, TransactWriteItems",
        ),
        (
            client,
            "DELETE",
            top,
            Value::Null,
            204,
            "BatchGetItem, SendMessageBatch, TransactWriteItems",
        ),
        (
            client,
            "DELETE",
            inner,
            Value::Null,
            204,
            "BatchGetItem, SendMessageBatch, TransactWriteItems",
        ),
    ];

    assert_costs(stack, "files", &cases).await;
    stack.run_purges().await;
}
