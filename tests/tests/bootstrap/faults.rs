//! Creation of the first user, space and key while responses of the table are lost. Another key
//! replaces the one that was lost with a response.

use domain::keys::KeySecret;
use emulators::Service::DynamoDb;
use space_store::{
    keys::{Bootstrap, bootstrap, recover_key},
    spaces::Tenants,
};
use tests::DYNAMODB_ATTEMPTS;

use super::Empty;

/// Attempts of one AWS call.
const TRIES: u32 = DYNAMODB_ATTEMPTS;

/// Returns the key that a bootstrap creates.
async fn created(tenants: &Tenants) -> KeySecret {
    match bootstrap(tenants).await.expect("a bootstrap") {
        Bootstrap::Created(key) => key,
        Bootstrap::Exists => panic!("the table is empty"),
    }
}

async fn recovered(tenants: &Tenants) -> KeySecret {
    let key = recover_key(tenants).await.expect("a recovery");
    key.expect("there is a user")
}

/// Counts the records of a bootstrap without faults.
async fn records_without_faults() -> i32 {
    let empty = Empty::start().await;
    created(&empty.tenants()).await;
    let records = empty.records().await;
    empty.stop().await;
    records
}

#[tokio::test]
async fn lost_responses_during_bootstrap_create_one_user_and_working_key() {
    let empty = Empty::start().await;
    let faults = empty.faults();
    faults.lose_response(DynamoDb, "TransactWriteItems", TRIES - 1);
    faults.lose_response(DynamoDb, "UpdateItem", TRIES - 1);
    let first = created(&empty.tenants()).await;
    assert_eq!(empty.records().await, records_without_faults().await);

    faults.lose_response(DynamoDb, "TransactWriteItems", TRIES - 1);
    let second = recovered(&empty.tenants()).await;

    assert!(first != second);
    assert_eq!(empty.user(&first).await, empty.user(&second).await);
    empty.stop().await;
}

#[tokio::test]
async fn key_that_was_lost_with_its_response_is_recovered() {
    let empty = Empty::start().await;
    let faults = empty.faults();
    faults.lose_response(DynamoDb, "TransactWriteItems", TRIES);
    let lost = bootstrap(&empty.tenants()).await;
    lost.expect_err("all responses were lost");
    assert_eq!(empty.records().await, records_without_faults().await);

    let again = bootstrap(&empty.tenants()).await.expect("a bootstrap");
    assert!(matches!(again, Bootstrap::Exists), "{again:?}");
    let key = recovered(&empty.tenants()).await;

    empty.user(&key).await;
    empty.stop().await;
}
