//! The confirm-check with concurrent confirmations, failed AWS calls, and disabled or deleted
//! spaces.

use emulators::{
    InjectedError,
    Service::{DynamoDb, Sqs},
};
use futures::future::join3;
use serde_json::json;
use table::item_keys;
use tests::{
    DEFAULT_ATTEMPTS, DYNAMODB_ATTEMPTS, Dump, PHOTO, Stack, TestSpace, minutes, stack_test,
};

use crate::{
    spaces::delete::{stored_data, with_retired},
    uploads::presign::{PendingFile, presign_body},
};

use super::confirm_check::{assert_confirmed, presign_and_send, run_for_minutes, status};

/// Attempts of an AWS call.
const ATTEMPTS: u32 = DEFAULT_ATTEMPTS;

/// Returns the stored state without the temporary records of abandoned files.
fn without_abandoned_files(mut dump: Dump) -> Dump {
    dump.items.retain(|key, item| {
        !key.partition.starts_with(item_keys::FILE_LOOKUPS) || !item["space_id"].is_null()
    });
    dump
}

#[stack_test]
async fn concurrent_confirmation_and_check_activate_once(stack: &Stack, acme: &TestSpace) {
    let pending_file = presign_and_send(stack, acme, json!({})).await;
    run_for_minutes(stack, 119).await;
    let confirm = || pending_file.confirm(&acme.client);
    let ((), first, second) = join3(stack.run_for(minutes(1)), confirm(), confirm()).await;
    let active = assert_confirmed(stack, acme, &pending_file).await;
    for confirmed in [first, second] {
        assert_eq!(confirmed.expect_ok(), active);
    }
}

#[stack_test]
async fn confirmation_with_lost_responses_finds_file_active(stack: &Stack, acme: &TestSpace) {
    let pending_file = presign_and_send(stack, acme, json!({})).await;

    let faults = stack.local.faults();
    faults.lose_response(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS);
    let confirmed = pending_file.confirm(&acme.client).await.expect_ok();

    let active = assert_confirmed(stack, acme, &pending_file).await;
    assert_eq!(active, confirmed);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn check_in_disabled_space_discards_pending_uploads(stack: &Stack, acme: &TestSpace) {
    let webp = json!({"transformations": {"upload_format": "webp"}});
    acme.upload_config("webp").with_settings(webp).await;
    let active = presign_and_send(stack, acme, json!({})).await;
    active.confirm(&acme.client).await.expect_ok();
    acme.set_enabled(false).await;
    let before = stack.dump().await;
    acme.set_enabled(true).await;
    let pending = [
        presign_and_send(stack, acme, json!({})).await,
        presign_and_send(stack, acme, json!({"upload_config": "webp"})).await,
        PendingFile::create(acme, json!({})).await,
    ];
    acme.set_enabled(false).await;

    run_for_minutes(stack, 120).await;

    let after = stack.dump().await;
    assert_eq!(after.objects, before.objects);
    assert_eq!(after.files_with_bytes(), before.files_with_bytes());
    acme.set_enabled(true).await;
    assert_confirmed(stack, acme, &active).await;
    for pending_file in &pending {
        assert_eq!(status(acme, pending_file).await, None);
        pending_file.confirm(&acme.client).await.expect_error(404);
    }
}

#[stack_test]
async fn confirm_check_in_deleted_space_activates_nothing(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let sent = presign_and_send(stack, &acme, json!({})).await;
    let absent = PendingFile::create(&acme, json!({})).await;
    let active = presign_and_send(stack, &acme, json!({})).await;

    active.confirm(&acme.client).await.expect_ok();
    stack.run_for(minutes(30)).await;

    // A space with a pending file is not empty.
    acme.delete_err(409, &format!("/spaces?id={}", acme.id))
        .await;
    acme.delete_by_force().await;
    for pending_file in [&sent, &absent, &active] {
        let rejected = pending_file.confirm(&stack.account()).await;
        rejected.expect_error(404);
        // Storage does not check spaces.
        pending_file.put(stack, PHOTO).await;
    }

    stack.run_for(minutes(1)).await;
    absent.put(stack, PHOTO).await;
    let expected = with_retired(before, &acme.handle);
    stack.run_purges().await;
    let purged = stored_data(stack).await;
    purged.assert_unchanged(&expected, "pending files of a deleted space");
    stack.run_confirm_checks().await;
    let checked = stored_data(stack).await;
    checked.assert_unchanged(&expected, "checks in a deleted space");
}

#[stack_test]
async fn failed_presign_leaves_nothing(stack: &Stack, acme: &TestSpace) {
    acme.get_ok(&acme.path()).await;

    let before = stack.dump().await;
    let faults = stack.local.faults();
    let body = presign_body(acme, json!({}));
    let presign = || acme.post("/upload/presign", &body);

    // No check would be scheduled.
    let error = InjectedError::new(500, "InternalFailure");
    faults.fail(Sqs, "SendMessageBatch", ATTEMPTS, error);
    presign().await.expect_error(503);
    stack
        .assert_unchanged(&before, "a file without a check")
        .await;

    // The check finds no file.
    let error = InjectedError::new(500, "InternalServerError");
    faults.fail(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS, error);
    presign().await.expect_error(503);
    without_abandoned_files(stack.dump().await)
        .assert_unchanged(&before, "a file that was not created");

    // The file was created, although the response was lost.
    faults.lose_response(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS);
    let pending_file = PendingFile::of(presign().await);
    pending_file.put(stack, PHOTO).await;
    pending_file.confirm(&acme.client).await.expect_ok();
    assert_confirmed(stack, acme, &pending_file).await;
    stack.run_confirm_checks().await;
}
