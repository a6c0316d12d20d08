//! `POST /upload/confirm/:fileId`: presigned PUT requests to S3, the stored objects, the rules of
//! the presign request, and images over 50 MB, whose metadata is removed without decoding them.

use media::format::Format;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{
    PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, field_error, large_photo, minutes, seconds,
    stack_test,
};

use super::{
    confirm::{DIGEST_MAX_BYTES, delivered_bytes, original_keys},
    presign::{PendingFile, presign_body},
};
use crate::{
    processing::images::processed,
    support::images::{PLACE, contains, with_exif},
    upload_configs::lifecycle::delete,
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
        ("its parameter", url, Some("image/jpeg; q=1"), PHOTO),
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

    stack.assert_unchanged(&before, "rejected PUTs").await;
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

#[stack_test]
async fn confirming_invalid_upload_rejects_and_removes_it(stack: &Stack, acme: &TestSpace) {
    // S3 rejects bytes of another size. Put them without the presigned URL.
    for bytes in [&b""[..], b"short", PHOTO.split_last().expect("bytes").1] {
        let before = stack.dump().await;
        let pending_file = PendingFile::create(acme, json!({})).await;
        stack.put_object(pending_file.object_key(), bytes).await;

        let errors = pending_file.confirm(&acme.client).await.expect_error(422);

        assert_eq!(errors, field_error("file", "must have the declared size"));
        stack.assert_unchanged(&before, "another size").await;
        pending_file.confirm(&acme.client).await.expect_error(404);
        acme.get_err(404, &pending_file.address()).await;
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn confirmation_applies_rules_of_presign_time(stack: &Stack, acme: &TestSpace) {
    let rules = json!({"metadata": {"tags": ["old"]}});
    let id = acme.upload_config("own").with_settings(rules).await.id;
    let pending_file = PendingFile::create(acme, json!({"upload_config": "own"})).await;
    pending_file.put(stack, PHOTO).await;

    let rules = json!({"validation": {"allowed_formats": ["png"]}, "metadata": {"tags": ["new"]}});
    let change = json!({ "config": rules });
    acme.update_upload_config(&id, change).await;
    delete(acme, json!({ "id": id })).await.expect_status(204);

    let active = pending_file.confirm(&acme.client).await.expect_ok();
    assert_fields(&active, json!({"tags": ["old"], "upload_config_id": id}));
    assert!(delivered_bytes(stack, &active).await == PHOTO);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn large_files_are_stored_unchanged_without_digest(stack: &Stack, acme: &TestSpace) {
    config(acme, "stripped", json!({"strip_metadata": true})).await;
    let unknown = "application/octet-stream";
    let mut document = b"%PDF-1.7\n%".to_vec();
    document.resize(DIGEST_MAX_BYTES + 1, 0);

    for (config, content_type, bytes) in [
        ("starter", unknown, vec![0; DIGEST_MAX_BYTES]),
        ("starter", unknown, vec![0; DIGEST_MAX_BYTES + 1]),
        ("starter", "image/jpeg", large_photo(DIGEST_MAX_BYTES + 1)),
        ("stripped", "application/pdf", document),
    ] {
        let fields = declared(config, content_type, bytes.len());
        let pending_file = PendingFile::create(acme, fields).await;
        pending_file.put(stack, bytes.clone()).await;

        let active = pending_file.confirm(&acme.client).await.expect_ok();

        assert_eq!(active["mime_type"], content_type);
        let delivered = delivered_bytes(stack, &active).await;
        assert!(delivered == bytes, "{} bytes differ", bytes.len());
    }

    stack.run_confirm_checks().await;
}

/// Largest payload of a JPEG segment, in bytes.
const SEGMENT_BYTES: u16 = u16::MAX - 2;
/// Segments of more than 50 MB together.
const SEGMENTS: usize = 830;

/// Returns a large rotated JPEG with comments, and a GPS position in its EXIF data.
fn large_jpeg() -> Vec<u8> {
    let jpeg = with_exif(Format::Jpeg, 6);
    let mut comment = vec![0xFF, 0xFE];
    comment.extend((SEGMENT_BYTES + 2).to_be_bytes());
    comment.resize(usize::from(SEGMENT_BYTES) + 4, 0);

    let large = [&jpeg[..2], &comment.repeat(SEGMENTS), &jpeg[2..]].concat();
    assert!(large.len() > DIGEST_MAX_BYTES);
    large
}

async fn config(acme: &TestSpace, name: &str, transformations: Value) {
    let settings = json!({ "transformations": transformations });
    acme.upload_config(name).with_settings(settings).await;
}

fn declared(config: &str, content_type: &str, size: usize) -> Value {
    json!({
        "upload_config": config, "filename": "a", "content_type": content_type, "size": size,
    })
}

#[stack_test]
async fn metadata_of_a_large_image_is_removed_and_its_orientation_kept(
    stack: &Stack,
    acme: &TestSpace,
) {
    config(acme, "stripped", json!({"strip_metadata": true})).await;
    let jpeg = large_jpeg();
    let fields = declared("stripped", "image/jpeg", jpeg.len());
    let pending = PendingFile::create(acme, fields).await;
    pending.put(stack, jpeg).await;

    let record = pending.confirm(&acme.client).await.expect_ok();

    let stored = delivered_bytes(stack, &record).await;
    assert!(!contains(&stored, PLACE));
    assert_eq!(record["size"], stored.len());
    assert!(record["checksum_sha256"].is_string());
    let dump = stack.dump().await;
    let of_file = |key: &&String| key.contains(pending.id()) && !key.starts_with("staging");
    assert_eq!(dump.objects.keys().filter(of_file).count(), 1);
    let after = processed(stack, acme, &pending.address()).await;
    assert_eq!(after["storage_meta"]["orientation"], 6);
    assert_eq!(after["storage_meta"]["width"], 16);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn large_image_that_has_to_be_converted_is_rejected(stack: &Stack, acme: &TestSpace) {
    config(acme, "webp", json!({"upload_format": "webp"})).await;
    config(acme, "stripped", json!({"strip_metadata": true})).await;
    for (name, content_type, size) in [
        ("webp", "image/jpeg", DIGEST_MAX_BYTES + 1),
        ("webp", "image/png", DIGEST_MAX_BYTES + 1),
        ("webp", "image/gif", (256 << 20) + 1),
        ("webp", "image/heic", (256 << 20) + 1),
        ("webp", "image/heif", (256 << 20) + 1),
        ("webp", "image/avif", (256 << 20) + 1),
        ("stripped", "image/jpeg", (256 << 20) + 1),
    ] {
        let body = presign_body(acme, declared(name, content_type, size));
        let rejected = acme.post("/upload/presign", body).await;
        let errors = rejected.with_context(content_type).expect_error(422);
        assert!(errors["size"].is_array(), "{content_type}: {errors}");
    }

    let jpeg = large_jpeg();
    let fields = declared("webp", "application/octet-stream", jpeg.len());
    let pending = PendingFile::create(acme, fields).await;
    pending.put(stack, jpeg).await;
    let errors = pending.confirm(&acme.client).await.expect_error(422);
    assert!(errors["file"].is_array(), "{errors}");
    acme.get_err(404, &pending.address()).await;
    stack.run_confirm_checks().await;
}
