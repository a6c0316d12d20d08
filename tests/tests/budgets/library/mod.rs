//! The number of AWS calls of requests that concern files and folders. It depends neither on the
//! size of the library nor on the depth of folders.

mod delivery;
mod files;
mod folders;
mod uploads;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, Tenant, form};

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
