//! Faults of AWS calls: lost responses, incomplete batches and transient errors.

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use serde_json::json;
use tests::{DYNAMODB_ATTEMPTS, Observed, PHOTO, Stack, TestSpace, stack_test};

#[stack_test]
async fn lost_response_never_fails_or_duplicates_a_write(stack: &Stack) {
    let faults = stack.local.faults();

    faults.lose_response(DynamoDb, "TransactWriteItems", 1);
    let space = stack
        .account()
        .create("/spaces", json!({"name": "Acme"}))
        .await;
    let id = space["id"].as_str().expect("an id");
    stack.account().get_ok(&format!("/spaces/{id}")).await;
    stack
        .account()
        .post_err(422, "/spaces", json!({"name": "Acme"}))
        .await;

    faults.lose_response(DynamoDb, "TransactWriteItems", 1);
    let keys = format!("/spaces/{id}/api-keys");
    let key = stack.account().create(&keys, json!({"name": "web"})).await;
    stack
        .anonymous
        .with_key(key["key"].as_str().expect("a key"))
        .get_ok(&format!("/spaces/{id}"))
        .await;
    let listed = stack.account().fetch(&keys).await.json();
    assert_eq!(listed["data"].as_array().map(Vec::len), Some(1));

    // The id of a lost response is skipped.
    faults.skip(DynamoDb, "UpdateItem", 1);
    faults.lose_response(DynamoDb, "UpdateItem", 1);
    let next = stack.account().create(&keys, json!({"name": "api"})).await;
    assert_eq!(next["id"].as_u64(), key["id"].as_u64().map(|id| id + 2));

    for _ in 0..2 {
        faults.skip(DynamoDb, "UpdateItem", 1);
        faults.lose_response(DynamoDb, "UpdateItem", 1);
    }
    stack
        .account()
        .delete_ok(&format!("{keys}/{}", key["id"]))
        .await;
    let listed = stack.account().fetch(&keys).await.json();
    assert_eq!(listed["data"][1]["is_active"], json!(false));
    stack
        .anonymous
        .with_key(key["key"].as_str().expect("a key"))
        .get_err(401, &format!("/spaces/{id}"))
        .await;
}

#[stack_test]
async fn upload_survives_lost_response_of_each_write(stack: &Stack, acme: &TestSpace) {
    stack.local.faults().lose_response(S3, "PutObject", 1);
    stack
        .local
        .faults()
        .lose_response(DynamoDb, "TransactWriteItems", 1);
    let record = acme.upload(PHOTO).await;
    let delivered = stack
        .anonymous
        .fetch(record["url"].as_str().expect("an address"))
        .await;
    assert!(delivered.body == PHOTO);
}

#[stack_test]
async fn incomplete_batch_read_is_completed_or_fails(stack: &Stack) {
    /// Attempts of a batch read.
    const TRIES: u32 = 5;

    let acme = stack.space("Acme").await;
    let record = acme.upload(PHOTO).await;
    let file = format!("/files/{}", record["id"].as_str().expect("an id"));
    let space = acme.path();
    let account = stack.account();

    for (client, address) in [(&account, space.as_str()), (&acme.client, &file)] {
        for incomplete in [1, TRIES - 1, TRIES] {
            stack
                .local
                .faults()
                .leave_unprocessed("BatchGetItem", incomplete);
            let response = client.get(address).await;
            assert_eq!(
                stack.local.faults().pending(),
                0,
                "{address} reads no batch"
            );
            if incomplete < TRIES {
                response.expect_status(200);
            } else {
                response.expect_busy();
            }
        }
    }
}

#[stack_test]
async fn conflicting_transaction_is_retried(stack: &Stack) {
    stack.local.faults().fail(
        DynamoDb,
        "TransactWriteItems",
        3,
        InjectedError::new(400, "TransactionConflict"),
    );
    stack
        .account()
        .create("/spaces", json!({"name": "Acme"}))
        .await;
}

#[stack_test]
async fn incomplete_transactional_read_denies_delivery(stack: &Stack) {
    /// Attempts of a read that conflicts with writes.
    const TRIES: u32 = 8;

    let acme = stack.space("Acme").await;
    let folder = acme.folder("Open").await;
    let photo = acme.upload(PHOTO).into(&folder).await;
    let url = photo.url();

    for (conflicts, status) in [(1, 200), (TRIES - 1, 200), (TRIES, 503)] {
        stack.local.faults().fail(
            DynamoDb,
            "TransactGetItems",
            conflicts,
            InjectedError::new(400, "TransactionConflict"),
        );
        let response = stack.anonymous.get(url).await.expect_status(status);
        assert_eq!(
            response.header("retry-after").is_empty(),
            status == 200,
            "{conflicts} conflicts"
        );
    }

    for (code, status) in [
        ("ProvisionedThroughputExceededException", 503),
        ("ValidationException", 500),
    ] {
        let times = if status == 503 { DYNAMODB_ATTEMPTS } else { 1 };
        stack.local.faults().fail(
            DynamoDb,
            "TransactGetItems",
            times,
            InjectedError::new(400, code),
        );
        stack.anonymous.get(url).await.expect_error(status);
    }

    stack.anonymous.fetch(url).await;
}

#[stack_test]
async fn throttled_transaction_returns_503_after_two_attempts(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Open").await;
    let photo = acme.upload(PHOTO).into(&folder).await;
    let url = photo.url();
    let faults = stack.local.faults();

    for code in ["ThrottlingError", "ProvisionedThroughputExceeded"] {
        for (times, written, read) in [(1, 201, 200), (2, 503, 503)] {
            faults.fail(
                DynamoDb,
                "TransactWriteItems",
                times,
                InjectedError::new(400, code),
            );
            let name = format!("{code} {times}");
            let create = acme.post("/folders", json!({"space_id": acme.id, "name": name}));
            let Observed {
                output: response,
                calls,
            } = stack.calls_of(create).await;
            assert_eq!(
                response
                    .expect_status(written)
                    .header("retry-after")
                    .is_empty(),
                written == 201
            );
            assert_eq!(
                calls
                    .iter()
                    .filter(|call| *call == "folders TransactWriteItems")
                    .count(),
                2
            );

            faults.fail(
                DynamoDb,
                "TransactGetItems",
                times,
                InjectedError::new(400, code),
            );
            let response = stack.anonymous.get(url).await.expect_status(read);
            assert_eq!(response.header("retry-after").is_empty(), read == 200);
        }
    }
}

#[tokio::test]
async fn overload_returns_503_with_retry_after_and_internal_error_500() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let faults = stack.local.faults();
    let space = acme.path();
    let get = || acme.get(&space);
    faults.fail(
        DynamoDb,
        "GetItem",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(400, "ProvisionedThroughputExceededException"),
    );
    let busy = get().await;
    busy.expect_busy();
    faults.fail(
        DynamoDb,
        "GetItem",
        1,
        InjectedError::new(400, "ValidationException"),
    );
    let failed = get().await;
    assert_eq!(failed.json()["message"], "Server error.");
    failed.expect_error(500);
    get().await.expect_ok();

    faults.fail(S3, "PutObject", 3, InjectedError::new(503, "SlowDown"));
    acme.upload(PHOTO).send().await.expect_error(503);
    stack.stop().await;
}

#[stack_test]
async fn unknown_5xx_of_dynamodb_returns_503_and_4xx_500(stack: &Stack, acme: &TestSpace) {
    let path = acme.path();

    stack.local.faults().fail(
        DynamoDb,
        "GetItem",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(500, "NewException"),
    );
    let busy = acme.get(&path).await;
    busy.expect_busy();

    stack.local.faults().fail(
        DynamoDb,
        "GetItem",
        1,
        InjectedError::new(400, "NewException"),
    );
    acme.get_err(500, &path).await;
}
