//! Files that cannot be processed, and jobs whose file is missing.

use std::collections::BTreeSet;

use domain::id::FileId;
use futures::future;
use local_stack::Messages;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, minutes, seconds, stack_test};

use super::{
    images::{processed, two_colors},
    job, send,
    slow_jpeg::slow_jpeg,
};
use crate::{files::trash::keep_for_days, uploads::presign::PendingFile};

/// Reason of an image that is damaged or has no decoder.
const UNDECODABLE: &str = "The file must be an image that can be decoded to be transformed.";

/// Maximum number of rounds until each operation of a job was held. One round in four misses one of
/// them.
const MAX_ROUNDS: u32 = 20;

/// Returns the processing of a file that failed.
fn failed_with(reason: &str) -> Value {
    json!({"status": "failed", "error": reason})
}

#[stack_test]
async fn damaged_image_keeps_its_metadata_and_gets_no_thumbnails(stack: &Stack, acme: &TestSpace) {
    let mut image = two_colors(300, 200, [1, 2, 3], [250, 0, 0]);
    let data = image.len() / 2;
    image[data..data + 8].fill(0xFF);
    let file = acme.upload(image).named("a.png", "image/png").await;

    let after = processed(stack, acme, file.path()).await;

    assert_eq!(after["status"], "active");
    assert_eq!(after["storage_meta"]["width"], 300);
    assert!(after["storage_meta"].get("blurhash").is_none());
    assert_eq!(after["thumbnails"], json!([]));
    assert_eq!(after["processing"], failed_with(UNDECODABLE));
    stack.anonymous.fetch(file.url()).await;
}

#[stack_test]
async fn image_that_takes_too_long_fails_with_this_reason(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(slow_jpeg()).named("a.jpg", "image/jpeg").await;

    let after = processed(stack, acme, file.path()).await;

    let reason = "The file takes too long to be decoded; it must have fewer pixels or scans.";
    assert_eq!(after["processing"], failed_with(reason));
    assert_eq!(after["storage_meta"]["width"], 9_900);
    assert_eq!(after["thumbnails"], json!([]));
}

#[stack_test]
async fn svg_fails_without_metadata(stack: &Stack, acme: &TestSpace) {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
    let file = acme.upload(svg).named("a.svg", "image/svg+xml").await;

    let after = processed(stack, acme, file.path()).await;

    assert_eq!(after["processing"], failed_with(UNDECODABLE));
    assert_eq!(after["storage_meta"], json!({}));
}

#[stack_test]
async fn image_of_one_pixel_is_processed(stack: &Stack, acme: &TestSpace) {
    let pixel = two_colors(1, 1, [7, 7, 7], [0, 0, 0]);
    let file = acme.upload(pixel).named("a.png", "image/png").await;

    let after = processed(stack, acme, file.path()).await;

    assert_eq!(after["thumbnails"][0]["width"], 1);
    assert!(after["storage_meta"]["blurhash"].is_string());
}

#[stack_test]
async fn file_without_metadata_is_completed(stack: &Stack, acme: &TestSpace) {
    let font = b"\0\x01\0\0\0\x0c\0\x80\0\x03\0\x40".to_vec();
    let font = acme.upload(font).named("a.ttf", "font/ttf").await;
    let fields = json!({"filename": "a.txt", "content_type": "text/plain", "size": 5});
    let text = PendingFile::create(acme, fields).await;
    text.send(stack, "Hello").await.expect_status(200);
    let active = text.confirm(&acme.client).await.expect_ok();

    for (path, file) in [(font.path(), &font.record), (&text.address(), &active)] {
        let pending = json!({"status": "pending", "error": null});
        assert_eq!(file["processing"], pending);

        let after = processed(stack, acme, path).await;

        let completed = json!({"status": "completed", "error": null});
        assert_eq!(after["processing"], completed);
        assert_eq!(after["storage_meta"], json!({}));
        assert_eq!(after["thumbnails"], json!([]));
    }
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn job_waits_two_minutes_for_its_file(stack: &Stack, acme: &TestSpace) {
    send(stack, job(stack, acme, FileId::MIN)).await;
    stack.run_post_upload().await;

    for delay in [1, 1, 2, 4, 8, 16, 32] {
        let calls = stack.calls_of(stack.run_for(seconds(delay))).await.calls;
        let sent = calls.iter().filter(|call| call.contains("SendMessage"));
        assert_eq!(sent.count(), 1, "{delay}: {calls:?}");
    }
    let calls = stack.calls_of(stack.run_for(minutes(2))).await.calls;
    assert!(!calls.is_empty());
    assert!(!calls.iter().any(|call| call.contains("SendMessage")));
}

#[stack_test]
async fn jobs_of_a_deleted_file_end(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    acme.delete_ok(file.path()).await;

    stack.run_post_upload().await;
    for _ in 0..8 {
        stack.run_for(minutes(1)).await;
    }
    stack.run_purges().await;
}

#[stack_test]
async fn renditions_of_a_file_that_is_deleted_meanwhile_are_not_kept(
    stack: &Stack,
    acme: &TestSpace,
) {
    let eager = json!({"transformations": {"eager": [{"width": 32}]}});
    acme.upload_config("eager").with_settings(eager).await;
    acme.upload(PHOTO).with_config("eager").await;
    let calls = stack.calls_of(stack.run_post_upload()).await.calls;
    let of_job = calls
        .iter()
        .filter_map(|call| call.strip_prefix("processing "))
        .filter(|call| !call.contains("Message"));
    let count = u32::try_from(of_job.clone().count()).expect("few calls");
    let mut left: BTreeSet<&str> = of_job.filter_map(|call| call.split(' ').next()).collect();
    let objects = stack.dump().await.objects.len();

    // Some calls have no order: a round may not hold each of them.
    let mut rounds = 0;
    while !left.is_empty() {
        rounds += 1;
        assert!(rounds <= MAX_ROUNDS, "never held: {left:?}");

        for point in 0..count {
            let operation = delete_before_call(stack, acme, point).await;
            left.remove(&*operation);

            stack.run_purges().await;
            assert_eq!(stack.dump().await.objects.len(), objects, "{point}");
        }
    }
}

/// Whichever call of the job the deletion precedes, the file returns with its metadata and eager
/// renditions.
#[stack_test]
async fn file_that_is_trashed_meanwhile_is_processed(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 1).await;
    let eager = json!({"transformations": {"eager": [{"width": 32}]}});
    acme.upload_config("eager").with_settings(eager).await;
    acme.upload(PHOTO).with_config("eager").await;
    stack.run_post_upload().await;
    let objects = stack.dump().await.objects.len();

    for (point, files) in (0..5).zip(2..) {
        let mut hold = stack.local.faults().hold("processing", point);
        let file = acme.upload(PHOTO).with_config("eager").await;
        let deletion = async {
            hold.reached().await;
            acme.delete_ok(file.path()).await;
            hold.release();
        };
        future::join(stack.run_for(seconds(0)), deletion).await;
        stack.run_for(minutes(1)).await;

        let restore = format!("{}/restore", file.path());
        let restored = acme.post_ok(&restore, json!({})).await;
        assert_eq!(restored["processing"]["status"], "completed", "{point}");
        let stored = stack.dump().await.objects.len();
        assert_eq!(stored, files * objects, "{point}");
    }
}

/// Deletes a file and its objects before its job makes this call. Returns the operation of the
/// call.
async fn delete_before_call(stack: &Stack, acme: &TestSpace, point: u32) -> String {
    let mut hold = stack.local.faults().hold("processing", point);
    let file = acme.upload(PHOTO).with_config("eager").await;
    let deletion = async {
        hold.reached().await;
        acme.delete_ok(file.path()).await;
        stack.clock.advance(seconds(1));
        let is_purged = |left: Messages| left.visible == 0 && left.in_flight == 1;
        let purged = stack.local.until(is_purged).await;
        purged.expect("only the job is in progress");

        let operation = hold.operation().expect("a held attempt");
        hold.release();
        operation
    };

    let ((), operation) = future::join(stack.run_for(seconds(0)), deletion).await;
    operation
}
