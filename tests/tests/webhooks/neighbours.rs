//! Webhooks of one space while those of another wait for slow endpoints.

use local::Messages;
use tests::{Answer, Stack, TestSpace, minutes, seconds, stack_test};

use super::fixture::{Hooks, set_webhook_url, until_idle, with_long_deadline, with_short_deadline};

/// Maximum attempts at a time of a space and to a host.
const SLOTS: usize = 3;
/// Timeouts in a row after which a host is tried once a minute.
const TIMEOUTS: usize = 5;
/// Name of the worker.
const WORKER: &str = "webhook-delivery";

/// Uploads files whose webhooks are the only jobs that follow.
async fn upload_texts(acme: &TestSpace, count: usize) {
    for index in 0..count {
        let name = format!("{index}.txt");
        acme.upload(name.clone()).named(&name, "text/plain").await;
    }
}

/// Waits until all jobs but a number of held ones have ended.
async fn until_held(stack: &Stack, held: u64) -> Messages {
    let is_held = |messages: Messages| messages.visible == 0 && messages.running_batches == held;
    let messages = stack.local.until(is_held).await;
    messages.unwrap_or_else(|error| panic!("{error}"))
}

/// Advances the clock in steps until all webhooks of a receiver have been received.
async fn run_until_received(stack: &Stack, hooks: &Hooks, count: usize) {
    for _ in 0..40 {
        until_idle(stack).await;
        if hooks.receiver.received().len() >= count {
            return;
        }
        stack.clock.advance(minutes(1));
    }
    panic!("{} webhooks", hooks.receiver.received().len());
}

#[stack_test(options = with_long_deadline())]
async fn space_has_three_attempts_at_a_time_and_delays_no_other_space(stack: &Stack) {
    let slow = Hooks::named(stack, "Slow").await;
    let other = Hooks::named(stack, "Other").await;
    slow.receiver.answer_all(Answer::Held);
    upload_texts(&slow.acme, 12).await;
    stack.local.resume_workers();
    slow.receiver.wait_for(SLOTS).await;
    until_held(stack, 3).await;

    upload_texts(&other.acme, 1).await;
    other.receiver.wait_for(1).await;
    until_held(stack, 3).await;

    assert_eq!(slow.receiver.received().len(), SLOTS);
    assert_eq!(other.delivery().await["status"], "delivered");

    slow.receiver.release();
    run_until_received(stack, &slow, 12).await;
    until_idle(stack).await;
    let deliveries = slow.deliveries().await;
    let attempts = |delivery: &serde_json::Value| delivery["attempts"].as_array().map(Vec::len);
    assert!(deliveries.iter().all(|one| attempts(one) == Some(1)));
}

#[stack_test(options = with_long_deadline())]
async fn host_has_three_attempts_at_a_time_of_all_spaces(stack: &Stack) {
    let first = Hooks::named(stack, "First").await;
    let second = stack.space("Second").await;
    let elsewhere = Hooks::named(stack, "Elsewhere").await;
    set_webhook_url(&second, "Second", first.receiver.url()).await;
    first.receiver.answer_all(Answer::Held);
    upload_texts(&first.acme, 2).await;
    upload_texts(&second, 2).await;
    upload_texts(&elsewhere.acme, 1).await;
    stack.local.resume_workers();

    first.receiver.wait_for(SLOTS).await;
    until_held(stack, 3).await;

    assert_eq!(first.receiver.received().len(), SLOTS);
    assert_eq!(elsewhere.receiver.received().len(), 1);
    first.receiver.release();
    run_until_received(stack, &first, 4).await;
}

#[stack_test(options = with_short_deadline())]
async fn host_that_times_out_is_tried_once_a_minute_until_it_responds(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.receiver.answer_all(Answer::Silence);
    stack.run_post_upload().await;
    for _ in 0..TIMEOUTS {
        upload_texts(&hooks.acme, 1).await;
        until_idle(stack).await;
    }
    let received = || hooks.receiver.received().len();
    assert_eq!(received(), TIMEOUTS);

    // The repetitions are due after five seconds.
    stack.run_for(seconds(30)).await;
    assert_eq!(received(), TIMEOUTS);
    for tries in 1..=2 {
        stack.run_for(seconds(75)).await;
        assert_eq!(received(), TIMEOUTS + tries);
    }

    hooks.receiver.answer_all(Answer::status(200));
    run_until_received(stack, &hooks, TIMEOUTS + 2 + TIMEOUTS).await;
    until_idle(stack).await;
    let deliveries = hooks.deliveries().await;
    assert!(deliveries.iter().all(|one| one["status"] == "delivered"));
}

#[stack_test(options = with_long_deadline())]
async fn slots_of_a_worker_that_stopped_are_free_after_a_minute(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.receiver.answer_all(Answer::Held);
    upload_texts(&hooks.acme, SLOTS).await;
    stack.local.resume_workers();
    hooks.receiver.wait_for(SLOTS).await;

    let faults = stack.local.faults();
    faults.disconnect(WORKER, 0, false);
    hooks.receiver.release();
    until_idle(stack).await;
    faults.reconnect();
    stack.clock.advance(minutes(4));
    run_until_received(stack, &hooks, 2 * SLOTS).await;

    until_idle(stack).await;
    let deliveries = hooks.deliveries().await;
    assert!(deliveries.iter().all(|one| one["status"] == "delivered"));
}
