//! `POST /upload/confirm/:fileId`: presigned PUT requests to S3, and the stored objects and names.

use serde_json::json;
use sha2::{Digest, Sha256};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, minutes, seconds, stack_test};

use super::{
    confirm::{delivered_bytes, original_keys},
    presign::PendingFile,
};

/// A PUT request that S3 rejects.
struct RejectedPut<'a> {
    case: &'static str,
    url: &'a str,
    content_type: Option<&'static str>,
    bytes: &'a [u8],
}

impl<'a> RejectedPut<'a> {
    fn new(
        case: &'static str,
        url: &'a str,
        content_type: Option<&'static str>,
        bytes: &'a [u8],
    ) -> RejectedPut<'a> {
        RejectedPut {
            case,
            url,
            content_type,
            bytes,
        }
    }

    async fn assert_rejected(&self, stack: &Stack) {
        let request = stack
            .anonymous
            .request("PUT", self.url)
            .body(self.bytes.to_vec());
        let request = self
            .content_type
            .into_iter()
            .fold(request, |request, value| {
                request.header("content-type", value)
            });

        let status = stack.anonymous.send(request).await.status;

        assert!((400..500).contains(&status), "{}: {status}", self.case);
    }
}

#[stack_test]
async fn storage_accepts_only_declared_type_and_size(stack: &Stack, acme: &TestSpace) {
    let pending_file = PendingFile::create(acme, json!({})).await;
    let late = PendingFile::create(acme, json!({})).await;
    let before = stack.dump().await;
    let url = pending_file.url();
    let longer = [PHOTO, b"x"].concat();
    let tampered = |from: &str, to: &str| {
        assert!(url.contains(from), "{url}");
        url.replacen(from, to, 1)
    };
    let to_other_file = tampered(pending_file.id(), UNKNOWN_ID);
    let longer_validity = tampered("Expires=3600", "Expires=7200");
    let signature = url
        .split("X-Amz-Signature=")
        .nth(1)
        .and_then(|rest| rest.get(..64))
        .expect("a signature");
    let unsigned = tampered(signature, &"0".repeat(64));
    let more = format!("{url}&x-amz-meta-a=b");

    let jpeg = Some("image/jpeg");
    let jpeg_with_parameter = Some("image/jpeg; q=1");

    for put in [
        RejectedPut::new("shorter", url, jpeg, &PHOTO[1..]),
        RejectedPut::new("longer", url, jpeg, &longer),
        RejectedPut::new("empty", url, jpeg, b""),
        RejectedPut::new("with another type", url, Some("image/png"), PHOTO),
        RejectedPut::new(
            "with a parameter of the type",
            url,
            jpeg_with_parameter,
            PHOTO,
        ),
        RejectedPut::new("without a type", url, None, PHOTO),
        RejectedPut::new("to another key", &to_other_file, jpeg, PHOTO),
        RejectedPut::new("with a longer validity", &longer_validity, jpeg, PHOTO),
        RejectedPut::new("with another signature", &unsigned, jpeg, PHOTO),
        RejectedPut::new("with another query parameter", &more, jpeg, PHOTO),
    ] {
        put.assert_rejected(stack).await;
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "rejected PUT requests");
    pending_file.confirm(&acme.client).await.expect_error(409);

    stack.clock.advance(minutes(60));
    pending_file.send(stack, PHOTO).await.expect_status(200);
    stack.clock.advance(seconds(1));
    late.send(stack, PHOTO).await.expect_status(403);
    late.confirm(&acme.client).await.expect_error(409);
    pending_file.confirm(&acme.client).await.expect_ok();
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn later_put_to_presigned_url_does_not_change_active_file(stack: &Stack, acme: &TestSpace) {
    let mut other = PHOTO.to_vec();
    other.reverse();

    let pending_file = PendingFile::create(acme, json!({})).await;

    // Before the confirmation, the last PUT counts.
    pending_file
        .send(stack, other.clone())
        .await
        .expect_status(200);
    pending_file.send(stack, PHOTO).await.expect_status(200);

    let active = pending_file.confirm(&acme.client).await.expect_ok();
    let before = stack.dump().await;
    pending_file
        .send(stack, other.clone())
        .await
        .expect_status(200);

    let after = stack.dump().await;
    assert_eq!(
        after.objects[pending_file.object_key()],
        hex::encode(Sha256::digest(&other))
    );
    assert_ne!(
        before.objects[pending_file.object_key()],
        after.objects[pending_file.object_key()]
    );
    assert_eq!(
        (&after.items, original_keys(&after, &acme.id)),
        (&before.items, original_keys(&before, &acme.id))
    );
    assert_eq!(pending_file.confirm(&acme.client).await.expect_ok(), active);
    assert!(delivered_bytes(stack, &active).await == PHOTO);

    stack.run_confirm_checks().await;
    assert_eq!(acme.get_ok(&pending_file.address()).await, active);
    assert!(delivered_bytes(stack, &active).await == PHOTO);
}

#[stack_test]
async fn first_confirmation_gets_stored_name(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("own")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await;

    let own = || json!({"upload_config": "own"});
    let first = PendingFile::create(acme, own()).await;
    let second = PendingFile::create(acme, own()).await;
    let third = PendingFile::create(acme, own()).await;

    for pending_file in [&first, &second, &third] {
        pending_file.send(stack, PHOTO).await.expect_status(200);
    }

    let active = first.confirm(&acme.client).await.expect_ok();
    assert_eq!(
        active["storage_path"],
        json!(format!("{}/photo.jpg", acme.handle))
    );

    let before = stack.dump().await;
    for pending_file in [&second, &third, &second] {
        let response = pending_file.confirm(&acme.client).await;
        assert_eq!(
            response.json()["message"],
            "A file named `photo.jpg` already exists. Rename the file, or use an upload config \
             with `unique_filename`."
        );
        let taken = response.expect_error(409);
        assert_eq!(taken, json!({"file": ["The file has already been taken."]}));
        assert_eq!(
            acme.get_ok(&pending_file.address()).await["status"],
            "pending"
        );
    }

    let directly = acme.upload(PHOTO).with_config("own");
    directly.send().await.expect_error(409);

    stack
        .dump()
        .await
        .assert_unchanged(&before, "confirmations with a taken name");
    stack.run_confirm_checks().await;
}
