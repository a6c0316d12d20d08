//! Signatures by Standard Webhooks, computed by the specification alone, and rotation of the
//! secret.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use tests::{PHOTO, ReceivedWebhook, Stack, TestSpace, minutes, seconds, stack_test, text};

use super::fixture::Hooks;
use crate::support::signer::hmac_sha256_of_bytes;

/// Period in which the previous secret signs, in minutes.
const DAY_MINUTES: u64 = 24 * 60;

fn secret_path(acme: &TestSpace) -> String {
    format!("{}/webhook-secret", acme.path())
}

async fn secret(acme: &TestSpace) -> Value {
    acme.get_ok(&secret_path(acme)).await
}

async fn rotate(acme: &TestSpace) -> Value {
    let path = format!("{}/rotate", secret_path(acme));
    let request = acme.request("POST", &path);
    acme.send(request).await.expect_ok()
}

/// Returns the signature of a webhook with a secret.
fn signature(webhook: &ReceivedWebhook, secret: &Value) -> String {
    let encoded = text(secret);
    let encoded = encoded.strip_prefix("whsec_").expect("a webhook secret");
    let key = BASE64_STANDARD.decode(encoded).expect("base64");
    let body = std::str::from_utf8(&webhook.body).expect("UTF-8");
    let content = format!(
        "{}.{}.{body}",
        webhook.header("webhook-id"),
        webhook.header("webhook-timestamp")
    );
    let mac = hmac_sha256_of_bytes(&key, &content);
    format!("v1,{}", BASE64_STANDARD.encode(mac))
}

/// Uploads the photo and returns its webhook.
async fn next_webhook(stack: &Stack, hooks: &Hooks) -> ReceivedWebhook {
    hooks.acme.upload(PHOTO).await;
    stack.run_post_upload().await;
    hooks.receiver.received().pop().expect("a webhook")
}

#[stack_test]
async fn secret_is_unique_per_space_and_visible_to_owners_only(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let other = stack.space("Other").await;
    let own = secret(&hooks.acme).await;

    assert_eq!(own["previous"], Value::Null);
    assert_ne!(own["secret"], secret(&other).await["secret"]);
    let path = secret_path(&hooks.acme);
    other.get_err(404, &path).await;
    let admin = hooks.acme.role("admin").await;
    admin.get_err(403, &path).await;
    let rotate = format!("{path}/rotate");
    admin.post_err(403, &rotate, json!({})).await;

    let stored = format!("{:?}", stack.dump().await.items);
    assert!(!stored.contains(&text(&own["secret"])));
}

#[stack_test]
async fn webhook_is_signed_with_the_current_secret(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let webhook = next_webhook(stack, &hooks).await;

    let now_seconds = stack.now().seconds().to_string();
    assert_eq!(webhook.header("webhook-timestamp"), now_seconds);
    let secret = secret(&hooks.acme).await;
    let expected = signature(&webhook, &secret["secret"]);
    assert_eq!(webhook.header("webhook-signature"), expected);
}

#[stack_test]
async fn rotated_secrets_both_sign_for_a_day(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let first = secret(&hooks.acme).await;
    let rotated = rotate(&hooks.acme).await;
    assert_eq!(rotated["previous"]["secret"], first["secret"]);
    assert_ne!(rotated["secret"], first["secret"]);
    assert_eq!(secret(&hooks.acme).await, rotated);

    stack.clock.advance(minutes(DAY_MINUTES - 1));
    stack.clock.advance(seconds(59));
    let webhook = next_webhook(stack, &hooks).await;
    let both = [&rotated["secret"], &first["secret"]].map(|secret| signature(&webhook, secret));
    assert_eq!(webhook.header("webhook-signature"), both.join(" "));

    stack.clock.advance(seconds(1));
    let webhook = next_webhook(stack, &hooks).await;
    let current = signature(&webhook, &rotated["secret"]);
    assert_eq!(webhook.header("webhook-signature"), current);
    assert_eq!(secret(&hooks.acme).await["previous"], Value::Null);
}
