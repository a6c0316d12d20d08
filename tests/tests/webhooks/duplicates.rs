//! Jobs that are received more than once, and jobs that are outdated.

use local_stack::Messages;
use space_store::jobs::WebhookJob;
use tests::{PHOTO, Stack, column, seconds, stack_test, text};

use super::fixture::{Hooks, event_job, run_with_failures, send_jobs, time, until_idle};

/// Duplicates of a job.
const DUPLICATES: usize = 4;

#[stack_test]
async fn duplicates_of_an_event_send_one_webhook(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.acme.upload(PHOTO).await;
    let job = event_job(stack, &hooks.acme, &hooks.message().await);
    send_jobs(stack, &vec![job.clone(); DUPLICATES]).await;

    stack.local.resume_workers();
    run_with_failures(stack).await;
    send_jobs(stack, &[job]).await;
    stack.run_for(seconds(0)).await;

    hooks.receiver.only();
    assert_eq!(hooks.message().await["status"], "delivered");
}

#[stack_test]
async fn duplicates_of_an_attempt_make_it_once(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(500);
    hooks.upload(stack).await;
    let message = hooks.message().await;
    let attempt = |number| WebhookJob::Attempt {
        space_id: hooks.acme.space_id(),
        webhook_message_id: text(&message["id"]).parse().expect("an id"),
        number,
        due_at: stack.now(),
    };

    // One is outdated, the others are not due.
    send_jobs(stack, &[attempt(1), attempt(2), attempt(2), attempt(9)]).await;
    stack.run_for(seconds(0)).await;
    hooks.receiver.only();

    // All are due, and one makes the attempt.
    stack.clock.advance(seconds(6));
    until_idle(stack).await;
    assert_eq!(hooks.received(), 2);
    let message = hooks.message().await;
    assert_eq!(column(&message["attempts"], "at").len(), 2);
    assert!(time(&message["next_attempt_at"]) > stack.now());

    hooks.answer_all(200);
    run_with_failures(stack).await;
    assert_eq!(hooks.received(), 3);
    assert_eq!(hooks.message().await["status"], "delivered");
}

#[stack_test]
async fn job_of_a_claimed_attempt_waits_until_the_claim_expires(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(500);
    hooks.upload(stack).await;
    let message = hooks.message().await;
    let attempt = WebhookJob::Attempt {
        space_id: hooks.acme.space_id(),
        webhook_message_id: text(&message["id"]).parse().expect("an id"),
        number: 2,
        due_at: stack.now(),
    };

    // The worker makes the second attempt, and is killed before it records that.
    let faults = stack.local.faults();
    faults.disconnect("webhooks", 3, false);
    stack.clock.advance(seconds(6));
    let is_killed = |messages: Messages| {
        faults.broken_calls() > 0 && messages.visible == 0 && messages.running_batches == 0
    };
    stack.local.until(is_killed).await.expect("a killed worker");
    faults.reconnect();
    assert_eq!(hooks.received(), 2);

    hooks.answer_all(200);
    stack.local.call_log().clear();
    send_jobs(stack, &[attempt]).await;
    let is_hidden = |messages: Messages| {
        let calls = stack.local.call_log().calls();
        let mut operations = calls.iter().map(|call| &*call.operation);
        operations.any(|operation| operation == "ChangeMessageVisibility")
            && messages.running_batches == 0
    };
    stack.local.until(is_hidden).await.expect("a failed job");
    let waiting = async {
        stack.clock.advance(seconds(59));
        until_idle(stack).await;
    };
    let calls = stack.calls_of(waiting).await.calls;
    assert!(calls.is_empty(), "{calls:?}");

    stack.clock.advance(seconds(13));
    let is_made = |messages: Messages| hooks.received() == 3 && messages.running_batches == 0;
    stack.local.until(is_made).await.expect("a third attempt");
    assert_eq!(hooks.message().await["status"], "delivered");
    run_with_failures(stack).await;
}
