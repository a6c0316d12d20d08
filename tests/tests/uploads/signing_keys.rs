//! With an API key end the upload URLs that it signed, and the confirmations of files that they declared.

use domain::UserId;
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, TestSpace, minutes, stack_test, text};

use super::signed_presign::{confirm, put};
use crate::support::signer::{Signer, photo, query, with};

/// URLs that a key signed, and pending files that they declared.
struct SignedByKey<'a> {
    stack: &'a Stack,
    /// The response of the request that signed the URLs.
    signed: Value,
    /// Its bytes are sent.
    sent: Value,
}

impl SignedByKey<'_> {
    async fn new<'a>(stack: &'a Stack, client: &Client, config: &str) -> SignedByKey<'a> {
        let body = json!({"upload_config_id": config, "expiration_minutes": 1_440});
        let signed = client.post("/upload/generate-signed-url", body).await;
        let mut urls = SignedByKey {
            stack,
            signed: signed.expect_ok(),
            sent: Value::Null,
        };

        urls.sent = urls.presign().await.expect_status(201).json();
        put(stack, &urls.sent, PHOTO).await.expect_status(200);
        urls
    }

    async fn upload(&self) -> Response {
        let form = Form::new()
            .text("space_id", text(&self.signed["space_id"]))
            .text("upload_config_id", text(&self.signed["upload_config_id"]))
            .part("file", photo());
        let anonymous = &self.stack.anonymous;
        let request = anonymous.request("POST", &text(&self.signed["url"]));
        anonymous.send(request.multipart(form)).await
    }

    async fn presign(&self) -> Response {
        let body = json!({"filename": "a.jpg", "content_type": "image/jpeg", "size": PHOTO.len()});
        let url = text(&self.signed["presign_url"]);
        self.stack.anonymous.post(&url, body).await
    }

    /// Asserts that uploads, presign requests and confirmations are rejected.
    async fn assert_ended(&self, context: &str) {
        let confirmation = confirm(self.stack, &self.sent).await;
        for response in [self.upload().await, self.presign().await, confirmation] {
            let response = response.with_context(context).expect_status(403);
            let message = text(&response.json()["message"]);
            assert!(
                message.contains("API key that signed"),
                "{context}: {message}"
            );
        }
    }
}

/// Returns the status of a pending file for the owner after its check.
async fn status_after_check(stack: &Stack, acme: &TestSpace, pending: &Value) -> u16 {
    stack.run_confirm_checks().await;
    let path = format!("/files/{}", text(&pending["file_id"]));
    acme.get(&path).await.status
}

#[stack_test]
async fn revocation_ends_upload_urls_and_confirmations(stack: &Stack, acme: &TestSpace) {
    let config = acme.upload_config("web").await.id;
    let key = acme.create_key("web").role("user").await;
    let other = acme.create_key("other").role("user").await;
    let urls = SignedByKey::new(stack, &key.client, &config).await;
    let other_urls = SignedByKey::new(stack, &other.client, &config).await;
    urls.upload().await.expect_created();

    acme.delete_ok(key.path()).await;

    urls.assert_ended("revoked").await;
    other_urls.upload().await.expect_created();
    confirm(stack, &other_urls.sent).await.expect_ok();

    // The owner may still confirm what the URL declared. Otherwise its check removes it.
    let confirmed = SignedByKey::new(stack, &other.client, &config).await.sent;
    let path = format!("/upload/confirm/{}", text(&confirmed["file_id"]));
    acme.delete_ok(other.path()).await;
    acme.post_ok(&path, json!({})).await;
    assert_eq!(status_after_check(stack, acme, &urls.sent).await, 404);
}

#[stack_test]
async fn expiry_of_a_key_ends_its_upload_urls(stack: &Stack, acme: &TestSpace) {
    let config = acme.upload_config("web").await.id;
    let end = stack.now().plus_ms(10 * 60 * 1_000).rfc3339();
    let key = acme.create_key("web").role("user").expiring_at(&end).await;
    let urls = SignedByKey::new(stack, &key.client, &config).await;

    stack.clock.advance(minutes(9));
    urls.upload().await.expect_created();
    stack.clock.advance(minutes(1));

    urls.assert_ended("expired").await;
    assert_eq!(status_after_check(stack, acme, &urls.sent).await, 404);
}

#[stack_test]
async fn lost_role_and_revocation_end_upload_urls_of_account_keys(stack: &Stack, acme: &TestSpace) {
    let config = acme.upload_config("web").await.id;
    let user = stack.user().await;
    stack.add_member(&user, acme, "user").await;
    let body = json!({"name": "second"});
    let second = user.client.post("/account/api-keys", body).await;
    let second = second.expect_created();
    let client = stack.anonymous.with_key(&text(&second["key"]));
    let urls = SignedByKey::new(stack, &client, &config).await;
    urls.upload().await.expect_created();

    stack.add_member(&user, acme, "viewer").await;
    urls.assert_ended("viewer").await;

    stack.add_member(&user, acme, "user").await;
    urls.upload().await.expect_created();
    let path = format!("/account/api-keys/{}", second["id"]);
    user.client.delete_ok(&path).await;
    urls.assert_ended("revoked").await;

    assert_eq!(status_after_check(stack, acme, &urls.sent).await, 404);
}

#[stack_test]
async fn key_of_another_space_or_user_signs_no_upload_url(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = stack.space("Other").await;
    let unknown = UserId::MAX.to_string();

    for (name, value) in [
        ("key_id", other.key_id.to_string()),
        ("key_id", "999".to_owned()),
        ("user_id", unknown),
    ] {
        let parameters = with(signer.parameters(stack), name, &value);
        let query = query(&signer.signed(parameters));
        signer.send(&query).await.expect_error(403);
    }
}
