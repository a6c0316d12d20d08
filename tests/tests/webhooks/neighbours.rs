//! Webhooks of one space while those of another wait for slow endpoints.

use local_stack::Messages;
use serde_json::json;
use tests::{Answer, Stack, TestSpace, WebhookReceiver, minutes, seconds, stack_test};

use super::fixture::{Hooks, dead_letters, until_idle, with_long_deadline, with_short_deadline};

/// Maximum attempts at a time of a space and to a host.
const SLOTS: usize = 3;
/// Maximum attempts at a time of a space to one host.
const SLOTS_TO_HOST: usize = 2;
/// Timeouts in a row after which a circuit is open.
const TIMEOUTS: usize = 5;
/// Name of the worker.
const WORKER: &str = "webhooks";

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
        if hooks.received() >= count {
            return;
        }
        stack.clock.advance(minutes(1));
    }
    panic!("{} webhooks", hooks.received());
}

#[stack_test(options = with_long_deadline())]
async fn space_has_three_attempts_at_a_time_and_delays_no_other_space(stack: &Stack) {
    let slow = Hooks::named(stack, "Slow").await;
    let other = Hooks::named(stack, "Other").await;
    let elsewhere = WebhookReceiver::start().await;
    let settings = json!({"notifications": {"webhook_url": elsewhere.url()}});
    let acme = &slow.acme;
    let config = acme.upload_config("elsewhere");
    config.with_settings(settings).await;
    slow.receiver.answer_all(Answer::Held);
    elsewhere.answer_all(Answer::Held);
    upload_texts(acme, 10).await;
    for name in ["a.txt", "b.txt"] {
        let upload = acme.upload(name).named(name, "text/plain");
        upload.with_config("elsewhere").await;
    }
    stack.local.resume_workers();
    slow.receiver.wait_for(1).await;
    until_held(stack, 3).await;

    upload_texts(&other.acme, 1).await;
    other.receiver.wait_for(1).await;
    until_held(stack, 3).await;

    let received = || [&slow.receiver, &elsewhere].map(|one| one.received().len());
    assert_eq!(received().iter().sum::<usize>(), SLOTS);
    assert!(received()[0] <= SLOTS_TO_HOST);
    assert_eq!(other.message().await["status"], "delivered");

    slow.receiver.release();
    elsewhere.release();
    run_until_received(stack, &slow, 10).await;
    until_idle(stack).await;
    let messages = slow.messages().await;
    let attempts = |message: &serde_json::Value| message["attempts"].as_array().map(Vec::len);
    assert!(messages.iter().all(|one| attempts(one) == Some(1)));
}

#[stack_test(options = with_long_deadline())]
async fn host_has_three_attempts_at_a_time_of_all_spaces(stack: &Stack) {
    let first = Hooks::named(stack, "First").await;
    let second = stack.space("Second").await;
    let elsewhere = Hooks::named(stack, "Elsewhere").await;
    let body = json!({"name": "Second", "webhook_url": first.receiver.url()});
    second.update(body).await;
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
async fn endpoint_that_times_out_delays_no_other_space_on_its_host(stack: &Stack) {
    let hanging = Hooks::named(stack, "Hanging").await;
    let other = stack.space("Other").await;
    let url = hanging.receiver.url().replace("/hook", "/other");
    let body = json!({"name": "Other", "webhook_url": url});
    other.update(body).await;
    stack.run_post_upload().await;
    for _ in 0..TIMEOUTS {
        hanging.receiver.answer_next(Answer::Silence);
        upload_texts(&hanging.acme, 1).await;
        until_idle(stack).await;
    }

    upload_texts(&other, 1).await;
    until_idle(stack).await;

    let received = hanging.receiver.received();
    assert_eq!(received.len(), TIMEOUTS + 1);
    assert!(received[TIMEOUTS].request_line.contains("/other"));
    run_until_received(stack, &hanging, 2 * TIMEOUTS + 1).await;
    until_idle(stack).await;
}

#[stack_test(options = with_short_deadline())]
async fn attempt_that_waits_for_18_hours_fails_and_is_a_dead_letter(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.receiver.answer_all(Answer::Silence);
    stack.run_post_upload().await;
    for _ in 0..=TIMEOUTS {
        upload_texts(&hooks.acme, 1).await;
        until_idle(stack).await;
    }
    assert_eq!(hooks.received(), TIMEOUTS);

    stack.clock.advance(minutes(19 * 60));
    until_idle(stack).await;

    let messages = hooks.messages().await;
    let failed = messages.iter().filter(|one| one["status"] == "failed");
    assert!(failed.count() >= TIMEOUTS);
    assert!(dead_letters(stack).await.len() >= TIMEOUTS);
    hooks.answer_all(200);
    stack.run_for(minutes(6)).await;
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
    let received = || hooks.received();
    assert_eq!(received(), TIMEOUTS);

    // The repetitions are due after five seconds.
    stack.run_for(seconds(30)).await;
    assert_eq!(received(), TIMEOUTS);
    for tries in 1..=2 {
        stack.run_for(seconds(75)).await;
        assert_eq!(received(), TIMEOUTS + tries);
    }

    hooks.answer_all(200);
    run_until_received(stack, &hooks, TIMEOUTS + 2 + TIMEOUTS).await;
    until_idle(stack).await;
    hooks.assert_delivered().await;
}

#[stack_test(options = with_long_deadline())]
async fn slots_of_a_worker_that_stopped_are_free_after_a_minute(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.receiver.answer_all(Answer::Held);
    upload_texts(&hooks.acme, SLOTS_TO_HOST).await;
    stack.local.resume_workers();
    hooks.receiver.wait_for(SLOTS_TO_HOST).await;

    let faults = stack.local.faults();
    faults.disconnect(WORKER, 0, false);
    hooks.receiver.release();
    until_idle(stack).await;
    faults.reconnect();
    stack.clock.advance(minutes(4));
    run_until_received(stack, &hooks, 2 * SLOTS_TO_HOST).await;

    until_idle(stack).await;
    hooks.assert_delivered().await;
}
