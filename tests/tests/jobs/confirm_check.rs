//! The confirm-check of pending files that no client confirms, two hours after they were presigned.

use domain::Timestamp;
use emulators::{
    InjectedError,
    Service::{DynamoDb, Sqs},
};
use futures::future::join3;
use runtime::Settings;
use serde_json::{Value, json};
use tenant::{ConfirmCheck, DelayedJob, MAX_DELAY_SECONDS};
use tests::{
    DEFAULT_ATTEMPTS, DYNAMODB_ATTEMPTS, Dump, Extent, PHOTO, Stack, Tenant, minutes, seconds,
    stack_test,
};

use crate::{
    spaces::delete::{stored_data, with_retired},
    uploads::presign::{PendingFile, presign_body},
};

/// Maximum delay of an SQS message, in minutes.
const QUARTER: u64 = 15;
/// Attempts of an AWS call.
const ATTEMPTS: u32 = DEFAULT_ATTEMPTS;
/// Delay of the confirm-check after the file was presigned, in milliseconds.
const CHECKED_MS: i64 = 2 * 60 * 60 * 1_000;
/// Seeds of random AWS misbehavior.
const SEEDS: Extent = Extent {
    default: 1,
    thorough: 12,
    variable: "LARDER_CHECK_SEEDS",
};
/// Duplicate deliveries of a check at the same time.
const MORE: usize = 4;

/// Advances the clock to a number of minutes after a file that was presigned now.
async fn pass_to(stack: &Stack, after: u64) {
    for _ in 0..after / QUARTER {
        stack.run_for(minutes(QUARTER)).await;
    }
    stack.run_for(minutes(after % QUARTER)).await;
}

/// Presigns the photo and sends it.
async fn sent(stack: &Stack, acme: &Tenant, fields: Value) -> PendingFile {
    let pending_file = PendingFile::create(acme, fields).await;
    pending_file.send(stack, PHOTO).await.expect_status(200);
    pending_file
}

/// Returns the status of a file, if it exists.
async fn status(acme: &Tenant, pending_file: &PendingFile) -> Option<String> {
    let response = acme.client.get(&pending_file.address()).await;
    if response.status == 404 {
        response.expect_error(404);
        return None;
    }
    response.expect_ok()["status"].as_str().map(str::to_owned)
}

/// Asserts that a file is active, delivered and stored once, and returns its record.
async fn assert_taken_in(stack: &Stack, acme: &Tenant, pending_file: &PendingFile) -> Value {
    let active = acme.client.get(&pending_file.address()).await.expect_ok();
    assert_eq!(active["status"], "active");

    let delivered = stack
        .anonymous
        .get(active["url"].as_str().expect("an address"))
        .await
        .expect_status(200);

    assert_eq!(active["size"], json!(delivered.body.len()));
    assert!(delivered.body == PHOTO);

    let dump = stack.dump().await;
    let of_it = |key: &&String| key.contains("/originals/") && key.contains(pending_file.id());

    assert_eq!(dump.objects.keys().filter(of_it).count(), 1);
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
async fn check_again(stack: &Stack, acme: &Tenant, pending_file: &PendingFile) {
    send_checks::<MORE>(
        stack,
        acme,
        pending_file,
        stack.admin_environment().env.now().plus_ms(CHECKED_MS),
        MAX_DELAY_SECONDS,
    )
    .await;
}

/// Sends a number of checks of a file, with their due time and delay in seconds.
async fn send_checks<const COUNT: usize>(
    stack: &Stack,
    acme: &Tenant,
    pending_file: &PendingFile,
    due_at: Timestamp,
    delay: i32,
) {
    let environment = stack.admin_environment();
    let mut settings = Settings::of(&environment);
    let queue = settings.queue("CONFIRM_CHECK_QUEUE_URL");
    let space_id = acme.id.parse().expect("an id");
    let file_id = pending_file.id().parse().expect("an id");
    let check = ConfirmCheck {
        space_id,
        file_id,
        due_at,
    };
    let job = DelayedJob {
        job: check,
        delay_seconds: delay,
    };
    queue.send(&[job; COUNT]).await.expect("sent");
}

/// Runs the confirm-check of a file now.
pub(crate) async fn check_now(stack: &Stack, acme: &Tenant, pending_file: &PendingFile) {
    send_checks::<1>(stack, acme, pending_file, Timestamp::from_ms(0), 0).await;
    stack.run_for(seconds(1)).await;
}

/// Asserts the confirm-checks of a sent file and of one that was not sent.
pub(crate) async fn confirm_checks_run(stack: &Stack, acme: &Tenant) {
    let sent = PendingFile::create(acme, json!({})).await;
    let unsent = PendingFile::create(acme, json!({})).await;
    sent.send(stack, PHOTO).await.expect_status(200);
    for pending_file in [&sent, &unsent] {
        send_checks::<1>(stack, acme, pending_file, Timestamp::from_ms(0), 0).await;
    }
    stack.run_for(seconds(1)).await;
    assert_taken_in(stack, acme, &sent).await;
    acme.client.get(&unsent.address()).await.expect_error(404);
}

/// Returns the stored state without the temporary records of abandoned files.
fn without_given_up(mut dump: Dump) -> Dump {
    dump.items.retain(|(partition, _), item| {
        !partition.starts_with("FILE#") || !item["space_id"].is_null()
    });
    dump
}

#[stack_test]
async fn unconfirmed_upload_becomes_active_after_two_hours(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let pending_file = sent(stack, &acme, json!({"ref": "order 7"})).await;
    let pending = acme.client.get(&pending_file.address()).await.expect_ok();
    let before = stack.dump().await;
    pass_to(stack, 119).await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "less than two hours");
    assert_eq!(
        acme.client.get(&pending_file.address()).await.expect_ok(),
        pending
    );
    let path = pending["storage_path"].as_str().expect("a path");
    stack
        .anonymous
        .get(&format!("{}/{path}", stack.cloud.cdn_url()))
        .await
        .expect_error(404);

    stack.run_for(minutes(1)).await;
    let active = assert_taken_in(stack, &acme, &pending_file).await;
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
async fn pending_file_without_object_is_removed_after_two_hours(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let before = stack.dump().await;
    let pending_file = PendingFile::create(&acme, json!({})).await;
    pass_to(stack, 119).await;
    assert_eq!(
        status(&acme, &pending_file).await.as_deref(),
        Some("pending")
    );
    stack.run_for(minutes(1)).await;
    assert_eq!(status(&acme, &pending_file).await, None);
    stack
        .dump()
        .await
        .assert_unchanged(&before, "a file that was never sent");
    pending_file.confirm(&acme.client).await.expect_error(404);
}

#[stack_test]
async fn unconfirmed_invalid_upload_is_removed_after_two_hours(stack: &Stack) {
    let acme = stack.space("Acme").await;
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
    sent(stack, &acme, own())
        .await
        .confirm(&acme.client)
        .await
        .expect_ok();

    let before = stack.dump().await;
    for fields in [
        json!({"upload_config": "pngs", "content_type": "application/octet-stream"}),
        json!({"upload_config": "narrow"}),
        json!({"content_type": "application/pdf", "filename": "a.pdf"}),
        // Its name is taken by then.
        own(),
    ] {
        sent(stack, &acme, fields).await;
    }

    pass_to(stack, 120).await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "files that break a rule");
}

#[stack_test]
async fn confirm_check_transforms_images(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;

    let pending_file = sent(stack, &acme, json!({"upload_config": "webp"})).await;
    pass_to(stack, 120).await;

    let active = acme.client.get(&pending_file.address()).await.expect_ok();
    assert_eq!(
        (&active["status"], &active["mime_type"]),
        (&json!("active"), &json!("image/webp"))
    );

    let delivered = stack
        .anonymous
        .get(active["url"].as_str().expect("an address"))
        .await
        .expect_status(200);

    assert_eq!(
        media::Format::detect(&delivered.body),
        Some(media::Format::WebP)
    );
    assert_eq!(active["size"], json!(delivered.body.len()));
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test]
async fn confirm_check_ignores_confirmed_files(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let early = sent(stack, &acme, json!({})).await;
    let late = sent(stack, &acme, json!({})).await;

    early.confirm(&acme.client).await.expect_ok();
    pass_to(stack, 110).await;
    late.confirm(&acme.client).await.expect_ok();

    let early_active = assert_taken_in(stack, &acme, &early).await;
    let late_active = assert_taken_in(stack, &acme, &late).await;

    assert!(early_active["updated_at"].as_str() < late_active["updated_at"].as_str());

    let before = stack.dump().await;
    let ((), calls) = stack.calls_of(stack.run_confirm_checks()).await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "checks of active files");

    let has_written = |call: &String| {
        ["Put", "Transact", "Copy", "Delete"]
            .iter()
            .any(|verb| call.contains(verb))
    };
    let own = calls
        .iter()
        .filter(|call| call.starts_with("confirm-check ") && !call.contains("Message"));

    assert!(
        !own.clone().any(has_written) && own.count() >= 2,
        "{calls:?}"
    );
}

#[stack_test]
async fn repeated_confirm_check_changes_nothing(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("pngs")
        .with_settings(json!({"validation": {"allowed_formats": ["png"]}}))
        .await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;

    let taken_in = sent(stack, &acme, json!({})).await;
    let transformed = sent(stack, &acme, json!({"upload_config": "webp"})).await;
    let rejected = sent(
        stack,
        &acme,
        json!({"upload_config": "pngs", "content_type": "application/octet-stream"}),
    )
    .await;
    let absent = PendingFile::create(&acme, json!({})).await;

    for pending_file in [&taken_in, &transformed, &rejected, &absent] {
        check_again(stack, &acme, pending_file).await;
    }

    pass_to(stack, 120).await;
    assert_taken_in(stack, &acme, &taken_in).await;
    assert_eq!(status(&acme, &transformed).await.as_deref(), Some("active"));
    for gone in [&rejected, &absent] {
        assert_eq!(status(&acme, gone).await, None);
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
    for pending_file in [&taken_in, &transformed, &rejected, &absent] {
        check_again(stack, &acme, pending_file).await;
    }

    stack.run_confirm_checks().await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "checks of what is settled");
}

#[stack_test]
async fn concurrent_confirmation_and_check_activate_once(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let pending_file = sent(stack, &acme, json!({})).await;
    pass_to(stack, 119).await;
    let confirm = || pending_file.confirm(&acme.client);
    let ((), first, second) = join3(stack.run_for(minutes(1)), confirm(), confirm()).await;
    let active = assert_taken_in(stack, &acme, &pending_file).await;
    assert_eq!(
        (first.expect_ok(), second.expect_ok()),
        (active.clone(), active)
    );
}

#[tokio::test]
async fn pending_files_are_settled_under_chaos() {
    for seed in SEEDS.seeds() {
        let stack = Stack::start().await;
        let acme = stack.space("Acme").await;
        let there = sent(&stack, &acme, json!({})).await;
        let absent = PendingFile::create(&acme, json!({})).await;
        // With duplicates, and with calls that fail after they took effect.
        stack.cloud.chaos().enable(seed);
        for _ in 0..9 {
            stack.clock.advance(minutes(QUARTER));
            let rests =
                |messages: local::Messages| messages.visible == 0 && messages.running_batches == 0;
            stack
                .cloud
                .until(rests)
                .await
                .unwrap_or_else(|error| panic!("{seed}: {error}"));
        }
        stack.cloud.chaos().disable();
        // Failed messages are received again after their visibility timeout.
        stack.run_confirm_checks().await;
        assert_taken_in(&stack, &acme, &there).await;
        assert_eq!(status(&acme, &absent).await, None, "{seed}");
        stack.stop().await;
    }
}

#[stack_test]
async fn confirmation_with_lost_responses_finds_file_active(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let pending_file = sent(stack, &acme, json!({})).await;

    stack
        .cloud
        .faults()
        .lose_response(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS);
    let confirmed = pending_file.confirm(&acme.client).await.expect_ok();

    assert_eq!(
        assert_taken_in(stack, &acme, &pending_file).await,
        confirmed
    );
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn check_in_disabled_space_discards_pending_uploads(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;
    let switch = async |enabled: bool| {
        let body = json!({"name": "Acme", "enabled": enabled});
        acme.client
            .put(&format!("/spaces/{}", acme.id), body)
            .await
            .expect_ok();
    };
    let active = sent(stack, &acme, json!({})).await;
    active.confirm(&acme.client).await.expect_ok();
    switch(false).await;
    let before = stack.dump().await;
    switch(true).await;
    let pending = [
        sent(stack, &acme, json!({})).await,
        sent(stack, &acme, json!({"upload_config": "webp"})).await,
        PendingFile::create(&acme, json!({})).await,
    ];
    switch(false).await;

    pass_to(stack, 120).await;

    let after = stack.dump().await;
    assert_eq!(after.objects, before.objects);
    assert_eq!(after.files_with_bytes(), before.files_with_bytes());
    switch(true).await;
    assert_taken_in(stack, &acme, &active).await;
    for pending_file in &pending {
        assert_eq!(status(&acme, pending_file).await, None);
        pending_file.confirm(&acme.client).await.expect_error(404);
    }
}

#[stack_test]
async fn confirm_check_in_deleted_space_activates_nothing(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let there = sent(stack, &acme, json!({})).await;
    let absent = PendingFile::create(&acme, json!({})).await;
    let active = sent(stack, &acme, json!({})).await;

    active.confirm(&acme.client).await.expect_ok();
    stack.run_for(minutes(30)).await;

    // A space with a pending file is not empty.
    acme.client
        .delete(&format!("/spaces?id={}", acme.id))
        .await
        .expect_error(409);
    acme.client
        .delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_status(202);
    for pending_file in [&there, &absent, &active] {
        pending_file
            .confirm(&stack.account())
            .await
            .expect_error(404);
        // Storage does not check spaces.
        pending_file.send(stack, PHOTO).await.expect_status(200);
    }

    stack.run_for(minutes(1)).await;
    absent.send(stack, PHOTO).await.expect_status(200);
    stack.run_purges().await;
    stored_data(stack).await.assert_unchanged(
        &with_retired(before.clone(), &acme.handle),
        "announced files of a deleted space",
    );
    stack.run_confirm_checks().await;
    stored_data(stack).await.assert_unchanged(
        &with_retired(before, &acme.handle),
        "checks in a deleted space",
    );
}

#[stack_test]
async fn failed_presign_leaves_nothing(stack: &Stack) {
    let acme = stack.space("Acme").await;
    acme.client
        .get(&format!("/spaces/{}", acme.id))
        .await
        .expect_ok();

    let before = stack.dump().await;
    let faults = stack.cloud.faults();
    let presign = async || {
        acme.client
            .post("/upload/presign", presign_body(&acme, json!({})))
            .await
    };

    // No check would be scheduled.
    faults.fail(
        Sqs,
        "SendMessageBatch",
        ATTEMPTS,
        InjectedError::new(500, "InternalFailure"),
    );
    presign().await.expect_error(503);
    stack
        .dump()
        .await
        .assert_unchanged(&before, "a file that nobody would look after");

    // The check finds no file.
    faults.fail(
        DynamoDb,
        "TransactWriteItems",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(500, "InternalServerError"),
    );
    presign().await.expect_error(503);
    without_given_up(stack.dump().await).assert_unchanged(&before, "a file that was not announced");

    // The file was created, although the response was lost.
    faults.lose_response(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS);

    let pending_file = PendingFile {
        response: presign().await.expect_status(201).json(),
    };
    pending_file.send(stack, PHOTO).await.expect_status(200);
    pending_file.confirm(&acme.client).await.expect_ok();
    assert_taken_in(stack, &acme, &pending_file).await;
    stack.run_confirm_checks().await;
}
