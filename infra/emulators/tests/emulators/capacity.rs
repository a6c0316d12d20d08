//! Throughput limits of DynamoDB items.

use aws_sdk_dynamodb::{
    error::ProvideErrorMetadata,
    operation::transact_write_items::TransactWriteItemsError,
    types::{AttributeValue, Put, TransactWriteItem},
};

use crate::support::{Emulation, records};

/// Size of an item whose write in a transaction takes 800 of the 1,000 write units of a second.
const LARGE_BYTES: usize = 399 * 1_024;

fn put(name: &str) -> TransactWriteItem {
    let text = |text: String| AttributeValue::S(text);
    let put = Put::builder()
        .table_name("records")
        .item("pk", text(name.to_owned()))
        .item("sk", text(name.to_owned()))
        .item("data", text("x".repeat(LARGE_BYTES)));
    TransactWriteItem::builder()
        .put(put.build().unwrap())
        .build()
}

/// Writes items in a transaction. Returns the cancellation reasons, which are empty if it succeeded.
async fn transact(client: &aws_sdk_dynamodb::Client, names: &[&str]) -> Vec<String> {
    let items = names.iter().map(|name| put(name)).collect();
    let sent = client
        .transact_write_items()
        .set_transact_items(Some(items))
        .send()
        .await;
    let Err(error) = sent else {
        return Vec::new();
    };
    let TransactWriteItemsError::TransactionCanceledException(canceled) =
        error.into_service_error()
    else {
        panic!("the transaction was not cancelled");
    };
    let reasons = canceled.cancellation_reasons().iter();
    reasons
        .filter_map(|reason| reason.code().map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn enforced_limits_throttle_each_item_until_the_next_second() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    emulation.emulators.capacity().enforce();

    assert!(transact(&client, &["a"]).await.is_empty());
    assert_eq!(
        transact(&client, &["b", "a"]).await,
        ["None", "ThrottlingError"]
    );
    assert!(
        transact(&client, &["b"]).await.is_empty(),
        "the cancelled transaction took no units of it"
    );

    let delete = client
        .delete_item()
        .table_name("records")
        .key("pk", AttributeValue::S("a".to_owned()))
        .key("sk", AttributeValue::S("a".to_owned()));
    let throttled = delete.clone().send().await.unwrap_err();
    assert_eq!(throttled.code(), Some("ThrottlingException"));

    emulation.clock.advance(1);
    delete.send().await.unwrap();
}

#[tokio::test]
async fn limits_are_not_enforced_at_the_start() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    for _ in 0..3 {
        assert!(transact(&client, &["a"]).await.is_empty());
    }
}
