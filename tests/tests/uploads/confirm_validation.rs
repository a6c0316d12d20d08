//! `POST /upload/confirm/:fileId`: the declared size and the rules at the time of the presign request.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, assert_fields, large_photo, stack_test};

use super::{
    confirm::{DIGEST_MAX_BYTES, delivered_bytes, file_error},
    presign::PendingFile,
};

#[stack_test]
async fn confirming_invalid_upload_rejects_and_removes_it(stack: &Stack, acme: &TestSpace) {
    // S3 rejects bytes of another size. Put them without the presigned URL.
    for bytes in [&b""[..], b"short", PHOTO.split_last().expect("bytes").1] {
        let before = stack.dump().await;
        let pending_file = PendingFile::create(acme, json!({})).await;
        stack.put_object(pending_file.object_key(), bytes).await;

        let errors = pending_file.confirm(&acme.client).await.expect_error(422);

        assert_eq!(errors, file_error("must have the declared size"));
        stack
            .assert_unchanged(&before, "an object of another size")
            .await;
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
    acme.update_upload_config(&id, json!({ "config": rules }))
        .await;
    let deletion = acme.request("DELETE", "/upload-configs");
    let deleted = acme.send(deletion.json(&json!({ "id": id }))).await;
    deleted.expect_status(204);

    let active = pending_file.confirm(&acme.client).await.expect_ok();
    assert_fields(&active, json!({"tags": ["old"], "upload_config_id": id}));
    assert!(delivered_bytes(stack, &active).await == PHOTO);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn large_files_are_stored_unchanged_without_digest(stack: &Stack, acme: &TestSpace) {
    let unknown = "application/octet-stream";
    for (content_type, bytes) in [
        (unknown, vec![0; DIGEST_MAX_BYTES]),
        (unknown, vec![0; DIGEST_MAX_BYTES + 1]),
        ("image/jpeg", large_photo(DIGEST_MAX_BYTES + 1)),
    ] {
        let fields = json!({"content_type": content_type, "size": bytes.len()});
        let pending_file = PendingFile::create(acme, fields).await;
        pending_file.put(stack, bytes.clone()).await;

        let active = pending_file.confirm(&acme.client).await.expect_ok();

        assert_eq!(active["mime_type"], content_type);
        let delivered = delivered_bytes(stack, &active).await;
        assert!(delivered == bytes, "{} bytes differ", bytes.len());
    }

    stack.run_confirm_checks().await;
}
