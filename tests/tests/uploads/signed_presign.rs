//! `POST /upload/signed/presign`: anonymous uploads to S3 by a signed URL.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, assert_fields, merged, stack_test, text};

use super::{
    presign::PendingFile,
    routes::{Uploads, assert_rejected},
};
use crate::support::signer::{Signer, declared_photo};

/// Asserts the response to a presign request for a JPEG, whose fields end with these.
#[track_caller]
pub(super) fn assert_presigned(acme: &TestSpace, pending_file: &PendingFile, last: &[&str]) {
    let response = pending_file.response.as_object().expect("an object");
    let mut fields: Vec<&str> = response.keys().map(String::as_str).collect();
    fields.sort_unstable();
    let mut expected = ["expires_in", "file_id", "headers", "object_key"].to_vec();
    expected.extend(last);
    expected.sort_unstable();
    assert_eq!(fields, expected);

    let key = format!("staging/{}/{}", acme.id, pending_file.id());
    let values = json!({
        "object_key": key, "expires_in": 3_600, "headers": {"content-type": "image/jpeg"},
    });
    assert_fields(&pending_file.response, values);
}

#[stack_test(undrained)]
async fn signed_presign_creates_uploads_and_confirms_without_key(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let fields = json!({"filename": "invoice 7.jpg", "content_type": "image/jpeg"});
    let generated = signer.generate(&acme.client, fields).await.expect_ok();
    let url = text(&generated["presign_url"]);
    let body = merged(declared_photo(), json!({"filename": "setup.exe"}));

    let pending_file = PendingFile::of(stack.anonymous.post(&url, body).await);

    assert_presigned(acme, &pending_file, &["confirm_token", "upload_url"]);
    let early = pending_file.confirm_by_token(stack).await;
    assert!(early.expect_error(409)["file"].is_array());

    pending_file.put(stack, PHOTO).await;
    let active = pending_file.confirm_by_token(stack).await.expect_ok();
    let record = acme.get_ok(&pending_file.address()).await;
    let expected = json!({"original_name": "invoice 7.jpg", "mime_type": "image/jpeg"});
    assert_fields(&record, expected);

    let again = pending_file.confirm_by_token(stack).await.expect_ok();
    assert_eq!(again, active);
    let by_owner = pending_file.confirm(&acme.client).await.expect_ok();
    assert_eq!(by_owner, record);
}

#[stack_test(undrained)]
async fn signed_presign_respects_url_and_config(stack: &Stack) {
    let rules = json!({"validation": {"max_file_size": 100_000}});
    let uploads = Uploads::new(stack, rules).await;
    let signer = &uploads.signer;
    let jpeg = signer.query_with(stack, "content_type", "image/jpeg");
    let executable = signer.query_with(stack, "filename", "setup.exe");
    let before = uploads.stored().await;

    for (query, more, error_end) in [
        (
            &jpeg,
            json!({"content_type": "image/png"}),
            "must be a file of type: image/jpeg",
        ),
        (
            &jpeg,
            json!({"size": 100_001}),
            "must not be greater than 100000 bytes",
        ),
        (
            &jpeg,
            json!({"filename": "setup.exe"}),
            "must not be an executable file",
        ),
        // The signed name is stored, not the name of the request.
        (&executable, json!({}), "must not be an executable file"),
    ] {
        assert_rejected(signer.presign(query, more).await, error_end);
    }

    uploads.assert_unchanged(&before, "rejected requests").await;
    let with_parameter = json!({"content_type": "image/jpeg; q=1"});
    let accepted = signer.presign(&jpeg, with_parameter).await;
    accepted.expect_status(201);
}

#[stack_test(undrained)]
async fn signed_type_applies_to_presigned_bytes(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    for (content_type, name) in [("image/png", "photo.png"), ("application/x-mine", "a.mine")] {
        let query = signer.query_with(stack, "content_type", content_type);
        let declared = json!({"filename": name, "content_type": content_type});
        let pending_file = PendingFile::of(signer.presign(&query, declared).await);
        pending_file.put(stack, PHOTO).await;

        // A form upload of the same photo is rejected, too.
        let rejected = pending_file.confirm_by_token(stack).await;
        assert!(rejected.expect_error(422)["file"].is_array());
        let gone = pending_file.confirm_by_token(stack).await;
        gone.expect_error(404);
    }
}
