//! A stack whose disk is full.

use tests::{PHOTO, Stack, TestSpace, form, stack_test, text};

#[stack_test]
async fn full_disk_rejects_uploads_but_not_reads_and_deletions(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let url = text(&file["url"]);
    stack.local.simulate_full_disk();

    let form = form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO);
    acme.upload_form(form).await.expect_busy();

    let delivered = stack.anonymous.fetch(&url).await;
    assert!(delivered.body == PHOTO);
    acme.delete_ok(file.path()).await;
    stack.anonymous.get(&url).await.expect_status(404);
    stack.run_purges().await;
}
