//! The number of AWS calls of requests that concern files and folders. It depends neither on the
//! size of the library nor on the depth of folders.

mod delivery;
mod files;
mod folders;
mod uploads;

use serde_json::{Value, json};
use tests::{Observed, PHOTO, Response, Stack, TestSpace};

use super::{ApiRequest, totals};

/// Maximum depth of folders.
const DEEPEST: usize = 20;
/// The call that counts a request of a key that was used in this minute before.
const COUNTED: &str = "UpdateItem";

/// Creates a space and uses its key and the account key once, since recording the first use in a
/// minute takes more writes.
async fn warm(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    for client in [&acme.client, &stack.account()] {
        client.get_ok(&acme.path()).await;
    }
    acme
}

/// The response to a request, and the calls that it took.
struct Cost {
    response: Response,
    /// Each operation, with its number if there are several.
    calls: String,
}

/// Runs a request, and returns its response and the calls of its function.
async fn cost(
    stack: &Stack,
    function: &str,
    status: u16,
    request: impl Future<Output = Response>,
) -> Cost {
    let Observed {
        output: response,
        calls,
    } = stack.calls_of(request).await;
    let response = response.expect_status(status);
    let operations = calls.iter().map(|call| {
        let (principal, operation) = call.split_once(' ').expect("who called, and what for");
        assert_eq!(principal, function, "{}: {calls:?}", response.request);
        operation
    });
    let calls = totals(operations);

    Cost { response, calls }
}

/// A request, its status, and its calls apart from [`COUNTED`].
struct Costed<'a> {
    request: ApiRequest<'a>,
    status: u16,
    calls: &'a str,
}

fn costed<'a>(request: ApiRequest<'a>, status: u16, calls: &'a str) -> Costed<'a> {
    Costed {
        request,
        status,
        calls,
    }
}

/// Sends requests one after another, and asserts the calls of each.
async fn assert_costs(stack: &Stack, function: &str, cases: &[Costed<'_>]) {
    let mut others = Vec::new();
    for case in cases {
        let sent = case.request.client.send(case.request.build());
        let cost = cost(stack, function, case.status, sent).await;
        let expected = counted(case.calls);
        if cost.calls != expected {
            others.push(format!("{}: {}, not {expected}", case.request, cost.calls));
        }
    }

    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// Adds [`COUNTED`], which sorts after all other calls.
fn counted(calls: &str) -> String {
    format!("{calls}, {COUNTED}")
}

/// Creates a folder in a parent or in the root, and returns its id.
async fn folder(acme: &TestSpace, name: &str, parent: Option<&str>) -> String {
    acme.folder(name).inside_id(parent).await.id
}

/// Creates nested folders, and returns their ids, the outermost first.
async fn nested(acme: &TestSpace, depth: usize) -> Vec<String> {
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
async fn stored(acme: &TestSpace, folder_id: &str) -> Value {
    acme.upload(PHOTO)
        .into(&json!({"id": folder_id}))
        .await
        .record
}
