//! Files that kill the function that processes them, by their memory or time.

use std::time::Duration;

use local_stack::Messages;
use media::format::Format;
use serde_json::{Value, json};
use tests::{File, Stack, minutes, stack_test, text};
use worker::LAST_FULL_RECEIVE;

use crate::{support::images::image, webhooks::fixture::Hooks};

/// Time after which a message is received again whose function was killed.
const VISIBILITY_TIMEOUT: Duration = Duration::from_mins(12);

/// Kills the worker at its first call, at each of these receives.
async fn kill(stack: &Stack, receives: u32) {
    let faults = stack.local.faults();
    for _ in 0..receives {
        faults.disconnect("processing", 0, false);
        stack.local.resume_workers();
        stack.clock.advance(VISIBILITY_TIMEOUT);

        let is_killed = |messages: Messages| {
            faults.broken_calls() > 0 && messages.visible == 0 && messages.running_batches == 0
        };
        let killed = stack.local.until(is_killed).await;
        killed.unwrap_or_else(|error| panic!("{error}"));
        faults.reconnect();
    }
}

/// Lets the killed function live, and runs all jobs.
async fn run_all(stack: &Stack) {
    stack.run_for(VISIBILITY_TIMEOUT).await;
    for _ in 0..5 {
        stack.run_for(minutes(1)).await;
    }
}

/// Returns the stored reason why a file failed.
async fn failure_of(stack: &Stack, file: &File) -> Value {
    let dump = stack.dump().await;
    let records = dump.files_with_bytes();
    let record = records.iter().find(|record| record["id"] == file.id);
    record.expect("an active file")["media"]["failure"].clone()
}

/// Uploads a file, kills its job at a number of receives, and returns its record afterwards.
/// Asserts the event that follows.
async fn record_after(stack: &Stack, file: (Vec<u8>, &str), kills: u32, event: &str) -> Killed {
    let hooks = Hooks::new(stack).await;
    let (bytes, mime_type) = file;
    let file = hooks.upload_with_all_events(bytes, mime_type).await;

    kill(stack, kills).await;
    run_all(stack).await;

    assert_eq!(hooks.events(), [event, "file.uploaded"]);
    Killed {
        record: hooks.acme.get_ok(file.path()).await,
        failure: failure_of(stack, &file).await,
    }
}

/// A file whose job was killed.
struct Killed {
    record: Value,
    failure: Value,
}

fn png() -> (Vec<u8>, &'static str) {
    (image(Format::Png, 300, 200), "image/png")
}

#[stack_test]
async fn image_whose_job_kills_its_function_fails_with_the_metadata_of_its_headers(stack: &Stack) {
    let killed = record_after(stack, png(), LAST_FULL_RECEIVE, "file.failed").await;

    assert_eq!(killed.record["status"], "active");
    assert_eq!(killed.record["storage_meta"]["width"], 300);
    assert_eq!(killed.record["thumbnails"], json!([]));
    let failure = text(&killed.failure);
    assert!(failure.contains("several attempts"), "{failure}");
}

#[stack_test]
async fn image_whose_headers_kill_the_function_fails_without_metadata(stack: &Stack) {
    let killed = record_after(stack, png(), LAST_FULL_RECEIVE + 1, "file.failed").await;
    assert_eq!(killed.record["storage_meta"], json!({}));
}

#[stack_test]
async fn document_whose_job_kills_its_function_fails(stack: &Stack) {
    let pdf = (b"%PDF-1.4".to_vec(), "application/pdf");
    let killed = record_after(stack, pdf, LAST_FULL_RECEIVE, "file.failed").await;
    assert_eq!(killed.record["storage_meta"], json!({}));
}

#[stack_test]
async fn image_is_processed_if_its_job_succeeds_at_the_last_full_receive(stack: &Stack) {
    let killed = record_after(stack, png(), LAST_FULL_RECEIVE - 1, "file.processed").await;
    assert!(killed.record["storage_meta"]["blurhash"].is_string());
}
