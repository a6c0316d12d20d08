//! Attempts: success, repetition by schedule, `Retry-After`, 410, and responses that are not read.

use domain::env::Timestamp;
use serde_json::{Value, json};
use tests::{Answer, PHOTO, Stack, assert_fields, column, seconds, stack_test};

use super::fixture::{Hooks, dead_letters, run_until, time, until_idle, with_short_deadline};

/// Pauses between the attempts, in seconds.
const PAUSES_SECONDS: [i64; 6] = [5, 300, 1_800, 7_200, 18_000, 36_000];
/// Milliseconds in a second.
const MS: i64 = 1_000;
/// Size of a response that is not read to its end, in bytes.
const LARGE_BYTES: usize = 200 << 20;
/// Maximum size of the buffers between receiver and worker, in bytes.
const MAX_BUFFERED_BYTES: usize = 16 << 20;

#[stack_test]
async fn delivered_webhook_is_logged_and_not_repeated(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks
        .receiver
        .answer_all(Answer::status(202).with_body("thanks\r\n\u{1b}[1m"));
    let file = hooks.upload(stack).await;

    let message = hooks.message().await;
    let mut attempt = message["attempts"][0].clone();
    assert!(attempt["duration_ms"].take().is_u64());
    let now = stack.now().rfc3339();
    assert_eq!(
        attempt,
        json!({
            "number": 1, "at": now, "duration_ms": null, "status_code": 202, "error": null,
            "response_excerpt": "thanks\n\u{fffd}[1m",
        })
    );
    let expected = json!({
        "id": hooks.receiver.only().header("webhook-id"), "event": "file.uploaded", "file_id": file.id,
        "status": "delivered", "failure": null, "next_attempt_at": null,
    });
    assert_fields(&message, expected);

    run_until(stack, stack.now().plus_ms(3_600 * MS)).await;
    hooks.receiver.only();
    assert_eq!(dead_letters(stack).await, Vec::<Value>::new());
}

#[stack_test]
async fn webhook_takes_one_read_and_two_writes(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.acme.upload(PHOTO).await;

    let calls = stack.calls_of(stack.run_post_upload()).await.calls;

    let calls: Vec<&str> = calls
        .iter()
        .filter_map(|call| call.strip_prefix("webhooks "))
        .filter(|operation| *operation != "DeleteMessageBatch")
        .collect();
    let expected = ["BatchGetItem", "TransactWriteItems", "TransactWriteItems"];
    assert_eq!(calls, expected);
}

#[stack_test]
async fn failed_attempts_are_repeated_by_schedule_and_end_as_a_dead_letter(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(503);
    hooks.upload(stack).await;

    for (index, pause) in PAUSES_SECONDS.into_iter().enumerate() {
        let message = hooks.message().await;
        assert_eq!(message["status"], "pending");
        assert_eq!(column(&message["attempts"], "at").len(), index + 1);
        let next = time(&message["next_attempt_at"]);
        let left_ms = next.ms() - time(&message["attempts"][index]["at"]).ms();
        let tolerance_ms = pause * MS / 10;
        assert!((left_ms - pause * MS).abs() <= tolerance_ms, "{left_ms}");

        run_until(stack, next.plus_ms(-MS)).await;
        assert_eq!(hooks.received(), index + 1);
        run_until(stack, next.plus_ms(MS)).await;
        assert_eq!(hooks.received(), index + 2);
    }

    let message = hooks.message().await;
    let expected =
        json!({"status": "failed", "failure": "attempts_exhausted", "next_attempt_at": null});
    assert_fields(&message, expected);
    let received = hooks.receiver.received();
    for webhook in &received {
        assert_eq!(webhook.body, received[0].body);
        assert_eq!(webhook.header("webhook-id"), message["id"]);
    }

    let dead_letters = dead_letters(stack).await;
    assert_eq!(dead_letters.len(), 1);
    let cause = "The host responds with status 503.";
    let expected = json!({"webhook_message_id": message["id"], "cause": cause});
    assert_fields(&dead_letters[0], expected);
}

#[stack_test]
async fn later_attempt_succeeds_and_ends_the_repetition(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_next(500);
    hooks.receiver.answer_next(Answer::Close);
    hooks.upload(stack).await;
    run_until(stack, stack.now().plus_ms(10 * MS)).await;
    run_until(stack, stack.now().plus_ms(3_600 * MS)).await;

    let message = hooks.message().await;
    assert_eq!(message["status"], "delivered");
    let attempts = message["attempts"].as_array().expect("a list");
    let numbers: Vec<&Value> = attempts.iter().map(|attempt| &attempt["number"]).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(attempts[1]["status_code"], Value::Null);
    assert_eq!(
        attempts[1]["error"],
        "The host closed the connection before the response was complete."
    );
    assert_eq!(hooks.received(), 3);
}

#[stack_test]
async fn retry_after_delays_the_next_attempt(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let date = stack.now().plus_ms(7_200 * MS);
    let date = httpdate::fmt_http_date(
        std::time::UNIX_EPOCH + seconds(u64::try_from(date.seconds()).expect("a time")),
    );
    let answer = |value: &str| {
        let header = format!("retry-after: {value}");
        hooks
            .receiver
            .answer_next(Answer::status(429).with_header(&header));
    };
    answer("3600");
    answer(&date);
    answer("999999999");
    answer("1");
    hooks.upload(stack).await;

    let mut pauses_seconds = Vec::new();
    for _ in 0..4 {
        let next = time(&hooks.message().await["next_attempt_at"]);
        pauses_seconds.push((next.ms() - stack.now().ms() + MS / 2) / MS);
        run_until(stack, next.plus_ms(MS)).await;
    }

    let message = hooks.message().await;
    assert_eq!(message["status"], "delivered");
    assert_eq!(pauses_seconds[0], 3_600);
    assert!(
        (3_590..=3_600).contains(&pauses_seconds[1]),
        "{pauses_seconds:?}"
    );
    assert_eq!(pauses_seconds[2], 24 * 3_600);
    // Not earlier than the schedule.
    assert!(
        (6_480..=7_920).contains(&pauses_seconds[3]),
        "{pauses_seconds:?}"
    );
}

#[stack_test]
async fn gone_ends_the_message_without_a_dead_letter(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(410);
    hooks.upload(stack).await;
    run_until(stack, stack.now().plus_ms(3_600 * MS)).await;

    let expected = json!({"status": "failed", "failure": "gone"});
    hooks.assert_message(expected).await;
    hooks.receiver.only();
    assert_eq!(dead_letters(stack).await, Vec::<Value>::new());
}

#[stack_test]
async fn redirect_is_not_followed(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let location = format!("location: {}", hooks.receiver.url());
    hooks
        .receiver
        .answer_next(Answer::status(307).with_header(&location));
    hooks.upload(stack).await;

    let attempt = hooks.message().await["attempts"][0].clone();
    let error = "The host responds with a redirect (307). Redirects are not followed.";
    assert_fields(&attempt, json!({"status_code": 307, "error": error}));
    hooks.receiver.only();
    stack.run_for(seconds(6)).await;
    assert_eq!(hooks.received(), 2);
}

#[stack_test]
async fn large_response_is_cut_off(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.receiver.answer_next(Answer::Large(LARGE_BYTES));
    hooks.upload(stack).await;

    let message = hooks.message().await;
    assert_eq!(message["status"], "delivered");
    let excerpt = &message["attempts"][0]["response_excerpt"];
    assert_eq!(*excerpt, "x".repeat(1_024));
    assert!(hooks.receiver.sent_bytes() < MAX_BUFFERED_BYTES);
}

#[stack_test(options = with_short_deadline())]
async fn silent_endpoint_fails_at_the_deadline_and_delays_no_other_space(stack: &Stack) {
    let silent = Hooks::named(stack, "Silent").await;
    silent.receiver.answer_next(Answer::Silence);
    let other = Hooks::named(stack, "Other").await;
    silent.acme.upload(PHOTO).await;
    stack.local.resume_workers();
    silent.receiver.wait_for(1).await;

    other.acme.upload(PHOTO).await;
    other.receiver.wait_for(1).await;
    until_idle(stack).await;

    let attempt = silent.message().await["attempts"][0].clone();
    let error = "The host does not complete its response within 500 ms.";
    assert_fields(&attempt, json!({"status_code": null, "error": error}));
    assert_eq!(other.message().await["status"], "delivered");
    run_until(stack, Timestamp::from_ms(stack.now().ms() + 7 * MS)).await;
    assert_eq!(silent.message().await["status"], "delivered");
}
