//! `POST /upload` with several files, while calls of S3 and DynamoDB fail.

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use table::keys;
use tests::{DEFAULT_ATTEMPTS, DYNAMODB_ATTEMPTS, Dump, Stack, TestSpace, stack_test};

use super::multiple_files::{assert_stored, photos};

/// Attempts of an S3 call before it fails.
const ATTEMPTS: u32 = DEFAULT_ATTEMPTS;
/// Attempts of a conflicting transaction.
const CONFLICT_ATTEMPTS: u32 = 8;
const COMMIT: &str = "TransactWriteItems";

/// Uploads while a service fails, and asserts that the failed upload leaves nothing.
async fn assert_503_leaves_nothing(stack: &Stack, acme: &TestSpace, before: &Dump) {
    let response = acme.upload_form(photos(acme, "files", 5)).await;
    response.expect_busy();

    // The id stays fenced for a limited time, so that a late write fails.
    let mut after = stack.dump().await;
    after.items.retain(|key, item| {
        !key.partition.starts_with(keys::FILE_LOOKUPS) || !item["space_id"].is_null()
    });
    after.assert_unchanged(before, "a failed upload");
}

#[stack_test]
async fn failure_after_partial_storage_leaves_nothing(stack: &Stack, acme: &TestSpace) {
    let faults = stack.local.faults();
    acme.get_ok(&acme.path()).await;
    let before = stack.dump().await;

    faults.skip(S3, "PutObject", 2);
    let slow_down = InjectedError::new(503, "SlowDown");
    faults.fail(S3, "PutObject", 5 * ATTEMPTS - 2, slow_down);
    assert_503_leaves_nothing(stack, acme, &before).await;

    // S3 stores the objects, but the responses are lost.
    faults.lose_response(S3, "PutObject", 5 * ATTEMPTS);
    assert_503_leaves_nothing(stack, acme, &before).await;
    for (attempts, error) in [
        (
            DYNAMODB_ATTEMPTS,
            InjectedError::new(500, "InternalServerError"),
        ),
        (
            CONFLICT_ATTEMPTS,
            InjectedError::new(400, "TransactionConflict"),
        ),
    ] {
        faults.fail(DynamoDb, COMMIT, attempts, error);
        assert_503_leaves_nothing(stack, acme, &before).await;
    }

    let rejected = async || {
        let response = acme.upload_form(photos(acme, "files", 5)).await;
        response.expect_error(500);
    };
    faults.skip(S3, "PutObject", 2);
    faults.fail(
        S3,
        "PutObject",
        1,
        InjectedError::new(400, "InvalidRequest"),
    );
    rejected().await;
    faults.fail(
        DynamoDb,
        COMMIT,
        1,
        InjectedError::new(400, "ValidationException"),
    );
    rejected().await;
    assert_eq!(stack.dump().await.objects, before.objects);

    let files = acme.upload_form(photos(acme, "files", 5)).await;
    assert_stored(stack, acme, &files.expect_created(), &before).await;
}

#[stack_test]
async fn unknown_commit_outcome_is_resolved(stack: &Stack, acme: &TestSpace) {
    let faults = stack.local.faults();
    let before = stack.dump().await;
    faults.lose_response(DynamoDb, COMMIT, DYNAMODB_ATTEMPTS);
    let files = acme.upload_form(photos(acme, "files", 3)).await;
    assert_stored(stack, acme, &files.expect_created(), &before).await;

    // If the outcome stays unknown, the upload fails, and objects that may be referenced remain.
    let before = stack.dump().await;
    faults.lose_response(DynamoDb, COMMIT, DYNAMODB_ATTEMPTS);
    let error = InjectedError::new(500, "InternalServerError");
    faults.fail(DynamoDb, COMMIT, DYNAMODB_ATTEMPTS, error);
    let failed = acme.upload_form(photos(acme, "files", 3)).await;
    failed.expect_error(503);

    let after = stack.dump().await;
    assert_eq!(after.objects.len() - before.objects.len(), 3);
    assert_eq!(after.files_with_bytes().len(), after.objects.len());
}
