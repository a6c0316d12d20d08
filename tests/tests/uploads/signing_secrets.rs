//! The signing secrets of a space, and their rotation.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, minutes, seconds, stack_test, text};

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
