//! `POST /upload/presign` with `replaces`: the confirmation gives the bytes to another file.

use std::pin::pin;

use media::format::Format;
use serde_json::{Value, json};
use tests::{
    Ends, PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, field_error, field_errors, minutes,
    rows, seconds, stack_test,
};

use super::{
    presign::{PendingFile, presign_body, presign_with_key},
    unsigned::UnsignedConfig,
};
use crate::{
    files::{
        replace::{assert_no_old_bytes, jpeg, replace},
        trash::keep_for_days,
    },
    support::{
        images::image,
        pages::list_ids,
        seeded::{Place, invariants::assert_file_records},
    },
};

/// Presigns an upload of bytes that replace those of a file.
async fn presign(acme: &TestSpace, file: &str, bytes: &[u8]) -> PendingFile {
    let fields = json!({"replaces": file, "size": bytes.len()});
    PendingFile::create(acme, fields).await
}

/// Asserts that nothing of an upload remains but what expires.
async fn assert_ended(stack: &Stack, upload: &PendingFile) {
    let dump = stack.dump().await;
    for (key, item) in dump.items {
        let is_left = format!("{key:?} {item}").contains(upload.id());
        assert!(!is_left || !item["expires_at_seconds"].is_null(), "{item}");
    }
    let mut keys = dump.objects.keys();
    let staged = upload.object_key();
    assert!(!keys.any(|key| key.contains(upload.id()) && key != staged));
}

#[stack_test]
async fn confirmation_gives_the_bytes_to_the_file(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHOTO).with_ref("cover").await;
    let new = jpeg(90, 60);
    let upload = presign(acme, &photo.id, &new).await;

    // The upload is no file.
    for path in [upload.address(), format!("{}/signed-url", upload.address())] {
        acme.get(&path).await.expect_status_of(&[404, 405]);
    }
    assert_eq!(list_ids(acme, "").await, [&*photo.id]);
    assert_eq!(list_ids(acme, "search=photo").await, [&*photo.id]);
    upload.confirm(acme).await.expect_error(409);

    upload.put(stack, new.clone()).await;
    for client in [&acme.client, &stack.account()] {
        let confirmed = upload.confirm(client).await.expect_ok();
        assert_eq!(confirmed, acme.get_ok(photo.path()).await);
        let expected =
            json!({"id": photo.id, "size": new.len(), "ref": "cover", "url": photo["url"]});
        assert_fields(&confirmed, expected);
    }
    stack.anonymous.fetch(photo.url()).await.expect_body(&new);
    assert_eq!(list_ids(acme, "").await, [&*photo.id]);

    stack.run_post_upload().await;
    let meta = &acme.get_ok(photo.path()).await["storage_meta"];
    assert_fields(meta, json!({"width": 90, "height": 60}));
    stack.run_confirm_checks().await;
    assert_ended(stack, &upload).await;
    assert_no_old_bytes(stack, &photo.id).await;
    assert_file_records(&stack.dump().await, Place { seed: 0, step: 0 });
}

#[stack_test]
async fn presign_refuses_what_the_file_excludes(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let photo = acme.upload(PHOTO).await;
    let foreign = other.upload(PHOTO).await;
    let pending = PendingFile::create(acme, json!({})).await;
    let kept = "must be missing when replaces is present";
    acme.upload_config("x").await;

    for (fields, ends) in rows::<(Value, Ends)>(json!([
        [{"replaces": UNKNOWN_ID}, {"replaces": ""}],
        [{"replaces": "x"}, {"replaces": ""}],
        [{"replaces": foreign.id}, {"replaces": ""}],
        [
            {"replaces": photo.id, "content_type": "image/png", "filename": "a.png"},
            {"content_type": "must be a file of type: jpg"},
        ],
        [
            {"replaces": photo.id, "ref": "x", "folder_id": "root", "upload_config": "x"},
            {"ref": kept, "folder_id": kept, "upload_config": kept},
        ],
    ])) {
        let body = presign_body(acme, fields);
        let errors = acme.post_err(422, "/upload/presign", body).await;
        assert_eq!(errors, field_errors(ends));
    }

    let body = presign_body(acme, json!({"replaces": pending.id()}));
    acme.post_err(409, "/upload/presign", body).await;
    for role in ["user", "viewer"] {
        let body = presign_body(acme, json!({"replaces": photo.id}));
        let client = acme.role(role).await;
        client.post_err(403, "/upload/presign", body).await;
    }
    let anonymous = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let refused = anonymous.presign(json!({"replaces": photo.id})).await;
    let errors = field_error("replaces", "requires an API key");
    assert_eq!(refused.expect_error(422), errors);
    stack.run_confirm_checks().await;
}

/// Sends a PNG that is to replace the bytes of a JPEG.
async fn send_png(stack: &Stack, acme: &TestSpace, photo: &str) -> PendingFile {
    let png = image(Format::Png, 3, 2);
    let fields = json!({
        "replaces": photo, "size": png.len(), "content_type": "application/octet-stream", "filename": "a",
    });
    let upload = PendingFile::create(acme, fields).await;
    upload.put(stack, png).await;
    upload
}

#[stack_test]
async fn bytes_of_another_type_end_the_upload(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHOTO).await;
    let upload = send_png(stack, acme, &photo.id).await;

    let rejected = upload.confirm(acme).await.expect_error(422);

    assert_eq!(rejected, field_error("file", "must be a file of type: jpg"));
    upload.confirm(acme).await.expect_error(404);
    assert_eq!(acme.get_ok(photo.path()).await, photo.record);
    stack.run_confirm_checks().await;
    assert_ended(stack, &upload).await;
    assert_no_old_bytes(stack, &photo.id).await;
}

#[stack_test]
async fn concurrent_confirmations_of_rejected_bytes_fail(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHOTO).await;
    let mut calls = 0;
    loop {
        let upload = send_png(stack, acme, &photo.id).await;
        let mut hold = stack.local.faults().hold("uploads", calls);
        let mut first = pin!(upload.confirm(acme));
        tokio::select! {
            biased;
            () = hold.reached() => {}
            response = &mut first => {
                response.expect_error(422);
                break;
            }
        }
        let second = upload.confirm(acme).await;
        hold.release();

        let statuses = [first.await.status, second.status];
        assert!(statuses.contains(&422), "{statuses:?} at call {calls}");
        let are_errors = statuses
            .iter()
            .all(|status| [404, 409, 422].contains(status));
        assert!(are_errors, "{statuses:?} at call {calls}");
        calls += 1;
    }
    assert!(calls > 3, "only {calls} calls");
    assert_eq!(acme.get_ok(photo.path()).await, photo.record);
    stack.run_confirm_checks().await;
}

/// What happens to the file before its replacement is confirmed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Nothing,
    Replaced,
    Deleted,
}

#[stack_test]
async fn confirmation_applies_to_the_current_file(stack: &Stack, acme: &TestSpace) {
    for before in [Before::Nothing, Before::Replaced, Before::Deleted] {
        for is_confirmed in [true, false] {
            let photo = acme.upload(PHOTO).await;
            let new = jpeg(80, 50);
            let upload = presign(acme, &photo.id, &new).await;
            upload.put(stack, new.clone()).await;
            match before {
                Before::Nothing => {}
                Before::Replaced => {
                    replace(acme, &photo.id, jpeg(5, 5)).await.expect_ok();
                }
                Before::Deleted => {
                    acme.delete_ok(photo.path()).await;
                }
            }

            // What the client does not confirm, the check does.
            if is_confirmed {
                let status = if before == Before::Deleted { 404 } else { 200 };
                upload.confirm(acme).await.expect_status(status);
            }
            stack.run_confirm_checks().await;
            stack.run_purges().await;

            assert_ended(stack, &upload).await;
            if before == Before::Deleted {
                stack.anonymous.get_err(404, photo.url()).await;
                continue;
            }
            stack.anonymous.fetch(photo.url()).await.expect_body(&new);
            assert_no_old_bytes(stack, &photo.id).await;
        }
    }
    assert_file_records(&stack.dump().await, Place { seed: 0, step: 0 });
}

#[stack_test]
async fn abandoned_upload_leaves_the_file_as_it_is(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHOTO).await;
    let upload = presign(acme, &photo.id, PHOTO).await;
    let user = acme.role("user").await;
    upload.confirm(&user).await.expect_error(403);

    let cancelled = presign(acme, &photo.id, PHOTO).await;
    cancelled.put(stack, PHOTO).await;
    user.delete_err(403, &cancelled.address()).await;
    acme.delete_ok(&cancelled.address()).await;
    acme.delete_err(404, &cancelled.address()).await;

    stack.run_confirm_checks().await;

    for ended in [&upload, &cancelled] {
        ended.confirm(acme).await.expect_error(404);
        assert_ended(stack, ended).await;
    }
    assert_eq!(acme.get_ok(photo.path()).await, photo.record);
}

/// Neither a check nor a client gives older bytes to a file than it has, or bytes to one that is
/// gone.
#[stack_test]
async fn unconfirmed_upload_of_a_changed_file_ends(stack: &Stack, acme: &TestSpace) {
    keep_for_days(acme, 7).await;
    let folder = acme.folder("Deleted").await;
    let newer = jpeg(90, 60);
    let mut uploads = Vec::new();
    let [replaced, trashed] = [acme.upload(PHOTO).await, acme.upload(PHOTO).await];
    let purged = acme.upload(PHOTO).into(&folder).await;
    for file in [&replaced, &trashed, &purged] {
        let older = jpeg(30, 20);
        let upload = presign(acme, &file.id, &older).await;
        upload.put(stack, older).await;
        uploads.push(upload);
    }
    stack.clock.advance(seconds(1));

    replace(acme, &replaced.id, newer.clone()).await.expect_ok();
    acme.delete_ok(trashed.path()).await;
    let forced = format!("{}?force=true", folder.path());
    acme.delete(&forced).await.expect_status(202);
    let body = presign_body(acme, json!({ "replaces": purged.id }));
    let refused = acme.post_err(422, "/upload/presign", body).await;
    assert_eq!(refused, field_error("replaces", ""));
    stack.run_confirm_checks().await;

    for upload in &uploads {
        upload.confirm(acme).await.expect_error(404);
        assert_ended(stack, upload).await;
    }
    let fetched = stack.anonymous.fetch(replaced.url()).await;
    fetched.expect_body(&newer);
    let restoration = format!("{}/restore", trashed.path());
    acme.post_ok(&restoration, json!({})).await;
    let fetched = stack.anonymous.fetch(trashed.url()).await;
    fetched.expect_body(PHOTO);
}

#[stack_test]
async fn repeated_presign_returns_the_same_upload(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHOTO).await;
    let presign = || presign_with_key(acme, "a", json!({"replaces": photo.id}));
    let first = PendingFile::of(presign().await);
    stack.run_for(minutes(1)).await;
    let again = PendingFile::of(presign().await);
    assert_eq!(again.id(), first.id());
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn purged_space_keeps_no_upload(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHOTO).await;
    let upload = presign(acme, &photo.id, PHOTO).await;
    upload.put(stack, PHOTO).await;
    acme.delete_by_force().await;
    stack.run_purges().await;
    stack.run_confirm_checks().await;

    let left = format!("{:?}", stack.dump().await);
    assert!(!left.contains(upload.id()));
}
