//! The signing secrets of a space, and the API keys in upload URLs: with a secret or a key end the
//! URLs that it signed, with a key also the confirmations of files that they declared.

use domain::id::UserId;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, minutes, seconds, stack_test, text};

use super::presign::PendingFile;
use crate::support::signer::{Signer, query};

/// Period in which the previous secret verifies signatures, in minutes.
const DAY_MINUTES: u64 = 24 * 60;
/// The same period in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn secret_path(signer: &Signer) -> String {
    format!("{}/signing-secret", signer.acme.path())
}

/// Rotates the signing secret of a space, and returns the response.
async fn rotate(signer: &Signer, body: Value) -> Value {
    let path = format!("{}/rotate", secret_path(signer));
    signer.acme.post_ok(&path, body).await
}

/// Returns a signer with the secret of a response.
fn with_secret(signer: &Signer, response: &Value) -> Signer {
    Signer {
        kid: text(&response["kid"]),
        secret: text(&response["secret"]),
        ..signer.clone()
    }
}

/// Returns a signer with the next secret.
async fn next(signer: &Signer) -> Signer {
    with_secret(signer, &rotate(signer, json!({})).await)
}

/// Asserts the status of uploads by signed URLs that expire after all secrets.
async fn assert_uploads(stack: &Stack, expected: &[(&Signer, u16)]) {
    for (signer, status) in expected {
        let query = signer.query_with(stack, "expires", "99999999999");
        signer.send(&query).await.expect_status(*status);
    }
}

#[stack_test]
async fn signing_secret_is_unique_per_space(stack: &Stack) {
    let one = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;

    for signer in [&one, &other] {
        let expected = json!({"kid": "1", "secret": signer.secret, "previous": null});
        for client in [&signer.acme.client, &stack.account()] {
            assert_eq!(client.get_ok(&secret_path(signer)).await, expected);
        }
        let is_hex = signer.secret.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(signer.secret.len() == 64 && is_hex);
    }
    assert_ne!(one.secret, other.secret);

    // The table contains no secret in plain text.
    for (key, item) in &stack.dump().await.items {
        let stored = format!("{key:?} {item}");
        let is_found = [&one, &other].map(|signer| stored.contains(&signer.secret));
        assert_eq!(is_found, [false, false], "{stored}");
    }
}

#[stack_test]
async fn previous_secret_verifies_for_a_day(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let response = rotate(&first, json!({})).await;
    let second = with_secret(&first, &response);
    assert_ne!(first.secret, second.secret);

    let ends_at = stack.now().plus_ms(DAY_MS).rfc3339();
    let previous = json!({"kid": "1", "secret": first.secret, "expires_at": ends_at});
    let expected = json!({"kid": "2", "secret": second.secret, "previous": previous});
    assert_eq!(response, expected);
    let client = &first.acme.client;
    assert_eq!(client.get_ok(&secret_path(&first)).await, response);

    // The current secret signs.
    let generated = first.generate(client, json!({})).await.expect_ok();
    let expected = query(&second.signed(second.parameters(stack)));
    let signature = expected.rsplit_once("signature=").expect("it is signed").1;
    assert!(text(&generated["url"]).ends_with(signature));

    // Each secret verifies only with its own key id.
    let mixed = |kid: &Signer, secret: &Signer| Signer {
        kid: kid.kid.clone(),
        secret: secret.secret.clone(),
        ..first.clone()
    };
    let both_mixed = [mixed(&first, &second), mixed(&second, &first)];
    assert_uploads(stack, &[(&first, 201), (&second, 201)]).await;
    assert_uploads(stack, &both_mixed.each_ref().map(|signer| (signer, 403))).await;

    stack.clock.advance(minutes(DAY_MINUTES - 1) + seconds(59));
    assert_uploads(stack, &[(&first, 201)]).await;
    stack.clock.advance(seconds(1));
    assert_uploads(stack, &[(&first, 403), (&second, 201)]).await;
    let current = client.get_ok(&secret_path(&first)).await;
    assert_eq!(current["previous"], Value::Null);
}

#[stack_test]
async fn second_rotation_ends_first_secret_at_once(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let second = next(&first).await;
    let response = rotate(&first, json!({})).await;
    let third = with_secret(&first, &response);

    assert_eq!(third.kid, "3");
    assert_eq!(response["previous"]["kid"], "2");
    assert_eq!(response["previous"]["secret"], second.secret);
    assert_uploads(stack, &[(&first, 403), (&second, 201), (&third, 201)]).await;

    stack.clock.advance(minutes(DAY_MINUTES));
    assert_uploads(stack, &[(&first, 403), (&second, 403), (&third, 201)]).await;
}

#[stack_test]
async fn immediate_rotation_ends_all_signed_urls_at_once(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let acme = &first.acme;
    let private = acme.upload_config("private").with_delivery_type("private");
    private.await;
    let file = acme.upload(PHOTO).with_config("private").await;
    let delivery_url = acme.sign(&file, minutes(10)).await;
    let second = next(&first).await;
    stack.anonymous.fetch(&delivery_url).await;

    let response = rotate(&first, json!({"immediate": true})).await;

    assert_eq!(response["previous"], Value::Null);
    stack.anonymous.get_err(403, &delivery_url).await;
    let third = with_secret(&first, &response);
    assert_uploads(stack, &[(&first, 403), (&second, 403), (&third, 201)]).await;
}

#[stack_test]
async fn concurrent_rotations_create_distinct_secrets(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;

    let responses = join_all((0..3).map(|_| rotate(&first, json!({})))).await;

    let mut kids: Vec<String> = responses
        .iter()
        .map(|response| text(&response["kid"]))
        .collect();
    kids.sort();
    assert_eq!(kids, ["2", "3", "4"]);
    let last = with_secret(&first, &first.acme.get_ok(&secret_path(&first)).await);
    assert_eq!(last.kid, "4");
    assert_uploads(stack, &[(&last, 201)]).await;
}

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
            response.expect_message("API key that signed");
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
