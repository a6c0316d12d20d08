//! Throughput limits of DynamoDB items.

use aws_sdk_dynamodb::{
    error::ProvideErrorMetadata,
    types::{Put, TransactWriteItem},
};

use crate::support::{Emulation, records, text, transact};

/// Returns a put that takes 800 of the 1,000 write units of a second, as it is in a transaction.
fn large_put(name: &str) -> TransactWriteItem {
    let put = Put::builder()
        .table_name("records")
        .item("pk", text(name))
        .item("sk", text(name))
        .item("data", text(&"x".repeat(399 * 1_024)));
    TransactWriteItem::builder()
        .put(put.build().unwrap())
        .build()
}

#[tokio::test]
async fn enforced_limits_throttle_each_item_until_the_next_second() {
    let emulation = Emulation::with(&records()).await;
    let client = emulation.dynamodb("unrestricted");
    for _ in 0..3 {
        assert_eq!(transact(&client, &[large_put("a")]).await, None);
    }

    emulation.emulators.capacity().enforce();

    assert_eq!(transact(&client, &[large_put("a")]).await, None);
    let reasons = transact(&client, &[large_put("b"), large_put("a")]).await;
    assert_eq!(reasons.unwrap(), ["None", "ThrottlingError"]);
    // The cancelled transaction took no units of the other item.
    assert_eq!(transact(&client, &[large_put("b")]).await, None);

    let delete = client
        .delete_item()
        .table_name("records")
        .key("pk", text("a"))
        .key("sk", text("a"));
    let throttled = delete.clone().send().await.unwrap_err();
    assert_eq!(throttled.code(), Some("ThrottlingException"));

    emulation.clock.advance(1);
    delete.send().await.unwrap();
}
