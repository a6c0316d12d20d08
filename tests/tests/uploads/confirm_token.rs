//! `POST /upload/confirm/:fileId` with a confirm token.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, UNKNOWN_ID, stack_test, text};

use super::{
    presign::PendingFile,
    routes::{ROUTES, Uploads},
};
use crate::support::signer::Signer;

/// Presigns the photo by a signed URL, and sends its bytes to S3.
async fn presigned_with_bytes(stack: &Stack, signer: &Signer) -> PendingFile {
    let presigned = signer.pending(stack, json!({})).await;
    presigned.put(stack, PHOTO).await;
    presigned
}

#[stack_test(undrained)]
async fn token_confirms_only_its_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let other = stack.space("Other").await;
    let pending_file = presigned_with_bytes(stack, &signer).await;
    let other_file = presigned_with_bytes(stack, &signer).await;

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

    let cases: [(&Client, &str, Value, u16); 13] = [
        (
            anonymous,
            &path,
            other_file.response["confirm_token"].clone(),
            403,
        ),
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
        let header = response.header("x-amzn-remapped-www-authenticate");
        assert_eq!(header, challenge, "{case}");
        response.expect_error(status);
    }
    anonymous.post_err(401, &path, json!({})).await;
    pending_file.confirm(anonymous).await.expect_error(401);

    stack
        .assert_unchanged(&before, "rejected confirmations")
        .await;

    let admin = acme.role("admin").await;
    pending_file.confirm(&admin).await.expect_ok();
    other_file.confirm_by_token(stack).await.expect_ok();
}

#[stack_test(undrained)]
async fn disabled_space_rejects_uploads_and_confirmations(stack: &Stack, other: &TestSpace) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let user = acme.role("user").await;
    let own = PendingFile::create(acme, json!({})).await;
    let anonymous = uploads.signer.pending(stack, json!({})).await;
    let foreign = PendingFile::create(other, json!({})).await;
    for pending_file in [&own, &anonymous, &foreign] {
        pending_file.put(stack, PHOTO).await;
    }

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

    // The other space still confirms, also for the same account.
    foreign.confirm(&stack.account()).await.expect_ok();

    acme.set_enabled(true).await;
    own.confirm(&acme.client).await.expect_ok();
    anonymous.confirm_by_token(stack).await.expect_ok();
    for route in ROUTES {
        uploads
            .photo(route)
            .by(&user)
            .send()
            .await
            .expect_status(201);
    }
    let generated = uploads.signer.generate(&user, json!({})).await;
    generated.expect_ok();
}
