//! `file.processed` and `file.failed`: sent if the upload config asks for them, once the results
//! are stored.

use media::format::Format;
use serde_json::{Value, json};
use tests::{File, Stack, merged, seconds, stack_test};

use super::fixture::Hooks;
use crate::support::images::image;

/// Uploads bytes as a PNG, with a config that asks for all events, assigns fields, and runs all
/// jobs.
async fn upload(stack: &Stack, hooks: &Hooks, bytes: Vec<u8>, assigned: &Value) -> File {
    let file = hooks.upload_with_all_events(bytes, "image/png").await;
    hooks.acme.put_ok(file.path(), assigned).await;
    stack.run_post_upload().await;
    for _ in 0..8 {
        stack.run_for(seconds(10)).await;
    }
    file
}

#[stack_test]
async fn processed_image_is_reported_with_the_payload_of_its_upload(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let assigned = json!({"title": "Harbour", "alt": "Two boats", "metadata": {"color": "blue"}});
    let file = upload(stack, &hooks, image(Format::Png, 64, 48), &assigned).await;

    assert_eq!(hooks.events(), ["file.processed", "file.uploaded"]);
    let received = hooks.receiver.received();
    let [uploaded, processed] = ["file.uploaded", "file.processed"].map(|event| {
        let payloads = received.iter().map(|request| request.json());
        let mut payloads = payloads.filter(|payload| payload["event"] == event);
        payloads.next().expect("a payload")["file"].clone()
    });
    assert_eq!(uploaded["id"], file.id);
    assert_eq!(uploaded.get("title"), None);
    assert_eq!(processed, merged(uploaded, assigned));
    let record = hooks.acme.get_ok(file.path()).await;
    assert!(record["storage_meta"]["blurhash"].is_string());
}

#[stack_test]
async fn image_that_cannot_be_processed_is_reported_as_failed(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let mut bytes = image(Format::Png, 300, 200);
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8].fill(0xff);
    upload(stack, &hooks, bytes, &json!({})).await;

    assert_eq!(hooks.events(), ["file.failed", "file.uploaded"]);
}

#[stack_test]
async fn text_is_reported_as_processed_without_a_job(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let file = hooks
        .upload_with_all_events(b"Hello".to_vec(), "text/plain")
        .await;
    assert_eq!(file.record["processing"]["status"], "completed");

    let run = stack.calls_of(stack.run_post_upload()).await;

    assert_eq!(hooks.events(), ["file.processed", "file.uploaded"]);
    let is_processing = |call: &String| call.starts_with("processing");
    assert!(!run.calls.iter().any(is_processing), "{:?}", run.calls);
}
