//! Planned misbehaviour.

use aws_sdk_dynamodb::{
    error::{ProvideErrorMetadata as _, SdkError},
    types::{KeysAndAttributes, Put, PutRequest, TransactWriteItem, Update, WriteRequest},
};
use emulators::{InjectedError, Service};
use futures::future::join;

use crate::support::{Cloud, exists, principal, put, records, text};

#[tokio::test]
async fn a_lost_answer_took_effect() {
    let cloud = Cloud::with(&records()).await;
    let faults = cloud.emulators.faults();
    faults.lose_response(Service::DynamoDb, "PutItem", 1);
    assert_eq!(faults.pending(), 1);
    let client = cloud.dynamodb("operator");
    let put = client
        .put_item()
        .table_name("records")
        .item("pk", text("a"))
        .item("sk", text("-"))
        .send()
        .await;
    assert!(matches!(put, Err(SdkError::DispatchFailure(_))), "{put:?}");
    assert!(exists(&client, "a").await);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn a_refused_call_has_no_effect_and_the_next_one_has() {
    let cloud = Cloud::with(&records()).await;
    cloud.emulators.faults().fail(
        Service::DynamoDb,
        "PutItem",
        1,
        InjectedError::new(400, "ThrottlingException"),
    );
    let client = cloud.dynamodb("operator");
    assert!(!put(&client, "a").await);
    assert!(!exists(&client, "a").await);
    assert!(put(&client, "a").await);

    // The production client gets over it by itself.
    cloud.emulators.faults().fail(
        Service::DynamoDb,
        "PutItem",
        1,
        InjectedError::new(500, "InternalServerError"),
    );
    assert!(put(&cloud.patient_dynamodb(), "b").await);
    assert_eq!(cloud.emulators.faults().pending(), 0);
}

#[tokio::test]
async fn held_call_has_no_effect_until_it_is_released() {
    let cloud = Cloud::with(&records()).await;
    let client = cloud.dynamodb("operator");
    let mut hold = cloud.emulators.faults().hold("operator", 1);
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
async fn dropped_hold_holds_nothing() {
    let cloud = Cloud::with(&records()).await;
    let client = cloud.dynamodb("operator");
    let mut hold = cloud.emulators.faults().hold("operator", 0);
    let drop_it = async {
        hold.reached().await;
        drop(hold);
    };
    assert!(join(put(&client, "a"), drop_it).await.0);
    drop(cloud.emulators.faults().hold("operator", 0));
    assert!(put(&client, "b").await);
}

#[tokio::test]
async fn a_conflicting_transaction_is_cancelled_with_reasons() {
    let cloud = Cloud::with(&records()).await;
    cloud.emulators.faults().fail(
        Service::DynamoDb,
        "TransactWriteItems",
        1,
        InjectedError::new(400, "TransactionConflict"),
    );
    let client = cloud.dynamodb("operator");
    let member = |pk: &str| {
        let put = Put::builder()
            .table_name("records")
            .item("pk", text(pk))
            .item("sk", text("-"));
        TransactWriteItem::builder()
            .put(put.build().unwrap())
            .build()
    };
    let transaction = client
        .transact_write_items()
        .transact_items(member("a"))
        .transact_items(member("b"));
    let refused = transaction
        .clone()
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert_eq!(refused.code(), Some("TransactionCanceledException"));
    let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(
        cancelled,
    ) = refused
    else {
        panic!("{refused}");
    };
    let codes: Vec<_> = cancelled
        .cancellation_reasons()
        .iter()
        .map(|reason| reason.code().unwrap())
        .collect();
    assert_eq!(codes, ["TransactionConflict", "None"]);
    assert!(!exists(&client, "a").await);
    transaction.send().await.unwrap();
    assert!(exists(&client, "a").await);
}

#[tokio::test]
async fn a_transactions_token_counts_once_though_its_answer_is_lost() {
    let cloud = Cloud::with(&records()).await;
    cloud
        .emulators
        .faults()
        .lose_response(Service::DynamoDb, "TransactWriteItems", 1);
    let client = cloud.patient_dynamodb();
    let add = |by: &str| {
        let update = Update::builder()
            .table_name("records")
            .key("pk", text("n"))
            .key("sk", text("-"));
        let update = update
            .update_expression("ADD amount :by")
            .expression_attribute_values(
                ":by",
                aws_sdk_dynamodb::types::AttributeValue::N(by.to_owned()),
            );
        let member = TransactWriteItem::builder()
            .update(update.build().unwrap())
            .build();
        client
            .transact_write_items()
            .transact_items(member)
            .client_request_token("once")
    };
    add("1").send().await.unwrap();
    assert_eq!(cloud.emulators.faults().pending(), 0);
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
    // The same token for something else is a mistake of the caller's.
    let other = add("2").send().await.unwrap_err();
    assert_eq!(other.code(), Some("IdempotentParameterMismatchException"));
}

#[tokio::test]
async fn part_of_a_batch_comes_back_unprocessed() {
    let cloud = Cloud::with(&records()).await;
    let client = cloud.dynamodb("operator");
    let write = |pk: &str| {
        let put = PutRequest::builder()
            .item("pk", text(pk))
            .item("sk", text("-"))
            .build()
            .unwrap();
        WriteRequest::builder().put_request(put).build()
    };
    let faults = cloud.emulators.faults();
    faults.leave_unprocessed("BatchWriteItem", 1);
    let writes = vec![write("a"), write("b"), write("c")];
    let written = client
        .batch_write_item()
        .request_items("records", writes)
        .send()
        .await
        .unwrap();
    let left = &written.unprocessed_items.unwrap()["records"];
    assert_eq!(left.as_slice(), [write("c")]);
    assert!(exists(&client, "b").await && !exists(&client, "c").await);
    client
        .batch_write_item()
        .request_items("records", left.clone())
        .send()
        .await
        .unwrap();

    faults.leave_unprocessed("BatchGetItem", 1);
    let key = |pk: &str| [("pk".to_owned(), text(pk)), ("sk".to_owned(), text("-"))].into();
    let keys = KeysAndAttributes::builder()
        .keys(key("a"))
        .keys(key("c"))
        .consistent_read(true)
        .build()
        .unwrap();
    let read = client
        .batch_get_item()
        .request_items("records", keys)
        .send()
        .await
        .unwrap();
    assert_eq!(read.responses.unwrap()["records"].len(), 1);
    let left = &read.unprocessed_keys.unwrap()["records"];
    assert_eq!(
        (left.keys(), left.consistent_read()),
        ([key("c")].as_slice(), Some(true))
    );

    // Of a single key nothing is processed, and then it is.
    faults.leave_unprocessed("BatchGetItem", 1);
    let read = client
        .batch_get_item()
        .request_items("records", left.clone())
        .send()
        .await
        .unwrap();
    assert_eq!(read.unprocessed_keys.unwrap()["records"].keys(), [key("c")]);
    let read = client
        .batch_get_item()
        .request_items("records", left.clone())
        .send()
        .await
        .unwrap();
    assert_eq!(read.responses.unwrap()["records"].len(), 1);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn who_is_cut_off_has_no_effect_until_reconnected_but_for_the_call_that_was_under_way() {
    for takes_effect in [false, true] {
        let cloud = Cloud::with(&records()).await;
        cloud.emulators.admit(principal("other", &[("*", "*")]));
        let (client, other) = (cloud.dynamodb("operator"), cloud.dynamodb("other"));
        let faults = cloud.emulators.faults();
        faults.disconnect("operator", 1, takes_effect);
        assert!(put(&client, "passes").await);
        assert_eq!((faults.pending(), faults.broken_calls()), (1, 0));
        assert!(!put(&client, "under way").await && !put(&client, "after").await);
        assert_eq!((faults.pending(), faults.broken_calls()), (0, 2));
        assert!(exists(&other, "passes").await && !exists(&other, "after").await);
        assert_eq!(exists(&other, "under way").await, takes_effect);
        faults.reconnect();
        assert!(put(&client, "after").await);
    }
}
