//! `POST /upload/confirm/:fileId`: presigned PUT requests to S3, and the stored objects.

use serde_json::json;
use sha2::{Digest, Sha256};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, minutes, seconds, stack_test};

use super::{
    confirm::{delivered_bytes, original_keys},
    presign::PendingFile,
};

#[stack_test]
async fn storage_accepts_only_declared_type_and_size(stack: &Stack, acme: &TestSpace) {
    let pending_file = PendingFile::create(acme, json!({})).await;
    let late = PendingFile::create(acme, json!({})).await;
    let before = stack.dump().await;
    let url = pending_file.url();
    let tampered = |from: &str, to: &str| {
        assert!(url.contains(from), "{url}");
        url.replacen(from, to, 1)
    };
    let (_, signature) = url.split_once("X-Amz-Signature=").expect("a signature");
    let unsigned = tampered(&signature[..64], &"0".repeat(64));
    let other_key = tampered(pending_file.id(), UNKNOWN_ID);
    let longer_validity = tampered("Expires=3600", "Expires=7200");
    let more = format!("{url}&x-amz-meta-a=b");

    let jpeg = Some("image/jpeg");
    let longer = [PHOTO, b"x"].concat();
    for (case, url, content_type, bytes) in [
        ("shorter", url, jpeg, &PHOTO[1..]),
        ("longer", url, jpeg, &longer),
        ("empty", url, jpeg, b""),
        ("another type", url, Some("image/png"), PHOTO),
        (
            "a parameter of the type",
            url,
            Some("image/jpeg; q=1"),
            PHOTO,
        ),
        ("no type", url, None, PHOTO),
        ("another key", &other_key, jpeg, PHOTO),
        ("a longer validity", &longer_validity, jpeg, PHOTO),
        ("another signature", &unsigned, jpeg, PHOTO),
        ("another query parameter", &more, jpeg, PHOTO),
    ] {
        let request = stack.anonymous.request("PUT", url).body(bytes.to_vec());
        let request = match content_type {
            Some(value) => request.header("content-type", value),
            None => request,
        };
        let status = stack.anonymous.send(request).await.status;
        assert!((400..500).contains(&status), "{case}: {status}");
    }

    stack
        .assert_unchanged(&before, "rejected PUT requests")
        .await;
    pending_file.confirm(&acme.client).await.expect_error(409);

    stack.clock.advance(minutes(60));
    pending_file.put(stack, PHOTO).await;
    stack.clock.advance(seconds(1));
    late.send(stack, PHOTO).await.expect_status(403);
    late.confirm(&acme.client).await.expect_error(409);
    pending_file.confirm(&acme.client).await.expect_ok();
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn later_put_to_presigned_url_does_not_change_active_file(stack: &Stack, acme: &TestSpace) {
    let other: Vec<u8> = PHOTO.iter().rev().copied().collect();
    let pending_file = PendingFile::create(acme, json!({})).await;

    // Before the confirmation, the last PUT counts.
    pending_file.put(stack, other.clone()).await;
    pending_file.put(stack, PHOTO).await;
    let active = pending_file.confirm(&acme.client).await.expect_ok();
    let before = stack.dump().await;
    pending_file.put(stack, other.clone()).await;

    let after = stack.dump().await;
    let staged = &after.objects[pending_file.object_key()];
    assert_eq!(*staged, hex::encode(Sha256::digest(&other)));
    assert_eq!(after.items, before.items);
    let keys = original_keys(&after, &acme.id);
    assert_eq!(keys, original_keys(&before, &acme.id));
    assert_eq!(pending_file.confirm(&acme.client).await.expect_ok(), active);
    assert!(delivered_bytes(stack, &active).await == PHOTO);

    stack.run_confirm_checks().await;
    assert_eq!(acme.get_ok(&pending_file.address()).await, active);
    assert!(delivered_bytes(stack, &active).await == PHOTO);
}
