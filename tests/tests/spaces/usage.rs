//! `GET /spaces/:id/usage`.

use futures::future::join_all;
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, file, stack_test};

use crate::{
    files::list::upload_ten,
    support::seeded::{Place, invariants::assert_file_records},
    uploads::presign::PendingFile,
};

/// Number of concurrent uploads.
const UPLOADS: usize = 50;
const TEXT: &str = "some text";

/// Returns the usage of a space with these numbers of photos and texts.
fn usage(photos: usize, texts: usize) -> Value {
    let count = |files: usize, size: usize| json!({"files": files, "bytes": files * size});
    let none = count(0, 0);
    json!({
        "files": photos + texts,
        "bytes": photos * PHOTO.len() + texts * TEXT.len(),
        "by_resource_type": {
            "image": count(photos, PHOTO.len()), "text": count(texts, TEXT.len()),
            "video": none, "audio": none, "document": none, "archive": none, "other": none,
        },
        "trashed": none,
    })
}

#[stack_test]
async fn usage_follows_uploads_and_deletions(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let path = format!("{}/usage", acme.path());
    let viewer = acme.role("viewer").await;
    assert_eq!(viewer.get_ok(&path).await, usage(0, 0));

    let photo = acme.upload(PHOTO).await;
    other.upload(PHOTO).await;
    let mut form = Form::new().text("space", acme.handle.clone());
    for number in 0..10 {
        form = form.part("files", file(&format!("{number}.txt"), "text/plain", TEXT));
    }
    let texts = acme.upload_form(form).await.expect_created();
    assert_eq!(viewer.get_ok(&path).await, usage(1, 10));

    // A pending file is not counted, and neither is what a rejected form held.
    let pending = PendingFile::create(acme, json!({})).await;
    let rejected = Form::new()
        .text("space", acme.handle.clone())
        .part("files", file("a.txt", "text/plain", TEXT))
        .part(
            "files",
            file("tool.exe", "application/octet-stream", "MZ\u{90}\0"),
        );
    acme.upload_form(rejected).await.expect_error(422);
    assert_eq!(viewer.get_ok(&path).await, usage(1, 10));
    pending.put(stack, PHOTO).await;
    for _ in 0..2 {
        pending.confirm(acme).await.expect_status(200);
        assert_eq!(viewer.get_ok(&path).await, usage(2, 10));
    }

    acme.put_ok(photo.path(), json!({"type": "private", "tags": ["a"]}))
        .await;
    acme.delete_ok(photo.path()).await;
    let id = texts[0]["id"].as_str().expect("an id");
    acme.delete_ok(&format!("/files/{id}")).await;
    acme.delete_err(404, &format!("/files/{id}")).await;
    let abandoned = PendingFile::create(acme, json!({})).await;
    acme.delete_ok(&format!("/files/{}", abandoned.id())).await;
    assert_eq!(viewer.get_ok(&path).await, usage(1, 9));

    stack.run_purges().await;
    assert_eq!(viewer.get_ok(&path).await, usage(1, 9));
}

#[stack_test(options = tests::StackOptions::without_rate_limits())]
async fn concurrent_uploads_and_deletions_are_counted_exactly(stack: &Stack, acme: &TestSpace) {
    let uploads =
        (0..UPLOADS).map(|_| async { acme.upload(TEXT).named("a.txt", "text/plain").await });
    let files = join_all(uploads).await;
    let path = format!("{}/usage", acme.path());
    assert_eq!(acme.get_ok(&path).await, usage(0, UPLOADS));

    // Each form of ten changes one counter.
    let forms = (0..10).map(|_| async { upload_ten(acme, &[]).await });
    assert_eq!(join_all(forms).await.concat().len(), 100);
    let all = acme.get_ok(&path).await;
    assert_eq!(all["by_resource_type"]["text"]["files"], UPLOADS + 100);

    let deletions = files[..UPLOADS / 2]
        .iter()
        .map(|file| acme.delete_ok(file.path()));
    let uploads = (0..UPLOADS / 2).map(|_| async { acme.upload(PHOTO).await });
    tokio::join!(join_all(deletions), join_all(uploads));
    let left = acme.get_ok(&path).await;
    let numbers = ["image", "text"].map(|kind| &left["by_resource_type"][kind]["files"]);
    assert_eq!(numbers, [UPLOADS / 2, UPLOADS / 2 + 100]);
    assert_file_records(&stack.dump().await, Place { seed: 0, step: 0 });
    stack.run_purges().await;
}
