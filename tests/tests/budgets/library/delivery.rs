//! The reads of a delivery decision: one for a file in the root, two for a file in a folder, three
//! for the first request after an ancestor was moved. A body takes one more call, and an API key
//! another one.

use serde_json::{Value, json};
use tests::{Client, Stack, minutes, stack_test};

use super::{Budget, DEEPEST, folder, nested, stored, warm};

/// Returns other calls, which sort before it, and a number of reads.
fn reads_and(calls: &str, number: usize) -> String {
    let reads = match number {
        1 => "TransactGetItems".to_owned(),
        number => format!("{number} TransactGetItems"),
    };
    if calls.is_empty() {
        reads
    } else {
        format!("{calls}, {reads}")
    }
}

/// Requests a file, and asserts status and calls.
async fn assert_calls(stack: &Stack, client: &Client, line: &str, status: u16, calls: &str) {
    let budget = Budget::of(stack, "delivery", client);
    budget.line(status, line, Value::Null, calls).await;
}

/// Requests files with a matching `If-None-Match`, and asserts that the function makes this number
/// of reads and no other call.
async fn assert_reads(stack: &Stack, url: &str, number: usize) {
    let client = &stack.anonymous;
    let request = client.request("GET", url).header("if-none-match", "*");
    let budget = Budget::of(stack, "delivery", client);
    budget.send(304, request, &reads_and("", number)).await;
}

#[stack_test]
async fn delivery_takes_one_read_at_root_and_two_in_folders(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, DEEPEST).await;
    let (anonymous, account, key) = (&stack.anonymous, &stack.account(), &acme.client);
    let with_unknown_key = &stack.anonymous.with_key("sk_nonsense");

    for (location, number) in [
        ("root", 1),
        (&ids[0], 2),
        (&ids[4], 2),
        (&ids[DEEPEST - 1], 2),
    ] {
        let file = stored(&acme, location).await;
        let get = format!("GET {}", file.url());
        let head = format!("HEAD {}", file.url());
        // Caches the ancestors.
        anonymous.fetch(file.url()).await;

        assert_reads(stack, file.url(), number).await;
        for (client, line, calls) in [
            (anonymous, &get, "GetObject"),
            (anonymous, &head, ""),
            (key, &head, "GetItem"),
            (key, &get, "GetItem, GetObject"),
            // No setting requires authentication, so the role is not read.
            (account, &head, "GetItem"),
            (with_unknown_key, &head, ""),
        ] {
            assert_calls(stack, client, line, 200, &reads_and(calls, number)).await;
        }

        acme.put_ok(file.path(), json!({"type": "private"})).await;
        let signed = format!("HEAD {}", acme.sign(&file, minutes(60)).await);
        for (client, line, status, calls) in [
            (anonymous, &head, 403, ""),
            (key, &head, 200, "GetItem"),
            (account, &head, 200, "2 GetItem"),
            (anonymous, &signed, 200, ""),
        ] {
            assert_calls(stack, client, line, status, &reads_and(calls, number)).await;
        }
    }
}

#[stack_test]
async fn rendering_takes_another_look_up_and_two_counts_without_credentials(stack: &Stack) {
    let acme = warm(stack).await;
    let file = stored(&acme, "root").await;
    let (anonymous, account, key) = (&stack.anonymous, &stack.account(), &acme.client);
    let get = |width: u32| format!("GET {}?w={width}", file.url());

    let head = format!("HEAD {}?w=20", file.url());
    let counted = "BatchGetItem, 3 GetObject, PutObject, TransactGetItems, 2 UpdateItem";
    let rendered = "BatchGetItem, GetItem, 3 GetObject, PutObject, TransactGetItems";
    for (client, line, calls) in [
        (anonymous, head, "2 GetObject, TransactGetItems"),
        (anonymous, get(20), counted),
        (anonymous, get(20), "GetObject, TransactGetItems"),
        (key, get(21), rendered),
        (key, get(21), "GetItem, GetObject, TransactGetItems"),
        (account, get(21), "2 GetItem, GetObject, TransactGetItems"),
        // Stored at the other place.
        (anonymous, get(21), "2 GetObject, TransactGetItems"),
    ] {
        assert_calls(stack, client, &line, 200, calls).await;
    }
}

#[stack_test]
async fn delivery_takes_three_reads_once_after_ancestor_moved(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, 5).await;
    let other = folder(&acme, "other", None).await;
    let outer = folder(&acme, "outer", None).await;
    let file = stored(&acme, &ids[4]).await;
    let sibling = stored(&acme, &ids[4]).await;
    for file in [&file, &sibling] {
        stack.anonymous.fetch(file.url()).await;
    }
    let assert_reads_of_both = async |first: usize| {
        for number in [first, 2, 2] {
            assert_reads(stack, file.url(), number).await;
        }
        // The cached ancestors of a folder serve all files in it.
        assert_reads(stack, sibling.url(), 2).await;
    };
    let put = async |id: &str, body: Value| {
        acme.put_ok(&format!("/folders/{id}"), body).await;
    };

    assert_reads_of_both(2).await;
    put(&ids[2], json!({"parent_id": other})).await;
    assert_reads_of_both(3).await;
    put(&other, json!({"parent_id": outer})).await;
    assert_reads_of_both(3).await;
    // All ancestors of the outer place are cached.
    put(&ids[2], json!({"parent_id": null})).await;
    assert_reads_of_both(2).await;
    // Back to the recorded path.
    put(&ids[2], json!({"parent_id": ids[1]})).await;
    assert_reads_of_both(2).await;
    // A rename does not change ancestors.
    put(&ids[1], json!({"name": "renamed"})).await;
    assert_reads_of_both(2).await;

    acme.put_ok(file.path(), json!({"folder_id": outer})).await;
    assert_reads_of_both(2).await;
}

#[stack_test]
async fn delivery_of_missing_file_stays_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let lost = folder(&acme, "lost", None).await;
    let file = stored(&acme, &lost).await;
    let base = stack.local.cdn_url();
    stack.remove_folder_record(&acme, &lost).await;

    let missing = format!("{base}/{}/nothing.jpg", acme.handle);
    for (url, status, calls) in [
        (file.url(), 403, "2 TransactGetItems"),
        (&missing, 404, "TransactGetItems"),
        (&format!("{base}/acme01/photo.jpg"), 404, "TransactGetItems"),
        (&format!("{base}/photo.jpg"), 404, ""),
        (&format!("{base}/NO%20HANDLE/photo.jpg"), 404, ""),
    ] {
        let line = format!("GET {url}");
        assert_calls(stack, &stack.anonymous, &line, status, calls).await;
    }
}
