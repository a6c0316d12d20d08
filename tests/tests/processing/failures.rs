//! Files that cannot be processed, and jobs whose file is missing.

use domain::FileId;
use serde_json::json;
use tenant::ThumbnailsJob;
use tests::{PHOTO, Stack, minutes, seconds, stack_test};

use super::{
    images::{processed, two_colors},
    send,
};

#[stack_test]
async fn damaged_image_keeps_its_metadata_and_gets_no_thumbnails(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let mut image = two_colors(300, 200, [1, 2, 3], [250, 0, 0]);
    let data = image.len() / 2;
    image[data..data + 8].fill(0xFF);
    let file = acme.upload(image).named("a.png", "image/png").await;

    let after = processed(stack, &acme, file.path()).await;

    assert_eq!(after["status"], "active");
    assert_eq!(after["storage_meta"]["width"], 300);
    assert!(after["storage_meta"].get("blurhash").is_none());
    assert_eq!(after["thumbnails"], json!([]));
    assert_eq!(after["processing"]["status"], "failed");
    assert!(after["processing"]["error"].is_string());
    stack.anonymous.get(file.url()).await.expect_status(200);
}

#[stack_test]
async fn image_of_one_pixel_is_processed(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let pixel = two_colors(1, 1, [7, 7, 7], [0, 0, 0]);
    let file = acme.upload(pixel).named("a.png", "image/png").await;

    let after = processed(stack, &acme, file.path()).await;

    assert_eq!(after["thumbnails"][0]["width"], 1);
    assert!(after["storage_meta"]["blurhash"].is_string());
}

#[stack_test]
async fn file_that_is_no_image_gets_no_thumbnails(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload("Hello").named("a.txt", "text/plain").await;
    assert_eq!(
        file.record["processing"],
        json!({"status": "pending", "error": null})
    );

    let after = processed(stack, &acme, file.path()).await;

    assert_eq!(
        after["processing"],
        json!({"status": "completed", "error": null})
    );
    assert_eq!(after["storage_meta"], json!({}));
    assert_eq!(after["thumbnails"], json!([]));
}

#[stack_test]
async fn job_waits_two_minutes_for_its_file(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let job = ThumbnailsJob {
        space_id: acme.space_id(),
        file_id: FileId::MIN,
        announced_at: stack.now(),
        has_upload_event: false,
    };
    send(stack, "THUMBNAILS_QUEUE_URL", job).await;
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
async fn jobs_of_a_deleted_file_end(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).await;
    acme.client.delete(file.path()).await.expect_status(204);

    stack.run_post_upload().await;
    for _ in 0..8 {
        stack.run_for(minutes(1)).await;
    }
    stack.run_purges().await;
}
