//! Faults of AWS calls: lost responses, incomplete batches and transient errors.

use emulators::{
    InjectedError,
    Service::{self, DynamoDb, S3},
};
use serde_json::json;
use tests::{DYNAMODB_ATTEMPTS, PHOTO, Response, Stack, TestSpace, column, stack_test, text};

/// Plans failures of the next calls of an operation.
fn fail(stack: &Stack, service: Service, operation: &str, times: u32, status: u16, code: &str) {
    let error = InjectedError::new(status, code);
    stack.local.faults().fail(service, operation, times, error);
}

/// Asserts the status of a response. A 503 has `Retry-After`, other errors have none.
#[track_caller]
fn assert_status(response: Response, status: u16) {
    let has_retry_after = response.headers.contains_key("retry-after");
    assert_eq!(has_retry_after, status == 503);
    match status {
        503 => response.expect_busy(),
        500 => {
            assert_eq!(response.json()["message"], "Server error.");
            response.expect_error(500);
        }
        status => {
            response.expect_status(status);
        }
    }
}

#[stack_test]
async fn lost_response_never_fails_or_duplicates_a_write(stack: &Stack) {
    let account = stack.account();
    let faults = stack.local.faults();
    let lose_update = || {
        faults.skip(DynamoDb, "UpdateItem", 1);
        faults.lose_response(DynamoDb, "UpdateItem", 1);
    };

    faults.lose_response(DynamoDb, "TransactWriteItems", 1);
    let body = json!({"name": "Acme"});
    let space = account.create("/spaces", &body).await;
    let path = format!("/spaces/{}", text(&space["id"]));
    account.get_ok(&path).await;
    account.post_err(422, "/spaces", &body).await;

    faults.lose_response(DynamoDb, "TransactWriteItems", 1);
    let keys = format!("{path}/api-keys");
    let key = account.create(&keys, json!({"name": "web"})).await;
    let client = account.with_key(&text(&key["key"]));
    client.get_ok(&path).await;
    let listed = account.get_ok(&keys).await;
    assert_eq!(column(&listed, "id"), [key["id"].clone()]);

    // The id of a lost response is skipped.
    lose_update();
    let next = account.create(&keys, json!({"name": "api"})).await;
    assert_eq!(next["id"].as_u64(), key["id"].as_u64().map(|id| id + 2));

    lose_update();
    lose_update();
    account.delete_ok(&format!("{keys}/{}", key["id"])).await;
    let listed = account.get_ok(&keys).await;
    assert_eq!(column(&listed, "is_active"), [true, false]);
    client.get_err(401, &path).await;
}

#[stack_test]
async fn upload_survives_lost_response_of_each_write(stack: &Stack, acme: &TestSpace) {
    let faults = stack.local.faults();
    faults.lose_response(S3, "PutObject", 1);
    faults.lose_response(DynamoDb, "TransactWriteItems", 1);

    let file = acme.upload(PHOTO).await;

    stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
}

#[stack_test]
async fn incomplete_batch_read_is_completed_or_fails(stack: &Stack, acme: &TestSpace) {
    /// Attempts of a batch read.
    const TRIES: u32 = 5;

    let file = acme.upload(PHOTO).await;
    let faults = stack.local.faults();
    let account = &stack.account();

    for (client, path) in [(account, &*acme.path()), (&acme.client, file.path())] {
        for (incomplete, status) in [(1, 200), (TRIES - 1, 200), (TRIES, 503)] {
            faults.leave_unprocessed("BatchGetItem", incomplete);
            assert_status(client.get(path).await, status);
            assert_eq!(faults.pending(), 0, "{path} reads no batch");
        }
    }
}

#[stack_test]
async fn conflicting_transaction_is_retried(stack: &Stack) {
    let write = "TransactWriteItems";
    fail(stack, DynamoDb, write, 3, 400, "TransactionConflict");
    stack.space("Acme").await;
}

#[stack_test]
async fn incomplete_transactional_read_denies_delivery(stack: &Stack, acme: &TestSpace) {
    /// Attempts of a read that conflicts with writes.
    const TRIES: u32 = 8;

    let folder = acme.folder("Open").await;
    let photo = acme.upload(PHOTO).into(&folder).await;
    let busy = "ProvisionedThroughputExceededException";

    for (times, code, status) in [
        (1, "TransactionConflict", 200),
        (TRIES - 1, "TransactionConflict", 200),
        (TRIES, "TransactionConflict", 503),
        (DYNAMODB_ATTEMPTS, busy, 503),
        (1, "ValidationException", 500),
    ] {
        fail(stack, DynamoDb, "TransactGetItems", times, 400, code);
        assert_status(stack.anonymous.get(photo.url()).await, status);
    }

    stack.anonymous.fetch(photo.url()).await;
}

#[stack_test]
async fn throttled_transaction_returns_503_after_two_attempts(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Open").await;
    let photo = acme.upload(PHOTO).into(&folder).await;

    for code in ["ThrottlingError", "ProvisionedThroughputExceeded"] {
        for (times, written, read) in [(1, 201, 200), (2, 503, 503)] {
            fail(stack, DynamoDb, "TransactWriteItems", times, 400, code);
            let body = json!({"space_id": acme.id, "name": format!("{code} {times}")});
            let run = stack.calls_of(acme.post("/folders", body)).await;
            assert_status(run.output, written);
            let is_write = |call: &&String| *call == "folders TransactWriteItems";
            assert_eq!(run.calls.iter().filter(is_write).count(), 2);

            fail(stack, DynamoDb, "TransactGetItems", times, 400, code);
            assert_status(stack.anonymous.get(photo.url()).await, read);
        }
    }
}

#[stack_test]
async fn overload_returns_503_with_retry_after_and_internal_error_500(
    stack: &Stack,
    acme: &TestSpace,
) {
    let busy = "ProvisionedThroughputExceededException";
    for (times, status, code, expected) in [
        (DYNAMODB_ATTEMPTS, 400, busy, 503),
        (1, 400, "ValidationException", 500),
        // Of unknown errors, the status decides.
        (DYNAMODB_ATTEMPTS, 500, "NewException", 503),
        (1, 400, "NewException", 500),
    ] {
        fail(stack, DynamoDb, "GetItem", times, status, code);
        assert_status(acme.get(&acme.path()).await, expected);
    }
    acme.get_ok(&acme.path()).await;

    fail(stack, S3, "PutObject", 3, 503, "SlowDown");
    assert_status(acme.upload(PHOTO).send().await, 503);
}
