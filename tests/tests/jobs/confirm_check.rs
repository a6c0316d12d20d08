//! The confirm-check of pending files that no client confirms, two hours after they were presigned.

use domain::env::Timestamp;
use runtime::context::Settings;
use serde_json::{Value, json};
use space_store::jobs::{ConfirmCheck, DelayedJob, MAX_DELAY_SECONDS};
use tests::{PHOTO, Stack, TestSpace, minutes, seconds, stack_test, text};

use crate::uploads::{
    config_rules::own_names,
    confirm::{delivered_bytes, original_keys},
    presign::PendingFile,
};

/// Maximum delay of an SQS message, in minutes.
const MAX_DELAY_MINUTES: u64 = 15;
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
    pending_file.put(stack, PHOTO).await;
    pending_file
}

/// Returns the status of a file, if it exists.
pub(crate) async fn status(acme: &TestSpace, pending_file: &PendingFile) -> Option<String> {
    let response = acme.get(&pending_file.address()).await;
    if response.status == 404 {
        response.expect_error(404);
        return None;
    }
    Some(text(&response.expect_ok()["status"]))
}

/// Asserts that a file is active, delivered and stored once, and returns its record.
pub(super) async fn assert_confirmed(
    stack: &Stack,
    acme: &TestSpace,
    pending_file: &PendingFile,
) -> Value {
    let active = acme.get_ok(&pending_file.address()).await;
    assert!(delivered_bytes(stack, &active).await == PHOTO);

    let dump = stack.dump().await;
    let is_of_file = |key: &&String| key.contains("/originals/") && key.contains(pending_file.id());
    assert_eq!(dump.objects.keys().filter(is_of_file).count(), 1);
    let files = dump.files_with_bytes().into_iter();
    let records = files.filter(|file| file["id"] == active["id"]);
    assert_eq!(records.count(), 1);

    active
}

/// Sends duplicates of a check, due with that of a file that is presigned now.
async fn send_duplicate_checks(stack: &Stack, acme: &TestSpace, pending_file: &PendingFile) {
    let due_at = stack.now().plus_ms(CHECK_DELAY_MS);
    let job = DelayedJob {
        job: check_of(acme, pending_file, due_at),
        delay_seconds: MAX_DELAY_SECONDS,
    };
    send(stack, &[job; DUPLICATES]).await;
}

fn check_of(acme: &TestSpace, pending_file: &PendingFile, due_at: Timestamp) -> ConfirmCheck {
    ConfirmCheck {
        space_id: acme.space_id(),
        file_id: pending_file.id().parse().expect("an id"),
        is_replacement: false,
        due_at,
    }
}

async fn send(stack: &Stack, checks: &[DelayedJob<ConfirmCheck>]) {
    let context = stack.unrestricted_context();
    let mut settings = Settings::of(&context);
    let queue = settings.queue("CONFIRM_CHECK_QUEUE_URL");
    queue.send(checks).await.expect("sent");
}

/// Runs the confirm-check of a file now.
pub(crate) async fn check_now(stack: &Stack, acme: &TestSpace, pending_file: &PendingFile) {
    let job = DelayedJob {
        job: check_of(acme, pending_file, Timestamp::from_ms(0)),
        delay_seconds: 0,
    };
    send(stack, &[job]).await;
    stack.run_for(seconds(1)).await;
}

/// Asserts the confirm-checks of a sent file and of one that was not sent.
pub(crate) async fn confirm_checks_run(stack: &Stack, acme: &TestSpace) {
    let sent = presign_and_send(stack, acme, json!({})).await;
    let unsent = PendingFile::create(acme, json!({})).await;
    for pending_file in [&sent, &unsent] {
        check_now(stack, acme, pending_file).await;
    }
    assert_confirmed(stack, acme, &sent).await;
    acme.get_err(404, &unsent.address()).await;
}

#[stack_test]
async fn unconfirmed_upload_becomes_active_after_two_hours(stack: &Stack, acme: &TestSpace) {
    let pending_file = presign_and_send(stack, acme, json!({"ref": "order 7"})).await;
    let pending = acme.get_ok(&pending_file.address()).await;
    let before = stack.dump().await;
    run_for_minutes(stack, 119).await;
    stack.assert_unchanged(&before, "less than two hours").await;
    assert_eq!(acme.get_ok(&pending_file.address()).await, pending);
    let path = text(&pending["storage_path"]);
    let url = format!("{}/{path}", stack.local.cdn_url());
    stack.anonymous.get_err(404, &url).await;

    stack.run_for(minutes(1)).await;
    let active = assert_confirmed(stack, acme, &pending_file).await;
    let kept = "id ref name original_name created_at uploaded_by upload_config_id";
    for field in kept.split(' ') {
        assert_eq!(active[field], pending[field], "{field}");
    }
    assert_eq!(pending_file.confirm(&acme.client).await.expect_ok(), active);
}

#[stack_test]
async fn pending_file_without_object_is_removed_after_two_hours(stack: &Stack, acme: &TestSpace) {
    let before = stack.dump().await;
    let pending_file = PendingFile::create(acme, json!({})).await;
    run_for_minutes(stack, 119).await;
    let pending = status(acme, &pending_file).await;
    assert_eq!(pending.as_deref(), Some("pending"));

    stack.run_for(minutes(1)).await;
    assert_eq!(status(acme, &pending_file).await, None);
    stack
        .assert_unchanged(&before, "a file that was never sent")
        .await;
    pending_file.confirm(&acme.client).await.expect_error(404);
}

#[stack_test]
async fn unconfirmed_invalid_upload_is_removed_after_two_hours(stack: &Stack, acme: &TestSpace) {
    for (name, settings) in [
        ("pngs", json!({"validation": {"allowed_formats": ["png"]}})),
        ("narrow", json!({"validation": {"max_image_width": 100}})),
        ("own", own_names()),
    ] {
        acme.upload_config(name).with_settings(settings).await;
    }
    let own = || json!({"upload_config": "own"});
    let first = presign_and_send(stack, acme, own()).await;
    first.confirm(&acme.client).await.expect_ok();

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
        .assert_unchanged(&before, "files that break a rule")
        .await;
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
        .assert_unchanged(&before, "checks of active files")
        .await;

    let verbs = ["Put", "Transact", "Copy", "Delete"];
    let is_write = |call: &String| verbs.iter().any(|verb| call.contains(verb));
    let job_calls = calls
        .iter()
        .filter(|call| call.starts_with("confirm-check ") && !call.contains("Message"));
    let writes = job_calls.clone().any(is_write);
    assert!(!writes && job_calls.count() >= 1, "{calls:?}");
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
async fn repeated_confirm_check_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let pngs = json!({"validation": {"allowed_formats": ["png"]}});
    acme.upload_config("pngs").with_settings(pngs).await;
    let webp = json!({"transformations": {"upload_format": "webp"}});
    acme.upload_config("webp").with_settings(webp).await;

    let confirmed = presign_and_send(stack, acme, json!({})).await;
    let transformed = presign_and_send(stack, acme, json!({"upload_config": "webp"})).await;
    let no_png = json!({"upload_config": "pngs", "content_type": "application/octet-stream"});
    let rejected = presign_and_send(stack, acme, no_png).await;
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
    assert_eq!(original_keys(&before, &acme.id).len(), 2);
    for pending_file in [&confirmed, &transformed, &rejected, &absent] {
        send_duplicate_checks(stack, acme, pending_file).await;
    }

    stack.run_confirm_checks().await;
    stack.assert_unchanged(&before, "repeated checks").await;
}
