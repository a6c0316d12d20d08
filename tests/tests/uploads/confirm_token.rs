//! `POST /upload/confirm/:fileId` with a confirm token.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, minutes, stack_test, text};

use super::signed_presign::{confirm, confirmation, put};
use crate::support::signer::Signer;

/// A confirmation that is rejected.
struct Rejected<'a> {
    case: &'static str,
    client: &'a Client,
    path: &'a str,
    body: Value,
    status: u16,
}

impl Rejected<'_> {
    /// Asserts the status, and that only a 401 has a challenge.
    async fn assert(self) {
        let case = self.case;
        let response = self
            .client
            .post(self.path, self.body)
            .await
            .with_context(case)
            .expect_status(self.status);

        let challenge = if self.status == 401 { "Bearer" } else { "" };
        assert_eq!(
            response.header("x-amzn-remapped-www-authenticate"),
            challenge,
            "{case}"
        );
        response.expect_error(self.status);
    }
}

/// Presigns the photo by a signed URL, and sends its bytes to S3.
async fn presigned_with_bytes(stack: &Stack, signer: &Signer) -> Value {
    let presigned = signer
        .presign(&signer.query(stack), json!({}))
        .await
        .expect_status(201)
        .json();
    put(stack, &presigned, PHOTO).await.expect_status(200);
    presigned
}

#[stack_test(undrained)]
async fn token_confirms_only_its_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = stack.space("Other").await;
    let pending_files = [
        presigned_with_bytes(stack, &signer).await,
        presigned_with_bytes(stack, &signer).await,
    ];

    let path = confirmation(&pending_files[0]);
    let token = text(&pending_files[0]["confirm_token"]);
    let truncated = &token[..token.len() - 2];
    let other_token = json!({"confirm_token": pending_files[1]["confirm_token"]});
    let with = |token: &str| json!({"confirm_token": token});

    let user = signer.acme.role("user").await;
    let viewer = signer.acme.role("viewer").await;
    let before = stack.dump().await;
    let anonymous = &stack.anonymous;
    let unknown_key = anonymous.with_key("nonsense");

    let rejected = |case, client, body, status| Rejected {
        case,
        client,
        path: path.as_str(),
        body,
        status,
    };

    for case in [
        rejected("the token of another file", anonymous, other_token, 403),
        rejected("not a token", anonymous, with("nonsense"), 403),
        rejected("truncated", anonymous, with(truncated), 403),
        rejected("without its prefix", anonymous, with(&token[3..]), 403),
        rejected("not a string", anonymous, json!({"confirm_token": 5}), 422),
        rejected("null", anonymous, json!({"confirm_token": null}), 401),
        rejected("missing", anonymous, json!({}), 401),
        // With a key, the token is ignored.
        rejected("another space's key", &other.client, with(&token), 404),
        rejected("an unknown key", &unknown_key, with(&token), 401),
        rejected("the key of a user", &user, json!({}), 403),
        rejected("the key of a viewer", &viewer, with(&token), 403),
        Rejected {
            path: "/upload/confirm/nonsense",
            ..rejected("not an id", anonymous, with(&token), 404)
        },
        Rejected {
            path: "/upload/confirm/01JCQZ4XK8V9W7Y6T5S4R3Q2P1",
            ..rejected("the id of no file", anonymous, with(&token), 403)
        },
    ] {
        case.assert().await;
    }

    stack
        .anonymous
        .send(stack.anonymous.request("POST", &path))
        .await
        .expect_error(401);

    stack
        .dump()
        .await
        .assert_unchanged(&before, "rejected confirmations");

    let admin = signer.acme.role("admin").await;
    admin.post_ok(&path, json!({})).await;
    confirm(stack, &pending_files[1]).await.expect_ok();
}

#[stack_test(undrained)]
async fn disabled_space_rejects_confirmation(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let presigned = signer
        .presign(&signer.query(stack), json!({}))
        .await
        .expect_status(201)
        .json();

    put(stack, &presigned, PHOTO).await.expect_status(200);

    let client = &signer.acme.client;
    let space = signer.acme.path();
    client
        .put_ok(&space, json!({"name": "Acme", "enabled": false}))
        .await;

    confirm(stack, &presigned).await.expect_error(403);

    client
        .put_ok(&space, json!({"name": "Acme", "enabled": true}))
        .await;
    confirm(stack, &presigned).await.expect_ok();
}

#[stack_test]
async fn unconfirmed_anonymous_upload_is_checked(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let sent = signer
        .presign(&signer.query(stack), json!({}))
        .await
        .expect_status(201)
        .json();
    let forgotten = signer
        .presign(&signer.query(stack), json!({}))
        .await
        .expect_status(201)
        .json();

    put(stack, &sent, PHOTO).await.expect_status(200);

    for _ in 0..9 {
        stack.run_for(minutes(15)).await;
    }

    let found = signer
        .acme
        .get_ok(&format!("/files/{}", text(&sent["file_id"])))
        .await;

    assert_eq!(
        (&found["status"], &found["uploaded_by"]),
        (&json!("active"), &json!({"type": "signed_url"}))
    );

    signer
        .acme
        .get_err(404, &format!("/files/{}", text(&forgotten["file_id"])))
        .await;

    // A token expires an hour after the presigned URL.
    confirm(stack, &sent).await.expect_error(403);
    confirm(stack, &forgotten).await.expect_error(404);
}
