//! `POST /upload/confirm/:fileId`: validates the uploaded bytes and activates the file once.

use super::presign::{PendingFile, presign_body};
use futures::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{Dump, PHOTO, Stack, TestSpace, UNKNOWN_ID, seconds, stack_test};

/// Maximum size of a file that gets a digest and transformations: 50 MB.
pub(crate) const DIGEST_MAX_BYTES: usize = 50 << 20;
/// Number of concurrent confirmations.
const CALLERS: usize = 8;

/// Returns the delivered bytes of an active file, after asserting that its record describes them.
pub(crate) async fn delivered_bytes(stack: &Stack, record: &Value) -> Vec<u8> {
    assert_eq!(record["status"], "active");

    let delivered = stack
        .anonymous
        .fetch(record["url"].as_str().expect("a URL"))
        .await;

    assert_eq!(record["size"], json!(delivered.body.len()));
    assert_eq!(
        record["mime_type"],
        json!(
            delivered
                .header("content-type")
                .trim_end_matches("; charset=utf-8")
        )
    );

    let digest = json!(hex::encode(Sha256::digest(&delivered.body)));
    assert_eq!(
        record["checksum_sha256"],
        if delivered.body.len() > DIGEST_MAX_BYTES {
            Value::Null
        } else {
            digest
        }
    );

    let name = record["name"].as_str().expect("a name");
    let extension = record["extension"].as_str().expect("a text");
    assert!(name.ends_with(&format!(".{extension}")), "{name}");
    assert!(
        record["storage_path"]
            .as_str()
            .is_some_and(|path| path.ends_with(&format!("/{name}"))),
        "{record}"
    );

    delivered.body.to_vec()
}

/// Returns the keys of the original objects of a space.
pub(crate) fn original_keys<'a>(dump: &'a Dump, space: &str) -> Vec<&'a String> {
    let prefix = format!("_objects/{space}/originals/");
    dump.objects
        .keys()
        .filter(|key| key.starts_with(&prefix))
        .collect()
}

/// Returns the errors of a response that rejects the file.
pub(crate) fn file_error(end: &str) -> Value {
    json!({"file": [format!("The file field {end}.")]})
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
    assert_eq!(
        early.expect_error(409),
        file_error("must be uploaded to its presigned URL first")
    );

    stack
        .dump()
        .await
        .assert_unchanged(&before, "a confirmation before the upload");

    pending_file.send(stack, PHOTO).await.expect_status(200);
    stack.clock.advance(seconds(1));
    let active = pending_file.confirm(&acme.client).await.expect_ok();
    assert!(delivered_bytes(stack, &active).await == PHOTO);
    assert_eq!(
        (&active["ref"], &active["id"]),
        (&json!("order 7"), &json!(pending_file.id()))
    );
    assert!(
        active["updated_at"].as_str() > active["created_at"].as_str(),
        "{active}"
    );
    assert_eq!(acme.get_ok(&pending_file.address()).await, active);

    let after = stack.dump().await;
    assert_eq!(
        (
            after.files_with_bytes().len(),
            original_keys(&after, &acme.id).len()
        ),
        (1, 1)
    );

    for client in [&acme.client, &stack.account(), &acme.client] {
        stack.clock.advance(seconds(1));
        assert_eq!(pending_file.confirm(client).await.expect_ok(), active);
    }

    stack
        .dump()
        .await
        .assert_unchanged(&after, "repeated confirmations");
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn file_is_confirmed_by_its_uploader_or_admin(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let non_member = stack.user().await;
    let user = acme.role("user").await;
    let other_user = acme.role("user").await;
    let viewer = acme.role("viewer").await;
    let admin = acme.role("admin").await;

    for manager in [&user, &admin, &acme.client, &stack.account()] {
        let pending_file = PendingFile::by(&user, presign_body(acme, json!({}))).await;
        pending_file.send(stack, PHOTO).await.expect_status(200);
        let before = stack.dump().await;
        assert_eq!(
            pending_file
                .confirm(&stack.anonymous)
                .await
                .expect_error(401),
            json!({})
        );
        for client in [&other.client, &non_member.client] {
            assert_eq!(
                pending_file.confirm(client).await.expect_error(404),
                json!({})
            );
        }
        for client in [&other_user, &viewer] {
            assert_eq!(
                pending_file.confirm(client).await.expect_error(403),
                json!({})
            );
        }
        stack
            .dump()
            .await
            .assert_unchanged(&before, "confirmations without permission");
        let active = pending_file.confirm(manager).await.expect_ok();
        assert_eq!(pending_file.confirm(&user).await.expect_ok(), active);
        let response = pending_file.confirm(&other_user).await;
        assert_eq!(
            response.json()["message"],
            "Another user or API key uploaded this file. This action requires the role admin or higher."
        );
        response.expect_error(403);
    }

    for id in [UNKNOWN_ID, "x", "%20", "a%2Fb", &acme.id] {
        let path = format!("/upload/confirm/{id}");
        assert_eq!(
            acme.post_err(404, &path, json!({})).await,
            json!({}),
            "{id}"
        );
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn disabled_space_rejects_confirmations(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let own = PendingFile::create(acme, json!({})).await;
    let foreign = PendingFile::create(other, json!({})).await;

    for pending_file in [&own, &foreign] {
        pending_file.send(stack, PHOTO).await.expect_status(200);
    }

    let switch = async |enabled: bool| {
        let body = json!({"name": "Acme", "enabled": enabled});
        acme.put_ok(&acme.path(), body).await;
    };
    switch(false).await;

    let before = stack.dump().await;
    for client in [&acme.client, &stack.account()] {
        assert_eq!(own.confirm(client).await.expect_error(403), json!({}));
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "confirmations in a disabled space");

    // The other space still confirms, also for the same account.
    assert_eq!(
        foreign.confirm(&stack.account()).await.expect_ok()["space_id"],
        json!(other.id)
    );

    switch(true).await;
    assert!(delivered_bytes(stack, &own.confirm(&acme.client).await.expect_ok()).await == PHOTO);

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_confirmations_activate_once(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("webp")
        .with_settings(json!({"transformations": {"upload_format": "webp"}}))
        .await;
    acme.upload_config("pngs")
        .with_settings(json!({"validation": {"allowed_formats": ["png"]}}))
        .await;

    for (files, config) in [(1, "starter"), (2, "webp"), (3, "starter"), (4, "webp")] {
        let pending_file = PendingFile::create(acme, json!({"upload_config": config})).await;
        pending_file.send(stack, PHOTO).await.expect_status(200);
        let responses = join_all((0..CALLERS).map(|_| pending_file.confirm(&acme.client))).await;
        let record = acme.get_ok(&pending_file.address()).await;
        delivered_bytes(stack, &record).await;
        for response in responses {
            assert_eq!(response.expect_ok(), record);
        }
        let dump = stack.dump().await;
        assert_eq!(
            (
                dump.files_with_bytes().len(),
                original_keys(&dump, &acme.id).len()
            ),
            (files, files),
            "{config}"
        );
    }

    let before = stack.dump().await;
    let unknown = json!({"upload_config": "pngs", "content_type": "application/octet-stream"});
    let pending_file = PendingFile::create(acme, unknown).await;

    pending_file.send(stack, PHOTO).await.expect_status(200);

    let responses = join_all((0..CALLERS).map(|_| pending_file.confirm(&acme.client))).await;
    assert_eq!(
        responses
            .iter()
            .filter(|response| response.status == 422)
            .count(),
        1
    );

    // Later confirmations find the bytes or the file removed.
    for response in responses {
        response.expect_status_of(&[404, 409, 422]);
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "concurrent confirmations of a rejected file");
    stack.run_confirm_checks().await;
}
