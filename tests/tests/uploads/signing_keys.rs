//! With an API key end the upload URLs that it signed, and the confirmations of files that they declared.

use domain::UserId;
use serde_json::json;
use tests::{Client, PHOTO, Stack, minutes, stack_test, text};

use super::presign::PendingFile;
use crate::support::signer::Signer;

/// A URL that a key signed, and a pending file that it declared, whose bytes are sent.
struct SignedByKey<'a> {
    stack: &'a Stack,
    signer: &'a Signer,
    query: String,
    sent: PendingFile,
}

impl SignedByKey<'_> {
    async fn new<'a>(stack: &'a Stack, signer: &'a Signer, client: &Client) -> SignedByKey<'a> {
        let day = json!({"expiration_minutes": 1_440});
        let generated = signer.generate(client, day).await.expect_ok();
        let url = text(&generated["url"]);
        let query = url.split_once('?').expect("a query").1.to_owned();
        let sent = PendingFile::of(signer.presign(&query, json!({})).await);
        sent.put(stack, PHOTO).await;

        SignedByKey {
            stack,
            signer,
            query,
            sent,
        }
    }

    async fn assert_valid(&self) {
        self.signer.send(&self.query).await.expect_created();
    }

    /// Asserts that uploads, presign requests and confirmations are rejected.
    async fn assert_ended(&self, context: &str) {
        for response in [
            self.signer.send(&self.query).await,
            self.signer.presign(&self.query, json!({})).await,
            self.sent.confirm_by_token(self.stack).await,
        ] {
            let response = response.with_context(context).expect_status(403);
            let message = text(&response.json()["message"]);
            assert!(message.contains("API key that signed"), "{message}");
        }
    }

    /// Asserts that the check removes the pending file.
    async fn assert_removed_by_check(&self) {
        self.stack.run_confirm_checks().await;
        let path = self.sent.address();
        self.signer.acme.get_err(404, &path).await;
    }
}

#[stack_test]
async fn revocation_ends_upload_urls_and_confirmations(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let key = acme.create_key("web").role("user").await;
    let other = acme.create_key("other").role("user").await;
    let urls = SignedByKey::new(stack, &signer, &key.client).await;
    let other_urls = SignedByKey::new(stack, &signer, &other.client).await;
    urls.assert_valid().await;

    acme.delete_ok(key.path()).await;

    urls.assert_ended("revoked").await;
    other_urls.assert_valid().await;
    other_urls.sent.confirm_by_token(stack).await.expect_ok();

    // The owner may still confirm what the URL declared. Otherwise its check removes it.
    let confirmed = SignedByKey::new(stack, &signer, &other.client).await.sent;
    acme.delete_ok(other.path()).await;
    confirmed.confirm(&acme.client).await.expect_ok();
    urls.assert_removed_by_check().await;
}

#[stack_test]
async fn expiry_of_a_key_ends_its_upload_urls(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let end = stack.now().plus_ms(10 * 60 * 1_000).rfc3339();
    let key = signer.acme.create_key("web").role("user");
    let key = key.expiring_at(&end).await;
    let urls = SignedByKey::new(stack, &signer, &key.client).await;

    stack.clock.advance(minutes(9));
    urls.assert_valid().await;
    stack.clock.advance(minutes(1));

    urls.assert_ended("expired").await;
    urls.assert_removed_by_check().await;
}

#[stack_test]
async fn lost_role_and_revocation_end_upload_urls_of_account_keys(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let user = stack.user().await;
    stack.add_member(&user, acme, "user").await;
    let body = json!({"name": "second"});
    let second = user.client.create("/account/api-keys", body).await;
    let client = stack.anonymous.with_key(&text(&second["key"]));
    let urls = SignedByKey::new(stack, &signer, &client).await;
    urls.assert_valid().await;

    stack.add_member(&user, acme, "viewer").await;
    urls.assert_ended("viewer").await;

    stack.add_member(&user, acme, "user").await;
    urls.assert_valid().await;
    let path = format!("/account/api-keys/{}", second["id"]);
    user.client.delete_ok(&path).await;
    urls.assert_ended("revoked").await;
    urls.assert_removed_by_check().await;
}

#[stack_test]
async fn key_of_another_space_or_user_signs_no_upload_url(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = stack.space("Other").await;

    for (name, value) in [
        ("key_id", other.key_id.to_string()),
        ("key_id", "999".to_owned()),
        ("user_id", UserId::MAX.to_string()),
    ] {
        let query = signer.query_with(stack, name, &value);
        signer.send(&query).await.expect_error(403);
    }
}
