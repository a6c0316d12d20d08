//! `POST /upload/confirm/:fileId`: images over 50 MB, whose metadata is removed without decoding them.

use media::Format;
use serde_json::{Value, json};
use tests::{Stack, TestSpace, stack_test};

use super::{
    confirm::delivered_bytes,
    presign::{PendingFile, presign_body},
};
use crate::{
    processing::images::processed,
    support::images::{PLACE, contains, with_exif},
};

/// Largest payload of a JPEG segment, in bytes.
const SEGMENT_BYTES: u16 = u16::MAX - 2;
/// Segments of more than 50 MB together.
const SEGMENTS: usize = 830;
/// Minimum size of an image that is not decoded, in bytes.
const LARGE_BYTES: usize = 50 << 20;

/// Returns a large rotated JPEG with comments, and a GPS position in its EXIF data.
fn large_jpeg() -> Vec<u8> {
    let jpeg = with_exif(Format::Jpeg, 6);
    let mut comment = vec![0xFF, 0xFE];
    comment.extend((SEGMENT_BYTES + 2).to_be_bytes());
    comment.resize(usize::from(SEGMENT_BYTES) + 4, 0);

    let large = [&jpeg[..2], &comment.repeat(SEGMENTS), &jpeg[2..]].concat();
    assert!(large.len() > LARGE_BYTES);
    large
}

async fn config(acme: &TestSpace, name: &str, transformations: Value) {
    acme.upload_config(name)
        .with_settings(json!({"transformations": transformations}))
        .await;
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
        ("webp", "image/jpeg", LARGE_BYTES + 1),
        ("webp", "image/png", LARGE_BYTES + 1),
        ("webp", "image/gif", (256 << 20) + 1),
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
