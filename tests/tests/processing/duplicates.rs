//! Jobs that SQS delivers twice, or in a batch with a message that is no job.

use domain::settings::{WebhookEndpoint, WebhookSource};
use local_stack::{Messages, TEMPLATE};
use media::format::Format;
use serde_json::json;
use space_store::jobs::ProcessingJob;
use tests::{
    File, PHOTO, Stack, StackOptions, TestSpace, assert_fields, minutes, parse_template, seconds,
    stack_test,
};

use super::{job, send};
use crate::{
    files::replace::replace,
    support::{images::image, queues::Queues},
    webhooks::fixture::{Hooks, event_job, run_with_failures, send_jobs, until_idle},
};

/// A message that no worker can parse.
const BAD: &str = "{\"space_id\": 1}";
/// Longer than any delay of a failed message.
const MAX_DELAY_MINUTES: u64 = 20;
/// Maximum number of receives of a message.
const MAX_RECEIVES: u32 = 12;

/// Returns the job of a file, which announces its end to the space.
fn processing_job(stack: &Stack, hooks: &Hooks, file: &File) -> ProcessingJob {
    let endpoint = WebhookEndpoint {
        url: serde_json::from_value(json!(hooks.receiver.url())).expect("a URL"),
        source: WebhookSource::Space,
    };
    let mut job = job(stack, &hooks.acme, file.id.parse().expect("an id"));
    job.rules.processed_endpoint = Some(endpoint);
    job
}

#[stack_test]
async fn jobs_delivered_twice_process_a_file_once(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let png = image(Format::Png, 300, 200);
    let file = hooks.upload_with_all_events(png, "image/png").await;
    let uploaded_event = event_job(stack, &hooks.acme, &hooks.message().await);
    let job = processing_job(stack, &hooks, &file);
    stack.local.resume_workers();

    for _ in 0..2 {
        send(stack, job.clone()).await;
    }
    run_with_failures(stack).await;

    let once = hooks.acme.get_ok(file.path()).await;
    assert!(once["storage_meta"]["blurhash"].is_string());
    assert_eq!(hooks.events(), ["file.processed", "file.uploaded"]);

    // Duplicates can arrive long after.
    let messages = hooks.messages().await;
    let processed_event = event_job(stack, &hooks.acme, &messages[0]);
    send_jobs(stack, &[processed_event, uploaded_event]).await;
    send(stack, job).await;
    run_with_failures(stack).await;

    assert_eq!(hooks.acme.get_ok(file.path()).await, once);
    assert_eq!(hooks.events().len(), 2);
    let queues = Queues::of(stack, "processing");
    assert_eq!(queues.count("ProcessingDeadLetters").await, 0);
}

/// Options of a stack whose workers receive ten messages at once.
fn large_batches() -> StackOptions {
    StackOptions {
        template: parse_template(&TEMPLATE.replace("BatchSize: 1\n", "BatchSize: 10\n")),
        ..StackOptions::default()
    }
}

/// Waits until all jobs have ended and one failed message is left.
async fn until_only_one_failed(stack: &Stack) {
    let is_left = |messages: Messages| {
        messages.in_flight == 1 && messages.visible == 0 && messages.running_batches == 0
    };
    let left = stack.local.until(is_left).await;
    left.unwrap_or_else(|error| panic!("{error}"));
}

/// Runs all jobs, also failed ones, until the messages of jobs that always fail are dead letters.
async fn run_until_dead(stack: &Stack) {
    for _ in 0..MAX_RECEIVES {
        until_idle(stack).await;
        stack.clock.advance(minutes(MAX_DELAY_MINUTES));
    }
    stack.run_for(seconds(0)).await;
}

#[stack_test(options = large_batches())]
async fn message_that_is_no_job_fails_no_other_upload_of_its_batch(
    stack: &Stack,
    acme: &TestSpace,
) {
    let first = acme.upload(PHOTO).await;
    let queues = Queues::of(stack, "processing");
    queues.send("ProcessingQueue", BAD).await;
    let second = acme.upload(PHOTO).await;

    stack.local.resume_workers();
    until_only_one_failed(stack).await;

    for file in [&first, &second] {
        let record = acme.get_ok(file.path()).await;
        assert!(record["storage_meta"]["blurhash"].is_string(), "{record}");
    }
    run_until_dead(stack).await;
    assert_eq!(queues.receive("ProcessingDeadLetters").await, [BAD]);
}

#[stack_test]
async fn late_result_of_replaced_bytes_is_dropped(stack: &Stack, acme: &TestSpace) {
    /// Calls of a job before it records its result: the record and the original.
    const CALLS_BEFORE_RESULT: u32 = 2;

    let photo = acme.upload(image(Format::Jpeg, 300, 200)).await;
    let mut hold = stack.local.faults().hold("processing", CALLS_BEFORE_RESULT);
    stack.local.resume_workers();
    hold.reached().await;
    let new = replace(acme, &photo.id, image(Format::Jpeg, 120, 90)).await;
    let new = new.expect_ok();
    hold.release();
    run_with_failures(stack).await;

    let processed = acme.get_ok(photo.path()).await;
    assert_fields(
        &processed["storage_meta"],
        json!({"width": 120, "height": 90}),
    );
    assert_eq!(processed["checksum_sha256"], new["checksum_sha256"]);
    stack.run_purges().await;
}
