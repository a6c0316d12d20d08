//! Jobs that fail are tried again soon.

use std::time::Duration;

use emulators::{
    InjectedError,
    Service::{S3, Sqs},
};
use local_stack::Messages;
use tests::{DEFAULT_ATTEMPTS, File, PHOTO, Stack, TestSpace, minutes, seconds, stack_test};

use crate::{support::queues::Queues, webhooks::fixture::until_idle};

/// Longer than any delay of a failed message.
const MAX_DELAY: Duration = Duration::from_mins(20);
/// Maximum number of receives of a message.
const MAX_RECEIVES: u32 = 12;

/// Makes the next read of an original fail, advances the clock, and waits until the job that makes
/// the read has failed.
async fn fail_a_job(stack: &Stack, delay: Duration) {
    let faults = stack.local.faults();
    let error = InjectedError::new(500, "InternalError");
    faults.fail(S3, "GetObject", DEFAULT_ATTEMPTS, error);
    stack.clock.advance(delay);
    stack.local.resume_workers();

    let has_failed = |messages: Messages| {
        faults.pending() == 0 && messages.visible == 0 && messages.running_batches == 0
    };
    stack.local.until(has_failed).await.expect("a failed job");
}

/// Whether everything is recorded that the jobs of a file compute.
async fn is_processed(space: &TestSpace, file: &File) -> bool {
    let record = space.get_ok(file.path()).await;
    record["storage_meta"]["blurhash"].is_string()
}

#[stack_test]
async fn failed_job_is_tried_again_after_seconds(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    fail_a_job(stack, Duration::ZERO).await;
    assert!(!is_processed(acme, &file).await);
    stack.run_for(seconds(6)).await;

    assert!(is_processed(acme, &file).await);
}

#[stack_test]
async fn job_that_fails_for_hours_succeeds_at_last(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    for _ in 0..MAX_RECEIVES {
        fail_a_job(stack, MAX_DELAY).await;
    }
    stack.run_for(MAX_DELAY).await;

    assert!(is_processed(acme, &file).await);
}

#[stack_test(undrained)]
async fn job_that_fails_for_more_than_a_day_becomes_a_dead_letter(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    stack.clock.advance(minutes(24 * 60));
    for _ in 0..MAX_RECEIVES {
        fail_a_job(stack, MAX_DELAY).await;
    }
    stack.run_for(MAX_DELAY).await;

    let record = acme.get_ok(file.path()).await;
    assert_eq!(record["processing"]["status"], "pending");
    let queues = Queues::of(stack, "processing");
    assert_eq!(queues.count("ProcessingDeadLetters").await, 1);
}

#[stack_test]
async fn failed_job_whose_delay_cannot_be_set_is_tried_after_the_visibility_timeout(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let faults = stack.local.faults();
    let error = InjectedError::new(500, "InternalFailure");
    faults.fail(Sqs, "ChangeMessageVisibility", 1, error);

    fail_a_job(stack, Duration::ZERO).await;
    stack.clock.advance(minutes(11));
    until_idle(stack).await;
    assert!(!is_processed(acme, &file).await);
    stack.run_for(minutes(1)).await;

    assert!(is_processed(acme, &file).await);
}
