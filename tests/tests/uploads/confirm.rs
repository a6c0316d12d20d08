//! `POST /upload/confirm/:fileId`: validates the uploaded bytes and activates the file once.

use super::presign::PendingFile;
use futures::future::join_all;
use media::Format;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{Dump, PHOTO, Stack, TestSpace, assert_fields, field_error, seconds, stack_test, text};

/// Maximum size of a file that gets a digest and transformations: 50 MB.
pub(crate) const DIGEST_MAX_BYTES: usize = 50 << 20;
/// Number of concurrent confirmations.
const CALLERS: usize = 8;

/// Returns the delivered bytes of an active file, after asserting that its record describes them.
pub(crate) async fn delivered_bytes(stack: &Stack, record: &Value) -> Vec<u8> {
    let delivered = stack.anonymous.fetch(&text(&record["url"])).await;

    let bytes = delivered.body.to_vec();
    let digest = (bytes.len() <= DIGEST_MAX_BYTES).then(|| hex::encode(Sha256::digest(&bytes)));
    let content_type = delivered.header("content-type");
    let mime_type = content_type.trim_end_matches("; charset=utf-8");
    let expected = json!({
        "status": "active", "size": bytes.len(), "checksum_sha256": digest, "mime_type": mime_type,
    });
    assert_fields(record, expected);

    let name = text(&record["name"]);
    let extension = text(&record["extension"]);
    assert!(name.ends_with(&format!(".{extension}")), "{record}");
    let path = text(&record["storage_path"]);
    assert!(path.ends_with(&format!("/{name}")), "{record}");

    if let Some(detected) = Format::detect(&bytes).map(Format::media_type) {
        let found = (mime_type, &*extension);
        assert_eq!(found, (&*detected.mime_type, &*detected.extension));
    }

    bytes
}

/// Returns the keys of the original objects of a space.
pub(crate) fn original_keys<'a>(dump: &'a Dump, space: &str) -> Vec<&'a String> {
    let prefix = format!("_objects/{space}/originals/");
    let keys = dump.objects.keys();
    keys.filter(|key| key.starts_with(&prefix)).collect()
}

/// Asserts the number of active files and of their objects.
async fn assert_stored(stack: &Stack, acme: &TestSpace, files: usize) {
    let dump = stack.dump().await;
    let stored = (
        dump.files_with_bytes().len(),
        original_keys(&dump, &acme.id).len(),
    );
    assert_eq!(stored, (files, files));
}

#[stack_test]
async fn presigned_upload_is_confirmed_repeatedly(stack: &Stack, acme: &TestSpace) {
    let pending_file = PendingFile::create(acme, json!({"ref": "order 7"})).await;
    let before = stack.dump().await;
    let early = pending_file.confirm(&acme.client).await;
    assert_eq!(
        early.json()["message"],
        "The file has not been uploaded yet."
    );
    let errors = field_error("file", "must be uploaded to its presigned URL first");
    assert_eq!(early.expect_error(409), errors);
    stack
        .assert_unchanged(&before, "an early confirmation")
        .await;

    pending_file.put(stack, PHOTO).await;
    stack.clock.advance(seconds(1));
    let active = pending_file.confirm(&acme.client).await.expect_ok();

    assert!(delivered_bytes(stack, &active).await == PHOTO);
    assert_fields(&active, json!({"ref": "order 7", "id": pending_file.id()}));
    assert!(text(&active["updated_at"]) > text(&active["created_at"]));
    assert_eq!(acme.get_ok(&pending_file.address()).await, active);
    assert_stored(stack, acme, 1).await;

    let after = stack.dump().await;
    for client in [&acme.client, &stack.account(), &acme.client] {
        stack.clock.advance(seconds(1));
        assert_eq!(pending_file.confirm(client).await.expect_ok(), active);
    }
    stack
        .assert_unchanged(&after, "repeated confirmations")
        .await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_confirmations_activate_once(stack: &Stack, acme: &TestSpace) {
    let webp = json!({"transformations": {"upload_format": "webp"}});
    acme.upload_config("webp").with_settings(webp).await;
    let pngs = json!({"validation": {"allowed_formats": ["png"]}});
    acme.upload_config("pngs").with_settings(pngs).await;

    for (files, config) in [(1, "starter"), (2, "webp"), (3, "starter"), (4, "webp")] {
        let pending_file = PendingFile::create(acme, json!({"upload_config": config})).await;
        pending_file.put(stack, PHOTO).await;
        let responses = join_all((0..CALLERS).map(|_| pending_file.confirm(&acme.client))).await;
        let record = acme.get_ok(&pending_file.address()).await;
        delivered_bytes(stack, &record).await;
        for response in responses {
            assert_eq!(response.expect_ok(), record);
        }
        assert_stored(stack, acme, files).await;
    }

    let before = stack.dump().await;
    let unknown = json!({"upload_config": "pngs", "content_type": "application/octet-stream"});
    let pending_file = PendingFile::create(acme, unknown).await;
    pending_file.put(stack, PHOTO).await;

    let responses = join_all((0..CALLERS).map(|_| pending_file.confirm(&acme.client))).await;

    let rejected = responses.iter().filter(|response| response.status == 422);
    assert_eq!(rejected.count(), 1);
    // Later confirmations find the bytes or the file removed.
    for response in responses {
        response.expect_status_of(&[404, 409, 422]);
    }
    stack
        .assert_unchanged(&before, "confirmations of a rejected file")
        .await;
    stack.run_confirm_checks().await;
}
