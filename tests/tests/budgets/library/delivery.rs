//! The reads of a delivery decision: one for a file in the root, two for a file in a folder, three
//! for the first request after an ancestor was moved. A body takes one more call, and an API key
//! another one.

use serde_json::{Value, json};
use tests::{Client, Stack, TestSpace, file_path, stack_test, text};

use super::{Cost, DEEPEST, cost, folder, nested, stored, warm};

/// Returns a number of reads in the format of [`cost`].
fn reads(number: usize) -> String {
    if number == 1 {
        "TransactGetItems".to_owned()
    } else {
        format!("{number} TransactGetItems")
    }
}

/// Returns other calls and a number of reads. The other calls must sort before the reads.
fn reads_and(calls: &str, number: usize) -> String {
    format!("{calls}, {}", reads(number))
}

/// Requests a file with a matching `If-None-Match`, and asserts that the function makes this number
/// of reads and no other call.
async fn assert_reads(stack: &Stack, url: &str, number: usize, when: &str) {
    let condition = [("if-none-match", "*")];
    let conditional = stack.anonymous.get_with(url, &condition);
    assert_eq!(
        cost(stack, "delivery", 304, conditional).await.calls,
        reads(number),
        "{when}"
    );
}

/// Requests a file once, and returns its URL.
async fn cache_ancestors(stack: &Stack, file: &Value) -> String {
    let url = text(&file["url"]);
    stack.anonymous.fetch(&url).await;
    url
}

async fn put_folder(acme: &TestSpace, id: &str, parent: Value) {
    acme.put_ok(&format!("/folders/{id}"), json!({ "parent_id": parent }))
        .await;
}

#[stack_test]
async fn delivery_takes_one_read_at_root_and_two_in_folders(stack: &Stack) {
    let acme = warm(stack).await;
    let ids = nested(&acme, DEEPEST).await;
    let account = stack.account();
    let first = ids[0].as_str();
    let fifth = ids[4].as_str();
    let deepest = ids[DEEPEST - 1].as_str();

    for (location, number) in [("root", 1), (first, 2), (fifth, 2), (deepest, 2)] {
        let file = stored(&acme, location).await;
        let url = cache_ancestors(stack, &file).await;
        assert_reads(stack, &url, number, location).await;
        let with_unknown_key = stack.anonymous.with_key("sk_nonsense");
        let requests = [
            delivery_cost(&stack.anonymous, "GET", 200, reads_and("GetObject", number)),
            delivery_cost(&stack.anonymous, "HEAD", 200, reads(number)),
            delivery_cost(&acme.client, "HEAD", 200, reads_and("GetItem", number)),
            delivery_cost(
                &acme.client,
                "GET",
                200,
                reads_and("GetItem, GetObject", number),
            ),
            // No setting requires authentication, so the role is not read.
            delivery_cost(&account, "HEAD", 200, reads_and("GetItem", number)),
            delivery_cost(&with_unknown_key, "HEAD", 200, reads(number)),
        ];
        assert_responses(stack, &url, &requests, location).await;
        acme.put_ok(&file_path(&file), json!({"type": "private"}))
            .await;
        let signed = acme
            .post_ok(&format!("{}/signed-url", file_path(&file)), json!({}))
            .await;
        let requests = [
            delivery_cost(&stack.anonymous, "HEAD", 403, reads(number)),
            delivery_cost(&acme.client, "HEAD", 200, reads_and("GetItem", number)),
            delivery_cost(&account, "HEAD", 200, reads_and("2 GetItem", number)),
        ];
        assert_responses(stack, &url, &requests, location).await;
        let opened = [delivery_cost(&stack.anonymous, "HEAD", 200, reads(number))];
        assert_responses(stack, &text(&signed["url"]), &opened, location).await;
    }
}

#[stack_test]
async fn rendering_takes_another_look_up_and_two_counts_without_credentials(stack: &Stack) {
    let acme = warm(stack).await;
    let file = stored(&acme, "root").await;
    let url = |width: u32| format!("{}?w={width}", text(&file["url"]));
    let anonymous = &stack.anonymous;
    let account = stack.account();
    let calls = |calls: &str| calls.to_owned();

    let rendered = calls("BatchGetItem, GetItem, 3 GetObject, PutObject, TransactGetItems");
    let counted = calls("BatchGetItem, 3 GetObject, PutObject, TransactGetItems, 2 UpdateItem");
    for (width, request) in [
        (
            20,
            delivery_cost(anonymous, "HEAD", 200, reads_and("2 GetObject", 1)),
        ),
        (20, delivery_cost(anonymous, "GET", 200, counted)),
        (
            20,
            delivery_cost(anonymous, "GET", 200, reads_and("GetObject", 1)),
        ),
        (21, delivery_cost(&acme.client, "GET", 200, rendered)),
        (
            21,
            delivery_cost(&acme.client, "GET", 200, reads_and("GetItem, GetObject", 1)),
        ),
        (
            21,
            delivery_cost(&account, "GET", 200, reads_and("2 GetItem, GetObject", 1)),
        ),
        // Stored at the other place.
        (
            21,
            delivery_cost(anonymous, "GET", 200, reads_and("2 GetObject", 1)),
        ),
    ] {
        assert_responses(stack, &url(width), &[request], "root").await;
    }
}

/// A request for a file, its status and its calls.
struct DeliveryCost<'a> {
    client: &'a Client,
    method: &'static str,
    status: u16,
    calls: String,
}

fn delivery_cost<'a>(
    client: &'a Client,
    method: &'static str,
    status: u16,
    calls: String,
) -> DeliveryCost<'a> {
    DeliveryCost {
        client,
        method,
        status,
        calls,
    }
}

async fn assert_responses(stack: &Stack, url: &str, requests: &[DeliveryCost<'_>], location: &str) {
    for request in requests {
        let client = request.client;
        let sent = client.send(client.request(request.method, url));
        assert_eq!(
            cost(stack, "delivery", request.status, sent).await.calls,
            request.calls,
            "{location}: {} {url}",
            request.method
        );
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
    let url = cache_ancestors(stack, &file).await;
    let sibling_url = cache_ancestors(stack, &sibling).await;
    let assert_reads_of_both = async |first: usize, when: &str| {
        for number in [first, 2, 2] {
            assert_reads(stack, &url, number, when).await;
        }
        // The cached ancestors of a folder serve all files in it.
        assert_reads(stack, &sibling_url, 2, when).await;
    };
    assert_reads_of_both(2, "before").await;
    put_folder(&acme, &ids[2], json!(other)).await;
    assert_reads_of_both(3, "after an ancestor moved").await;
    put_folder(&acme, &other, json!(outer)).await;
    assert_reads_of_both(3, "after its new parent moved").await;
    put_folder(&acme, &ids[2], Value::Null).await;
    assert_reads_of_both(2, "moved up, with all ancestors cached").await;
    put_folder(&acme, &ids[2], json!(ids[1])).await;
    assert_reads_of_both(2, "moved back to the recorded path").await;

    // A rename does not change ancestors.
    acme.put_ok(&format!("/folders/{}", ids[1]), json!({"name": "renamed"}))
        .await;
    assert_reads_of_both(2, "after an ancestor was renamed").await;
    acme.put_ok(&file_path(&file), json!({"folder_id": outer}))
        .await;
    assert_reads_of_both(2, "after the file moved").await;
}

#[stack_test]
async fn delivery_of_missing_file_stays_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;
    let lost = folder(&acme, "lost", None).await;
    let file = stored(&acme, &lost).await;
    let url = text(&file["url"]);
    let base = stack.local.cdn_url().to_owned();
    stack.remove_folder_record(&acme, &lost).await;

    let cases = [
        (url, 403, reads(2)),
        (format!("{base}/{}/nothing.jpg", acme.handle), 404, reads(1)),
        (format!("{base}/acme01/photo.jpg"), 404, reads(1)),
        (format!("{base}/photo.jpg"), 404, String::new()),
        (format!("{base}/NO%20HANDLE/photo.jpg"), 404, String::new()),
    ];

    for (address, status, expected) in cases {
        let Cost { response, calls } =
            cost(stack, "delivery", status, stack.anonymous.get(&address)).await;
        assert_eq!(calls, expected, "{}", response.request);
    }
}
