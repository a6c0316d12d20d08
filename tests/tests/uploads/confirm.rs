//! `POST /upload/confirm/:fileId`: validates the uploaded bytes and activates the file once, for a
//! key or a confirm token.

use futures::future::join_all;
use media::format::Format;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{
    Client, Dump, PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, field_error, seconds,
    stack_test, text,
};

use super::{
    presign::PendingFile,
    routes::{ROUTES, Uploads},
};
use crate::support::signer::Signer;

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
    assert_eq!(dump.files_with_bytes().len(), files);
    assert_eq!(original_keys(&dump, &acme.id).len(), files);
}

#[stack_test]
async fn presigned_upload_is_confirmed_repeatedly(stack: &Stack, acme: &TestSpace) {
    let pending_file = PendingFile::create(acme, json!({"ref": "order 7"})).await;
    let before = stack.dump().await;
    let early = pending_file.confirm(&acme.client).await;
    early.expect_message("The file has not been uploaded yet.");
    let errors = field_error("file", "must be uploaded to its presigned URL first");
    assert_eq!(early.expect_error(409), errors);
    stack.assert_unchanged(&before, "early confirmation").await;

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
    stack.assert_unchanged(&after, "a confirmation").await;
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
    stack.assert_unchanged(&before, "a rejected file").await;
    stack.run_confirm_checks().await;
}

#[stack_test(undrained)]
async fn token_confirms_only_its_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let other = stack.space("Other").await;
    let pending_file = signer.pending(stack, json!({})).await;
    let other_file = signer.pending(stack, json!({})).await;
    pending_file.put(stack, PHOTO).await;
    other_file.put(stack, PHOTO).await;

    let path = pending_file.confirmation();
    let token = text(&pending_file.response["confirm_token"]);
    let without_end = &token[..token.len() - 2];
    let without_prefix = &token[3..];
    let unknown_path = format!("/upload/confirm/{UNKNOWN_ID}");
    let user = acme.role("user").await;
    let viewer = acme.role("viewer").await;
    let anonymous = &stack.anonymous;
    let unknown_key = anonymous.with_key("nonsense");
    let before = stack.dump().await;

    let other_token = other_file.response["confirm_token"].clone();
    let cases: [(&Client, &str, Value, u16); 13] = [
        (anonymous, &path, other_token, 403),
        (anonymous, &path, json!("nonsense"), 403),
        (anonymous, &path, json!(without_end), 403),
        (anonymous, &path, json!(without_prefix), 403),
        (anonymous, &path, json!(5), 422),
        (anonymous, &path, json!(null), 401),
        // With a key, the token is ignored.
        (&other.client, &path, json!(token), 404),
        (&unknown_key, &path, json!(token), 401),
        (&user, &path, json!(token), 403),
        (&user, &path, json!(null), 403),
        (&viewer, &path, json!(token), 403),
        (anonymous, "/upload/confirm/nonsense", json!(token), 404),
        (anonymous, &unknown_path, json!(token), 403),
    ];
    for (client, path, token, status) in cases {
        let case = format!("{token} on {path}");
        let response = client.post(path, json!({"confirm_token": token})).await;
        let response = response.with_context(&case).expect_status(status);
        let challenge = if status == 401 { "Bearer" } else { "" };
        response.expect_header("x-amzn-remapped-www-authenticate", challenge);
        response.expect_error(status);
    }
    anonymous.post_err(401, &path, json!({})).await;
    pending_file.confirm(anonymous).await.expect_error(401);

    stack.assert_unchanged(&before, "rejected requests").await;
    let admin = acme.role("admin").await;
    pending_file.confirm(&admin).await.expect_ok();
    other_file.confirm_by_token(stack).await.expect_ok();
}

#[stack_test(undrained)]
async fn disabled_space_rejects_uploads_and_delivery(stack: &Stack, other: &TestSpace) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let user = acme.role("user").await;
    let own = PendingFile::create(acme, json!({})).await;
    let anonymous = uploads.signer.pending(stack, json!({})).await;
    let foreign = PendingFile::create(other, json!({})).await;
    for pending_file in [&own, &anonymous, &foreign] {
        pending_file.put(stack, PHOTO).await;
    }

    let file = acme.upload(PHOTO).await;

    acme.set_enabled(false).await;

    let before = uploads.stored().await;
    for route in ROUTES {
        for client in [&user, &acme.client, &stack.account()] {
            let rejected = uploads.photo(route).by(client).send().await;
            assert_eq!(rejected.expect_error(403), json!({}));
        }
    }
    for client in [&acme.client, &stack.account()] {
        assert_eq!(own.confirm(client).await.expect_error(403), json!({}));
        let rejected = uploads.signer.generate(client, json!({})).await;
        rejected.expect_error(403);
    }
    anonymous.confirm_by_token(stack).await.expect_error(403);
    uploads.assert_unchanged(&before, "a disabled space").await;

    // Its files are not delivered, and it stays manageable.
    stack.anonymous.get_err(404, file.url()).await;
    for client in [&acme.client, &stack.account()] {
        client.get_err(404, file.url()).await;
        for path in [&acme.path(), file.path(), &acme.keys_path()] {
            client.get_ok(path).await;
        }
    }

    // The other space still confirms, also for the same account.
    foreign.confirm(&stack.account()).await.expect_ok();

    acme.set_enabled(true).await;
    stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
    own.confirm(&acme.client).await.expect_ok();
    anonymous.confirm_by_token(stack).await.expect_ok();
    for route in ROUTES {
        let uploaded = uploads.photo(route).by(&user).send().await;
        uploaded.expect_status(201);
    }
    let generated = uploads.signer.generate(&user, json!({})).await;
    generated.expect_ok();
}
