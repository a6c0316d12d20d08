//! How many calls to AWS each request costs, counted on the wire.

use serde_json::json;
use tests::{Client, Stack, Tenant, minutes};

/// Uses each key once, so that noting its use is not counted: that costs two writes, once a minute.
async fn warm(stack: &Stack, acme: &Tenant) {
    for client in [&acme.client, &stack.account()] {
        client.get(&format!("/spaces/{}", acme.id)).await.ok();
    }
}

#[tokio::test]
async fn requests_cost_what_they_may() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let record = acme.upload_photo().await;
    let (file, url) = (record["id"].as_str().expect("an id"), record["url"].as_str().expect("an address"));
    let account = stack.account();
    warm(&stack, &acme).await;
    let space = format!("/spaces/{}", acme.id);
    let keys = format!("{space}/api-keys");
    let file = format!("/files/{file}");
    let gets: [(&Client, &str, &[&str]); 12] = [
        (&acme.client, &space, &["spaces GetItem", "spaces UpdateItem"]),
        (&account, &space, &["spaces BatchGetItem", "spaces UpdateItem"]),
        (&acme.client, &keys, &["spaces GetItem", "spaces Query", "spaces UpdateItem"]),
        (&account, &keys, &["spaces BatchGetItem", "spaces Query", "spaces UpdateItem"]),
        (&acme.client, &file, &["files BatchGetItem", "files UpdateItem"]),
        (&account, &file, &["files BatchGetItem", "files GetItem", "files UpdateItem"]),
        (&acme.client, "/spaces", &["spaces GetItem", "spaces UpdateItem"]),
        (&account, "/spaces", &["spaces BatchGetItem", "spaces Query", "spaces UpdateItem"]),
        (&acme.client, "/account", &["spaces BatchGetItem", "spaces UpdateItem"]),
        (&account, "/account", &["spaces BatchGetItem", "spaces BatchGetItem", "spaces UpdateItem"]),
        (&stack.anonymous, url, &["delivery BatchGetItem", "delivery GetObject"]),
        (&acme.client, url, &["delivery BatchGetItem", "delivery GetItem", "delivery GetObject"]),
    ];
    for (client, address, expected) in gets {
        let (answer, calls) = stack.calls_of(client.get(address)).await;
        assert_eq!(calls, expected, "{}", answer.demand(200).asked);
    }

    let (_, calls) = stack.calls_of(acme.upload_photo()).await;
    let upload = [
        "uploads GetItem",
        "uploads GetItem",
        "uploads GetItem",
        "uploads PutObject",
        "uploads TransactWriteItems",
        "uploads UpdateItem",
    ];
    assert_eq!(calls, upload);
    let (_, calls) = stack.calls_of(account.post("/spaces", json!({"name": "Other"}))).await;
    assert_eq!(calls, ["spaces TransactWriteItems", "spaces UpdateItem"]);
    let (_, calls) = stack.calls_of(acme.client.post(&keys, json!({"name": "other"}))).await;
    assert_eq!(calls, ["spaces GetItem", "spaces TransactWriteItems", "spaces UpdateItem", "spaces UpdateItem"]);
    let (_, calls) = stack.calls_of(acme.client.delete(&format!("{keys}/{}", acme.key_id))).await;
    let revoke = ["spaces GetItem", "spaces GetItem", "spaces UpdateItem", "spaces UpdateItem", "spaces UpdateItem"];
    assert_eq!(calls, revoke);
    stack.stop().await;
}

#[tokio::test]
async fn noting_a_keys_use_costs_two_writes_a_minute() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    warm(&stack, &acme).await;
    stack.clock.advance(minutes(1));
    let space = format!("/spaces/{}", acme.id);
    let get = || acme.client.get(&space);
    let (_, first) = stack.calls_of(get()).await;
    let (_, second) = stack.calls_of(get()).await;
    assert_eq!(first, ["spaces GetItem", "spaces UpdateItem", "spaces UpdateItem", "spaces UpdateItem"]);
    assert_eq!(second, ["spaces GetItem", "spaces UpdateItem"]);
    stack.stop().await;
}

#[tokio::test]
async fn a_refusal_costs_no_more_than_it_takes_to_know() {
    let stack = Stack::start().await;
    let (_, calls) = stack.calls_of(stack.anonymous.with_key("sk_malformed").get("/spaces/x")).await;
    assert!(calls.is_empty(), "{calls:?}");
    let cdn = stack.cloud.cdn_url().trim_start_matches("http://");
    let (status, calls) = stack.calls_of(crate::delivery::raw_status(cdn, "/acme01/../b")).await;
    assert_eq!((status, calls.len()), (400, 0), "{calls:?}");
    stack.stop().await;
}
