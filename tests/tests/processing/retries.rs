//! Jobs that fail are tried again soon.

use emulators::{
    InjectedError,
    Service::{DynamoDb, Sqs},
};
use local::Messages;
use tests::{DYNAMODB_ATTEMPTS, File, PHOTO, Stack, TestSpace, minutes, seconds, stack_test};

use crate::webhooks::fixture::until_idle;

/// Makes the next read of records fail, and waits until the job that makes it has failed.
async fn fail_a_job(stack: &Stack) {
    let faults = stack.local.faults();
    let error = InjectedError::new(500, "InternalServerError");
    faults.fail(DynamoDb, "BatchGetItem", DYNAMODB_ATTEMPTS, error);
    stack.local.resume_workers();

    let has_failed = |messages: Messages| {
        faults.pending() == 0 && messages.visible == 0 && messages.running_batches == 0
    };
    stack.local.until(has_failed).await.expect("a failed job");
}

/// Whether everything is recorded that the jobs of a file compute.
async fn is_processed(space: &TestSpace, file: &File) -> bool {
    let record = space.client.get(file.path()).await.expect_ok();
    record["storage_meta"]["blurhash"].is_string()
}

#[stack_test]
async fn failed_job_is_tried_again_after_seconds(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).await;

    fail_a_job(stack).await;
    assert!(!is_processed(&acme, &file).await);
    stack.run_for(seconds(6)).await;

    assert!(is_processed(&acme, &file).await);
}

#[stack_test]
async fn failed_job_whose_delay_cannot_be_set_is_tried_after_the_visibility_timeout(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).await;
    let faults = stack.local.faults();
    let error = InjectedError::new(500, "InternalFailure");
    faults.fail(Sqs, "ChangeMessageVisibility", 1, error);

    fail_a_job(stack).await;
    stack.clock.advance(minutes(11));
    until_idle(stack).await;
    assert!(!is_processed(&acme, &file).await);
    stack.run_for(minutes(1)).await;

    assert!(is_processed(&acme, &file).await);
}
