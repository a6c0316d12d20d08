//! Planned faults.

use std::collections::HashMap;

use aws_sdk_dynamodb::{
    error::ProvideErrorMetadata as _,
    types::{
        AttributeValue, KeysAndAttributes, PutRequest, TransactWriteItem, Update, WriteRequest,
    },
};
use emulators::{InjectedError, Service};
use futures::future::join;

use crate::support::{
    Emulation, allow, exists, principal, put, records, text, transact, transactional_put,
};

#[tokio::test]
async fn call_with_lost_response_takes_effect() {
    let emulation = Emulation::with(&records()).await;
    let faults = emulation.emulators.faults();
    faults.lose_response(Service::DynamoDb, "PutItem", 1);
    assert_eq!(faults.pending(), 1);
    assert_eq!(
        faults.describe_pending(),
        ["LoseResponse for 1 attempts of DynamoDb PutItem"]
    );

    let client = emulation.dynamodb("unrestricted");
    assert!(!put(&client, "a").await);
    assert!(exists(&client, "a").await);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn failed_call_has_no_effect_and_retry_succeeds() {
    let emulation = Emulation::with(&records()).await;
    emulation.emulators.faults().fail(
        Service::DynamoDb,
        "PutItem",
        1,
        InjectedError::new(400, "ThrottlingException"),
    );
    let client = emulation.dynamodb("unrestricted");
    assert!(!put(&client, "a").await);
    assert!(!exists(&client, "a").await);
    assert!(put(&client, "a").await);

    // The production clients retry.
    emulation.emulators.faults().fail(
        Service::DynamoDb,
        "PutItem",
        1,
        InjectedError::new(500, "InternalServerError"),
    );
    assert!(put(&emulation.retrying_dynamodb(), "b").await);
    assert_eq!(emulation.emulators.faults().pending(), 0);
}

#[tokio::test]
async fn held_call_has_no_effect_until_it_is_released() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    let mut hold = emulation.emulators.faults().hold("unrestricted", 1);
    assert!(put(&client, "a").await);

    let observe = async {
        hold.reached().await;
        assert!(exists(&client, "a").await && !exists(&client, "b").await);
        hold.release();
    };

    let (is_put, ()) = join(put(&client, "b"), observe).await;

    assert!(is_put && exists(&client, "b").await);
}

#[tokio::test]
async fn dropped_hold_releases_call() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    let mut hold = emulation.emulators.faults().hold("unrestricted", 0);
    let drop_it = async {
        hold.reached().await;
        drop(hold);
    };
    assert!(join(put(&client, "a"), drop_it).await.0);
    drop(emulation.emulators.faults().hold("unrestricted", 0));
    assert!(put(&client, "b").await);
}

#[tokio::test]
async fn conflicting_transaction_is_cancelled_with_reasons() {
    let emulation = Emulation::with(&records()).await;
    emulation.emulators.faults().fail(
        Service::DynamoDb,
        "TransactWriteItems",
        1,
        InjectedError::new(400, "TransactionConflict"),
    );

    let client = emulation.dynamodb("unrestricted");
    let writes = ["a", "b"].map(transactional_put);
    let reasons = transact(&client, &writes).await;
    assert_eq!(reasons.unwrap(), ["TransactionConflict", "None"]);
    assert!(!exists(&client, "a").await);

    assert_eq!(transact(&client, &writes).await, None);
    assert!(exists(&client, "a").await);
}

#[tokio::test]
async fn transaction_token_applies_once_after_lost_response() {
    let emulation = Emulation::with(&records()).await;
    emulation
        .emulators
        .faults()
        .lose_response(Service::DynamoDb, "TransactWriteItems", 1);

    let client = emulation.retrying_dynamodb();
    let add = |by: &str| {
        let update = Update::builder()
            .table_name("records")
            .key("pk", text("n"))
            .key("sk", text("-"));
        let update = update
            .update_expression("ADD amount :by")
            .expression_attribute_values(":by", AttributeValue::N(by.to_owned()));
        let member = TransactWriteItem::builder()
            .update(update.build().unwrap())
            .build();
        client
            .transact_write_items()
            .transact_items(member)
            .client_request_token("once")
    };

    add("1").send().await.unwrap();
    assert_eq!(emulation.emulators.faults().pending(), 0);
    add("1").send().await.unwrap();

    let item = client
        .get_item()
        .table_name("records")
        .key("pk", text("n"))
        .key("sk", text("-"))
        .send()
        .await
        .unwrap();

    assert_eq!(item.item.unwrap()["amount"].as_n().unwrap(), "1");

    // Reusing the token for another transaction is an error.
    let other = add("2").send().await.unwrap_err();
    assert_eq!(other.code(), Some("IdempotentParameterMismatchException"));
}

fn write_request(pk: &str) -> WriteRequest {
    let put = PutRequest::builder()
        .item("pk", text(pk))
        .item("sk", text("-"))
        .build()
        .unwrap();
    WriteRequest::builder().put_request(put).build()
}

fn key(pk: &str) -> HashMap<String, AttributeValue> {
    [("pk".to_owned(), text(pk)), ("sk".to_owned(), text("-"))].into()
}

#[tokio::test]
async fn half_of_a_batch_write_is_returned_unprocessed() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    let faults = emulation.emulators.faults();
    faults.leave_unprocessed("BatchWriteItem", 1);

    let writes = ["a", "b", "c"].map(write_request);
    let output = client
        .batch_write_item()
        .request_items("records", writes.to_vec())
        .send()
        .await
        .unwrap();

    let unprocessed = &output.unprocessed_items.unwrap()["records"];
    assert_eq!(unprocessed.as_slice(), [write_request("c")]);
    assert!(exists(&client, "b").await && !exists(&client, "c").await);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn half_of_a_batch_read_is_returned_unprocessed() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    assert!(put(&client, "a").await && put(&client, "b").await);

    let faults = emulation.emulators.faults();
    faults.leave_unprocessed("BatchGetItem", 2);
    let keys = KeysAndAttributes::builder()
        .keys(key("a"))
        .keys(key("b"))
        .consistent_read(true)
        .build()
        .unwrap();
    let read = async |keys: &KeysAndAttributes| {
        let batch = client.batch_get_item();
        let request = batch.request_items("records", keys.clone());
        request.send().await.unwrap()
    };

    let output = read(&keys).await;
    assert_eq!(output.responses.unwrap()["records"].len(), 1);

    let unprocessed = &output.unprocessed_keys.unwrap()["records"];
    assert_eq!(unprocessed.keys(), [key("b")]);
    assert_eq!(unprocessed.consistent_read(), Some(true));

    // A batch of one key is returned as a whole.
    let output = read(unprocessed).await;
    let still_unprocessed = &output.unprocessed_keys.unwrap()["records"];
    assert_eq!(still_unprocessed.keys(), [key("b")]);

    let output = read(unprocessed).await;
    assert_eq!(output.responses.unwrap()["records"].len(), 1);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn disconnected_principal_has_no_effect_until_reconnected() {
    for takes_effect in [false, true] {
        let emulation = Emulation::with(&records()).await;
        emulation
            .emulators
            .register_principal(principal("other", [allow("*", "*")]));
        let client = emulation.dynamodb("unrestricted");
        let other = emulation.dynamodb("other");
        let faults = emulation.emulators.faults();

        faults.disconnect("unrestricted", 1, takes_effect);
        assert!(put(&client, "passes").await);
        assert_eq!(faults.pending(), 1);
        assert_eq!(faults.broken_calls(), 0);

        assert!(!put(&client, "under way").await);
        assert!(!put(&client, "after").await);
        assert_eq!(faults.pending(), 0);
        assert_eq!(faults.broken_calls(), 2);

        assert!(exists(&other, "passes").await);
        assert!(!exists(&other, "after").await);
        assert_eq!(exists(&other, "under way").await, takes_effect);

        faults.reconnect();
        assert!(put(&client, "after").await);
    }
}
