//! The signing secrets of a space, and the API keys in upload URLs: with a secret end the URLs that
//! it signed, of uploads and of files, and with a key its upload URLs and the confirmations of
//! files that they declared.

use domain::id::UserId;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Client, File, PHOTO, Stack, column, minutes, seconds, stack_test, text};

use super::presign::PendingFile;
use crate::support::signer::{Signer, SigningSecret, query};

/// Period in which the previous secret verifies signatures, in minutes.
const DAY_MINUTES: u64 = 24 * 60;
/// The same period in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// An expiry after all secrets, in seconds.
const LATE_SECONDS: i64 = 99_999_999_999;

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

/// A space and a private file in it.
struct Space<'a> {
    stack: &'a Stack,
    first: Signer,
    file: File,
}

impl Space<'_> {
    async fn new(stack: &Stack) -> Space<'_> {
        let first = Signer::new(stack, "Acme", json!({})).await;
        let private = first.acme.upload_config("private");
        private.with_delivery_type("private").await;
        let file = first.acme.upload(PHOTO).with_config("private").await;
        Space { stack, first, file }
    }

    /// Asserts which secrets sign valid URLs, of uploads and of the file.
    async fn assert_valid(&self, expected: &[(&Signer, bool)]) {
        for &(signer, is_valid) in expected {
            let query = signer.query_with(self.stack, "expires", &LATE_SECONDS.to_string());
            let secret = SigningSecret {
                kid: signer.kid.clone(),
                secret: signer.secret.clone(),
            };
            let url = secret.sign(self.file.url(), LATE_SECONDS, &[]);

            let uploaded = signer.send(&query).await;
            uploaded.expect_status(if is_valid { 201 } else { 403 });
            let delivered = self.stack.anonymous.get(&url).await;
            delivered.expect_status(if is_valid { 200 } else { 403 });
        }
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
    let space = Space::new(stack).await;
    let first = &space.first;
    let response = rotate(first, json!({})).await;
    let second = with_secret(first, &response);
    assert_ne!(first.secret, second.secret);

    let ends_at = stack.now().plus_ms(DAY_MS).rfc3339();
    let previous = json!({"kid": "1", "secret": first.secret, "expires_at": ends_at});
    let expected = json!({"kid": "2", "secret": second.secret, "previous": previous});
    assert_eq!(response, expected);
    let client = &first.acme.client;
    assert_eq!(client.get_ok(&secret_path(first)).await, response);

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
    let [one, other] = [mixed(first, &second), mixed(&second, first)];
    space.assert_valid(&[(first, true), (&second, true)]).await;
    space.assert_valid(&[(&one, false), (&other, false)]).await;

    stack.clock.advance(minutes(DAY_MINUTES - 1) + seconds(59));
    space.assert_valid(&[(first, true)]).await;
    stack.clock.advance(seconds(1));
    space.assert_valid(&[(first, false), (&second, true)]).await;
    let current = client.get_ok(&secret_path(first)).await;
    assert_eq!(current["previous"], Value::Null);
}

#[stack_test]
async fn second_rotation_ends_first_secret_at_once(stack: &Stack) {
    let space = Space::new(stack).await;
    let first = &space.first;
    let second = next(first).await;
    let response = rotate(first, json!({})).await;
    let third = with_secret(first, &response);

    assert_eq!(third.kid, "3");
    assert_eq!(response["previous"]["kid"], "2");
    assert_eq!(response["previous"]["secret"], second.secret);
    let expected = [(first, false), (&second, true), (&third, true)];
    space.assert_valid(&expected).await;

    stack.clock.advance(minutes(DAY_MINUTES));
    let expected = [(first, false), (&second, false), (&third, true)];
    space.assert_valid(&expected).await;
}

#[stack_test]
async fn immediate_rotation_ends_all_signed_urls_at_once(stack: &Stack) {
    let space = Space::new(stack).await;
    let first = &space.first;
    let second = next(first).await;
    space.assert_valid(&[(first, true), (&second, true)]).await;

    let response = rotate(first, json!({"immediate": true})).await;

    assert_eq!(response["previous"], Value::Null);
    let third = with_secret(first, &response);
    let expected = [(first, false), (&second, false), (&third, true)];
    space.assert_valid(&expected).await;
}

#[stack_test]
async fn concurrent_rotations_create_distinct_secrets(stack: &Stack) {
    let space = Space::new(stack).await;
    let first = &space.first;

    let responses = join_all((0..3).map(|_| rotate(first, json!({})))).await;

    let mut kids = column(&json!(responses), "kid");
    kids.sort_by_key(Value::to_string);
    assert_eq!(kids, ["2", "3", "4"]);
    let last = with_secret(first, &first.acme.get_ok(&secret_path(first)).await);
    assert_eq!(last.kid, "4");
    space.assert_valid(&[(&last, true)]).await;
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
        let query = signer.generated_query(client, day).await;
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
