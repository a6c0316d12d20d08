//! The confirm-check of pending files that no client confirms, two hours after they were presigned.

use domain::Timestamp;
use runtime::Settings;
use serde_json::{Value, json};
use space_store::{ConfirmCheck, DelayedJob, MAX_DELAY_SECONDS};
use tests::{PHOTO, Stack, TestSpace, minutes, seconds, stack_test};

use crate::uploads::presign::PendingFile;

/// Maximum delay of an SQS message, in minutes.
pub(super) const MAX_DELAY_MINUTES: u64 = 15;
/// Delay of the confirm-check after the file was presigned, in milliseconds.
const CHECK_DELAY_MS: i64 = 2 * 60 * 60 * 1_000;
/// Duplicate deliveries of a check at the same time.
const DUPLICATES: usize = 4;

/// Runs the stack for `duration` minutes, in steps of at most the maximum message delay.
pub(crate) async fn run_for_minutes(stack: &Stack, duration: u64) {
    for _ in 0..duration / MAX_DELAY_MINUTES {
        stack.run_for(minutes(MAX_DELAY_MINUTES)).await;
    }
    stack.run_for(minutes(duration % MAX_DELAY_MINUTES)).await;
}

/// Presigns the photo and sends it.
pub(crate) async fn presign_and_send(
    stack: &Stack,
    acme: &TestSpace,
    fields: Value,
) -> PendingFile {
    let pending_file = PendingFile::create(acme, fields).await;
    pending_file.send(stack, PHOTO).await.expect_status(200);
    pending_file
}

/// Returns the status of a file, if it exists.
pub(super) async fn status(acme: &TestSpace, pending_file: &PendingFile) -> Option<String> {
    let response = acme.get(&pending_file.address()).await;
    if response.status == 404 {
        response.expect_error(404);
        return None;
    }
    response.expect_ok()["status"].as_str().map(str::to_owned)
}

/// Asserts that a file is active, delivered and stored once, and returns its record.
pub(super) async fn assert_confirmed(
    stack: &Stack,
    acme: &TestSpace,
    pending_file: &PendingFile,
) -> Value {
    let active = acme.get_ok(&pending_file.address()).await;
    assert_eq!(active["status"], "active");

    let delivered = stack
        .anonymous
        .fetch(active["url"].as_str().expect("an address"))
        .await;

    assert_eq!(active["size"], json!(delivered.body.len()));
    assert!(delivered.body == PHOTO);

    let dump = stack.dump().await;
    let is_of_file = |key: &&String| key.contains("/originals/") && key.contains(pending_file.id());

    assert_eq!(dump.objects.keys().filter(is_of_file).count(), 1);
    assert_eq!(
        dump.files_with_bytes()
            .iter()
            .filter(|file| file["id"] == active["id"])
            .count(),
        1
    );

    active
}

/// Sends duplicates of a check, due with that of a file that is presigned now.
async fn send_duplicate_checks(stack: &Stack, acme: &TestSpace, pending_file: &PendingFile) {
    let timing = CheckTiming {
        due_at: stack.now().plus_ms(CHECK_DELAY_MS),
        delay_seconds: MAX_DELAY_SECONDS,
    };
    send_checks::<DUPLICATES>(stack, acme, pending_file, timing).await;
}

/// When a confirm-check is due, and when the queue delivers it.
#[derive(Clone, Copy)]
struct CheckTiming {
    due_at: Timestamp,
    delay_seconds: i32,
}

impl CheckTiming {
    /// Returns the timing of a check that is due and delivered at once.
    fn at_once() -> CheckTiming {
        CheckTiming {
            due_at: Timestamp::from_ms(0),
            delay_seconds: 0,
        }
    }
}

/// Sends a number of checks of a file.
async fn send_checks<const COUNT: usize>(
    stack: &Stack,
    acme: &TestSpace,
    pending_file: &PendingFile,
    timing: CheckTiming,
) {
    let context = stack.unrestricted_context();
    let mut settings = Settings::of(&context);
    let queue = settings.queue("CONFIRM_CHECK_QUEUE_URL");
    let space_id = acme.id.parse().expect("an id");
    let file_id = pending_file.id().parse().expect("an id");
    let check = ConfirmCheck {
        space_id,
        file_id,
        due_at: timing.due_at,
    };
    let job = DelayedJob {
        job: check,
        delay_seconds: timing.delay_seconds,
    };
    queue.send(&[job; COUNT]).await.expect("sent");
}

/// Runs the confirm-check of a file now.
pub(crate) async fn check_now(stack: &Stack, acme: &TestSpace, pending_file: &PendingFile) {
    send_checks::<1>(stack, acme, pending_file, CheckTiming::at_once()).await;
    stack.run_for(seconds(1)).await;
}

/// Asserts the confirm-checks of a sent file and of one that was not sent.
pub(crate) async fn confirm_checks_run(stack: &Stack, acme: &TestSpace) {
    let sent = PendingFile::create(acme, json!({})).await;
    let unsent = PendingFile::create(acme, json!({})).await;
    sent.send(stack, PHOTO).await.expect_status(200);
    for pending_file in [&sent, &unsent] {
        send_checks::<1>(stack, acme, pending_file, CheckTiming::at_once()).await;
    }
    stack.run_for(seconds(1)).await;
    assert_confirmed(stack, acme, &sent).await;
    acme.get_err(404, &unsent.address()).await;
}

#[stack_test]
async fn unconfirmed_upload_becomes_active_after_two_hours(stack: &Stack, acme: &TestSpace) {
    let pending_file = presign_and_send(stack, acme, json!({"ref": "order 7"})).await;
    let pending = acme.get_ok(&pending_file.address()).await;
    let before = stack.dump().await;
    run_for_minutes(stack, 119).await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "less than two hours");
    assert_eq!(acme.get_ok(&pending_file.address()).await, pending);
    let path = pending["storage_path"].as_str().expect("a path");
    stack
        .anonymous
        .get_err(404, &format!("{}/{path}", stack.local.cdn_url()))
        .await;

    stack.run_for(minutes(1)).await;
    let active = assert_confirmed(stack, acme, &pending_file).await;
    for field in [
        "id",
        "ref",
        "name",
        "original_name",
        "created_at",
        "uploaded_by",
        "upload_config_id",
    ] {
        assert_eq!(active[field], pending[field], "{field}");
    }
    assert_eq!(pending_file.confirm(&acme.client).await.expect_ok(), active);
}

#[stack_test]
async fn pending_file_without_object_is_removed_after_two_hours(stack: &Stack, acme: &TestSpace) {
    let before = stack.dump().await;
    let pending_file = PendingFile::create(acme, json!({})).await;
    run_for_minutes(stack, 119).await;
    assert_eq!(
        status(acme, &pending_file).await.as_deref(),
        Some("pending")
    );
    stack.run_for(minutes(1)).await;
    assert_eq!(status(acme, &pending_file).await, None);
    stack
        .dump()
        .await
        .assert_unchanged(&before, "a file that was never sent");
    pending_file.confirm(&acme.client).await.expect_error(404);
}

#[stack_test]
async fn unconfirmed_invalid_upload_is_removed_after_two_hours(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("pngs")
        .with_settings(json!({"validation": {"allowed_formats": ["png"]}}))
        .await;
    acme.upload_config("narrow")
        .with_settings(json!({"validation": {"max_image_width": 100}}))
        .await;
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;

    let own = || json!({"upload_config": "own"});
    presign_and_send(stack, acme, own())
        .await
        .confirm(&acme.client)
        .await
        .expect_ok();

    let before = stack.dump().await;
    for fields in [
        json!({"upload_config": "pngs", "content_type": "application/octet-stream"}),
        json!({"upload_config": "narrow"}),
        json!({"content_type": "application/pdf", "filename": "a.pdf"}),
        // The name is already used.
        own(),
    ] {
        presign_and_send(stack, acme, fields).await;
    }

    run_for_minutes(stack, 120).await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "files that break a rule");
}

#[stack_test]
async fn confirm_check_transforms_images(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;

    let pending_file = presign_and_send(stack, acme, json!({"upload_config": "webp"})).await;
    run_for_minutes(stack, 120).await;

    let active = acme.get_ok(&pending_file.address()).await;
    assert_eq!(
        (&active["status"], &active["mime_type"]),
        (&json!("active"), &json!("image/webp"))
    );

    let delivered = stack
        .anonymous
        .fetch(active["url"].as_str().expect("an address"))
        .await;

    assert_eq!(
        media::Format::detect(&delivered.body),
        Some(media::Format::WebP)
    );
    assert_eq!(active["size"], json!(delivered.body.len()));
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test]
async fn confirm_check_ignores_confirmed_files(stack: &Stack, acme: &TestSpace) {
    let early = presign_and_send(stack, acme, json!({})).await;
    let late = presign_and_send(stack, acme, json!({})).await;

    early.confirm(&acme.client).await.expect_ok();
    run_for_minutes(stack, 110).await;
    late.confirm(&acme.client).await.expect_ok();

    let early_active = assert_confirmed(stack, acme, &early).await;
    let late_active = assert_confirmed(stack, acme, &late).await;

    assert!(early_active["updated_at"].as_str() < late_active["updated_at"].as_str());

    let before = stack.dump().await;
    let calls = stack.calls_of(stack.run_confirm_checks()).await.calls;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "checks of active files");

    let is_write = |call: &String| {
        ["Put", "Transact", "Copy", "Delete"]
            .iter()
            .any(|verb| call.contains(verb))
    };
    let job_calls = calls
        .iter()
        .filter(|call| call.starts_with("confirm-check ") && !call.contains("Message"));

    assert!(
        !job_calls.clone().any(is_write) && job_calls.count() >= 1,
        "{calls:?}"
    );
}

#[stack_test]
async fn check_of_a_confirmed_file_ends_with_its_first_receive(stack: &Stack, acme: &TestSpace) {
    let confirmed = presign_and_send(stack, acme, json!({})).await;
    confirmed.confirm(&acme.client).await.expect_ok();

    let calls = stack.calls_of(stack.run_confirm_checks()).await.calls;

    let ends = ["BatchGetItem", "DeleteMessageBatch"].map(|call| format!("confirm-check {call}"));
    assert_eq!(calls, ends);
}

#[stack_test]
async fn check_of_a_pending_file_is_received_eight_times(stack: &Stack, acme: &TestSpace) {
    PendingFile::create(acme, json!({})).await;

    let calls = stack.calls_of(stack.run_confirm_checks()).await.calls;

    let count = |operation: &str| {
        let call = format!("confirm-check {operation}");
        calls.iter().filter(|other| **other == call).count()
    };
    assert_eq!(count("SendMessageBatch"), 7);
    assert_eq!(count("DeleteMessageBatch"), 8);
}

#[stack_test]
async fn repeated_confirm_check_changes_nothing(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("pngs")
        .with_settings(json!({"validation": {"allowed_formats": ["png"]}}))
        .await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;

    let confirmed = presign_and_send(stack, acme, json!({})).await;
    let transformed = presign_and_send(stack, acme, json!({"upload_config": "webp"})).await;
    let rejected = presign_and_send(
        stack,
        acme,
        json!({"upload_config": "pngs", "content_type": "application/octet-stream"}),
    )
    .await;
    let absent = PendingFile::create(acme, json!({})).await;

    for pending_file in [&confirmed, &transformed, &rejected, &absent] {
        send_duplicate_checks(stack, acme, pending_file).await;
    }

    run_for_minutes(stack, 120).await;
    assert_confirmed(stack, acme, &confirmed).await;
    assert_eq!(status(acme, &transformed).await.as_deref(), Some("active"));
    for removed in [&rejected, &absent] {
        assert_eq!(status(acme, removed).await, None);
    }

    let before = stack.dump().await;
    assert_eq!(before.files_with_bytes().len(), 2);
    assert_eq!(
        before
            .objects
            .keys()
            .filter(|key| key.contains("/originals/"))
            .count(),
        2
    );
    for pending_file in [&confirmed, &transformed, &rejected, &absent] {
        send_duplicate_checks(stack, acme, pending_file).await;
    }

    stack.run_confirm_checks().await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "repeated checks");
}
