//! A stack whose disk is full.

use tests::{PHOTO, Stack, form, stack_test, text};

#[stack_test]
async fn full_disk_rejects_uploads_but_not_reads_and_deletions(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).await;
    let url = text(&file["url"]);
    stack.local.simulate_full_disk();

    let form = form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO);
    acme.client.upload(form).await.expect_busy();

    let delivered = stack.anonymous.get(&url).await.expect_status(200);
    assert!(delivered.body == PHOTO);
    acme.client.delete(file.path()).await.expect_status(204);
    stack.anonymous.get(&url).await.expect_status(404);
    stack.run_purges().await;
}
