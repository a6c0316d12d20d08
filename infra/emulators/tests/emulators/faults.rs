//! Planned faults.

use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, PutRequest, TransactWriteItem, Update, WriteRequest,
};
use emulators::{Hold, InjectedError, Service::DynamoDb};
use futures::future::join;

use crate::support::{Emulation, code, exists, item, put, transact, transactional_put};

#[tokio::test]
async fn planned_fault_applies_once_before_or_after_a_call_takes_effect() {
    let emulation = Emulation::start().await;
    let client = emulation.dynamodb("unrestricted");
    let faults = emulation.emulators.faults();

    faults.lose_response(DynamoDb, "PutItem", 1);
    assert_eq!(faults.pending(), 1);
    let described = ["LoseResponse for 1 attempts of DynamoDb PutItem"];
    assert_eq!(faults.describe_pending(), described);
    assert!(!put(&client, "lost").await && exists(&client, "lost").await);
    assert_eq!(faults.pending(), 0);

    let throttling = InjectedError::new(400, "ThrottlingException");
    faults.fail(DynamoDb, "PutItem", 1, throttling);
    assert!(!put(&client, "a").await && !exists(&client, "a").await);
    assert!(put(&client, "a").await);

    // The production clients retry.
    let failure = InjectedError::new(500, "InternalServerError");
    faults.fail(DynamoDb, "PutItem", 1, failure);
    assert!(put(&emulation.retrying_dynamodb(), "b").await);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn held_call_has_no_effect_until_its_hold_is_released_or_dropped() {
    let emulation = Emulation::start().await;
    let client = emulation.dynamodb("unrestricted");
    let faults = emulation.emulators.faults();

    for (pk, end) in [
        ("released", Hold::release as fn(Hold)),
        ("dropped", drop::<Hold> as fn(Hold)),
    ] {
        let mut hold = faults.hold("unrestricted", 1);
        assert!(put(&client, "passes").await);
        let observe = async {
            hold.reached().await;
            assert!(!exists(&client, pk).await);
            end(hold);
        };
        let (is_put, ()) = join(put(&client, pk), observe).await;
        assert!(is_put && exists(&client, pk).await);
    }

    drop(faults.hold("unrestricted", 0));
    assert!(put(&client, "cancelled").await);
}

#[tokio::test]
async fn conflicting_transaction_is_cancelled_with_reasons() {
    let emulation = Emulation::start().await;
    let client = emulation.dynamodb("unrestricted");
    let conflict = InjectedError::new(400, "TransactionConflict");
    let faults = emulation.emulators.faults();
    faults.fail(DynamoDb, "TransactWriteItems", 1, conflict);

    let writes = ["a", "b"].map(transactional_put);
    let reasons = transact(&client, &writes).await;
    assert_eq!(reasons.unwrap(), ["TransactionConflict", "None"]);
    assert!(!exists(&client, "a").await);

    assert_eq!(transact(&client, &writes).await, None);
    assert!(exists(&client, "a").await);
}

#[tokio::test]
async fn transaction_token_applies_once_after_lost_response() {
    let emulation = Emulation::start().await;
    let client = emulation.retrying_dynamodb();
    let faults = emulation.emulators.faults();
    faults.lose_response(DynamoDb, "TransactWriteItems", 1);
    let add = |by: &str| {
        let update = Update::builder()
            .table_name("records")
            .set_key(Some(item("n")))
            .update_expression("ADD amount :by")
            .expression_attribute_values(":by", AttributeValue::N(by.to_owned()));
        let member = TransactWriteItem::builder().update(update.build().unwrap());
        client
            .transact_write_items()
            .transact_items(member.build())
            .client_request_token("once")
    };

    add("1").send().await.unwrap();
    assert_eq!(faults.pending(), 0);
    add("1").send().await.unwrap();

    let get = client.get_item().table_name("records");
    let found = get.set_key(Some(item("n"))).send().await.unwrap();
    assert_eq!(found.item.unwrap()["amount"].as_n().unwrap(), "1");

    // Reusing the token for another transaction is an error.
    let other = add("2").send().await.unwrap_err();
    assert_eq!(code(other), "IdempotentParameterMismatchException");
}

fn write_request(pk: &str) -> WriteRequest {
    let put = PutRequest::builder().set_item(Some(item(pk)));
    WriteRequest::builder()
        .put_request(put.build().unwrap())
        .build()
}

#[tokio::test]
async fn half_of_a_batch_is_returned_unprocessed() {
    let emulation = Emulation::start().await;
    let client = emulation.dynamodb("unrestricted");
    let faults = emulation.emulators.faults();

    faults.leave_unprocessed("BatchWriteItem", 1);
    let writes = ["a", "b", "c"].map(write_request).to_vec();
    let batch = client.batch_write_item().request_items("records", writes);
    let unprocessed = batch.send().await.unwrap().unprocessed_items.unwrap();
    assert_eq!(unprocessed["records"], [write_request("c")]);
    assert!(exists(&client, "b").await && !exists(&client, "c").await);

    faults.leave_unprocessed("BatchGetItem", 2);
    let read = async |keys: &KeysAndAttributes| {
        let batch = client.batch_get_item();
        let request = batch.request_items("records", keys.clone());
        request.send().await.unwrap()
    };
    let keys = KeysAndAttributes::builder()
        .keys(item("a"))
        .keys(item("b"))
        .consistent_read(true)
        .build()
        .unwrap();
    let output = read(&keys).await;
    assert_eq!(output.responses.unwrap()["records"].len(), 1);
    let unprocessed = &output.unprocessed_keys.unwrap()["records"];
    assert_eq!(unprocessed.keys(), [item("b")]);
    assert_eq!(unprocessed.consistent_read(), Some(true));

    // A batch of one key is returned as a whole.
    let output = read(unprocessed).await;
    let still_unprocessed = &output.unprocessed_keys.unwrap()["records"];
    assert_eq!(still_unprocessed.keys(), [item("b")]);

    let output = read(unprocessed).await;
    assert_eq!(output.responses.unwrap()["records"].len(), 1);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn disconnected_principal_has_no_effect_until_reconnected() {
    for takes_effect in [false, true] {
        let emulation = Emulation::start().await;
        emulation.register("other", &[("*", "*")]);
        let client = emulation.dynamodb("unrestricted");
        let other = emulation.dynamodb("other");
        let faults = emulation.emulators.faults();

        faults.disconnect("unrestricted", 1, takes_effect);
        assert!(put(&client, "passes").await);
        assert_eq!((faults.pending(), faults.broken_calls()), (1, 0));

        assert!(!put(&client, "under way").await);
        assert!(!put(&client, "after").await);
        assert_eq!((faults.pending(), faults.broken_calls()), (0, 2));
        assert!(exists(&other, "passes").await);
        assert!(!exists(&other, "after").await);
        assert_eq!(exists(&other, "under way").await, takes_effect);

        faults.reconnect();
        assert!(put(&client, "after").await);
    }
}
