//! `POST /spaces/:id/webhook-deliveries/:deliveryId/redeliver`.

use serde_json::{Value, json};
use space_store::jobs::WebhookJob;
use tests::{PHOTO, Response, Stack, WebhookReceiver, column, seconds, stack_test, text};

use super::fixture::{
    Hooks, dead_letters, run_until, run_with_failures, send_jobs, time, until_idle,
};

/// Milliseconds in a second.
const MS: i64 = 1_000;

async fn redeliver(hooks: &Hooks) -> Response {
    let id = text(&hooks.message().await["id"]);
    let path = format!("{}/{id}/redeliver", hooks.log_path());
    let client = &hooks.acme.client;
    client.send(client.request("POST", &path)).await
}

/// Returns the numbers of the logged attempts.
async fn numbers(hooks: &Hooks) -> Vec<u64> {
    let numbers = column(&hooks.message().await["attempts"], "number");
    numbers.iter().filter_map(Value::as_u64).collect()
}

#[stack_test]
async fn delivered_webhook_is_sent_again_with_the_same_id_and_body(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.upload(stack).await;

    for count in 2..=3 {
        stack.clock.advance(seconds(1));
        redeliver(&hooks).await.expect_status(202);
        stack.run_for(seconds(0)).await;
        assert_eq!(hooks.received(), count);
    }

    let received = hooks.receiver.received();
    for webhook in &received[1..] {
        let id = received[0].header("webhook-id");
        assert_eq!(webhook.header("webhook-id"), id);
        assert_eq!(webhook.body, received[0].body);
    }
    assert_eq!(numbers(&hooks).await, [1, 2, 3]);
    assert_eq!(hooks.message().await["status"], "delivered");
}

#[stack_test]
async fn failed_message_gets_a_new_series_of_attempts(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_next(410);
    hooks.upload(stack).await;
    assert_eq!(hooks.message().await["status"], "failed");

    hooks.answer_next(500);
    redeliver(&hooks).await.expect_status(202);
    stack.run_for(seconds(0)).await;
    let message = hooks.message().await;
    assert_eq!(message["status"], "pending");
    assert_eq!(message["failure"], Value::Null);
    let pause_ms = time(&message["next_attempt_at"]).ms() - stack.now().ms();
    assert!((4_500..=5_500).contains(&pause_ms), "{pause_ms}");

    stack.run_for(seconds(6)).await;
    assert_eq!(numbers(&hooks).await, [1, 2, 3]);
    assert_eq!(hooks.message().await["status"], "delivered");
}

#[stack_test]
async fn redelivery_of_a_pending_message_is_made_at_once(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_next(500);
    hooks.answer_next(500);
    hooks.upload(stack).await;
    stack.run_for(seconds(6)).await;
    assert_eq!(hooks.received(), 2);

    redeliver(&hooks).await.expect_status(202);
    redeliver(&hooks).await.expect_status(202);
    // If both jobs are received at once, one of them waits for the attempt of the other one.
    until_idle(stack).await;
    assert_eq!(hooks.received(), 3);
    assert_eq!(hooks.message().await["status"], "delivered");

    // The job of the attempt that was due later is outdated.
    run_with_failures(stack).await;
    assert_eq!(hooks.received(), 3);
}

#[stack_test]
async fn redelivery_goes_to_the_current_url(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_next(410);
    hooks.upload(stack).await;
    let other = WebhookReceiver::start().await;
    hooks.set_url(other.url()).await;

    redeliver(&hooks).await.expect_status(202);
    stack.run_for(seconds(0)).await;

    hooks.receiver.only();
    let expected = hooks.receiver.only().header("webhook-id").to_owned();
    assert_eq!(other.only().header("webhook-id"), expected);
    assert_eq!(hooks.message().await["url"], other.url());
}

#[stack_test]
async fn redelivery_without_an_earlier_attempt_goes_to_the_current_url(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.acme.upload(PHOTO).await;
    hooks.acme.set_enabled(false).await;
    stack.run_post_upload().await;
    assert_eq!(hooks.message().await["failure"], "space_disabled");

    let other = WebhookReceiver::start().await;
    let settings = json!({"enabled": true, "webhook_url": other.url()});
    hooks.acme.update(settings).await;
    redeliver(&hooks).await.expect_status(202);
    stack.run_for(seconds(0)).await;

    other.only();
    assert_eq!(hooks.message().await["status"], "delivered");
}

#[stack_test]
async fn attempts_and_redeliveries_end_without_a_url(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(500);
    hooks.upload(stack).await;
    hooks.acme.update(json!({"webhook_url": null})).await;

    stack.run_for(seconds(6)).await;
    assert_eq!(hooks.message().await["failure"], "no_url");
    assert!(hooks.message().await["redelivered_at"].is_null());
    redeliver(&hooks).await.expect_status(202);
    stack.run_for(seconds(0)).await;

    hooks.receiver.only();
    let expected =
        json!({"status": "failed", "failure": "no_url", "redelivered_at": stack.now().rfc3339()});
    hooks.assert_message(expected).await;
}

#[stack_test]
async fn redelivery_in_a_disabled_space_is_rejected(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.upload(stack).await;
    hooks.acme.set_enabled(false).await;

    redeliver(&hooks).await.expect_error(403);
}

#[stack_test]
async fn dead_letter_that_is_moved_back_begins_a_new_series(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(500);
    hooks.upload(stack).await;
    while hooks.message().await["status"] == "pending" {
        let next = time(&hooks.message().await["next_attempt_at"]);
        run_until(stack, next.plus_ms(MS)).await;
    }
    let dead_letters = dead_letters(stack).await;
    assert_eq!(dead_letters.len(), 1);

    hooks.answer_all(200);
    let job = serde_json::from_value(dead_letters[0].clone()).expect("a job");
    send_jobs(stack, &[job]).await;
    stack.run_for(seconds(0)).await;

    assert_eq!(hooks.message().await["status"], "delivered");
    assert_eq!(numbers(&hooks).await, (1..=8).collect::<Vec<_>>());
}

/// A worker that stops after it has sent the dead letter repeats its attempt, which may succeed.
#[stack_test]
async fn dead_letter_of_a_delivered_webhook_sends_nothing(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.upload(stack).await;
    let message = hooks.message().await;
    assert_eq!(message["status"], "delivered");
    stack.clock.advance(seconds(1));

    let dead_letter = WebhookJob::Redeliver {
        space_id: hooks.acme.space_id(),
        webhook_message_id: text(&message["id"]).parse().expect("an id"),
        requested_at: stack.now(),
        cause: Some("HTTP status 500".to_owned()),
    };
    send_jobs(stack, &[dead_letter]).await;
    stack.run_for(seconds(0)).await;

    hooks.receiver.only();
    assert_eq!(hooks.message().await, message);
}
