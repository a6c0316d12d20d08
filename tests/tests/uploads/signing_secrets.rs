//! The signing secrets of a space, and their rotation.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, minutes, seconds, stack_test, text};

use crate::support::signer::{Signer, query, with};

/// Period in which the previous secret verifies signatures, in minutes.
const DAY_MINUTES: u64 = 24 * 60;
/// The same period in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

fn secret_path(signer: &Signer) -> String {
    format!("/spaces/{}/signing-secret", signer.acme.id)
}

/// Rotates the signing secret of a space, and returns the response.
async fn rotate(signer: &Signer) -> Value {
    let client = &signer.acme.client;
    client
        .send(client.request("POST", &format!("{}/rotate", secret_path(signer))))
        .await
        .expect_ok()
}

/// Returns a signer with the secret of a response.
fn with_secret(signer: &Signer, response: &Value) -> Signer {
    Signer {
        kid: text(&response["kid"]),
        secret: text(&response["secret"]),
        ..signer.clone()
    }
}

/// Returns the query of a signed URL that expires after all secrets.
fn long_lived_query(stack: &Stack, signer: &Signer) -> String {
    query(&signer.signed(with(signer.parameters(stack), "expires", "99999999999")))
}

#[stack_test]
async fn signing_secret_is_unique_per_space(stack: &Stack) {
    let one = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;

    for signer in [&one, &other] {
        let response = signer.acme.get_ok(&secret_path(signer)).await;
        assert_eq!(
            response,
            json!({"kid": "1", "secret": signer.secret, "previous": null})
        );
        assert_eq!(stack.account().get_ok(&secret_path(signer)).await, response);
        assert!(
            signer.secret.len() == 64 && signer.secret.bytes().all(|byte| byte.is_ascii_hexdigit())
        );
    }

    assert_ne!(one.secret, other.secret);

    other.acme.get_err(404, &secret_path(&one)).await;

    for role in ["user", "admin"] {
        one.acme
            .role(role)
            .await
            .get_err(403, &secret_path(&one))
            .await;
    }

    // The table contains no secret in plain text.
    for (key, item) in &stack.dump().await.items {
        let stored = format!("{key:?} {item}");
        assert!(
            !stored.contains(&one.secret) && !stored.contains(&other.secret),
            "{stored}"
        );
    }
}

async fn assert_secrets_verify_only_with_own_key_id(
    stack: &Stack,
    first: &Signer,
    second: &Signer,
) {
    for (kid, secret) in [(&first.kid, &second.secret), (&second.kid, &first.secret)] {
        let mixed = Signer {
            kid: kid.clone(),
            secret: secret.clone(),
            ..first.clone()
        };

        mixed
            .send(&long_lived_query(stack, &mixed))
            .await
            .expect_error(403);
    }
}

#[stack_test]
async fn previous_secret_verifies_for_a_day(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let response = rotate(&first).await;
    let second = with_secret(&first, &response);
    assert_ne!(first.secret, second.secret);

    let ends_at = stack
        .unrestricted_context()
        .env
        .now()
        .plus_ms(DAY_MS)
        .rfc3339();
    let previous = json!({"kid": "1", "secret": first.secret, "expires_at": ends_at});
    assert_eq!(
        response,
        json!({"kid": "2", "secret": second.secret, "previous": previous})
    );

    let client = &first.acme.client;
    assert_eq!(client.get_ok(&secret_path(&first)).await, response);

    let generated = client
        .post_ok(
            "/upload/generate-signed-url",
            json!({"upload_config_id": first.config}),
        )
        .await;
    let expected = query(&second.signed(second.parameters(stack)));
    let signature = expected.rsplit_once("signature=").expect("it is signed").1;
    assert!(
        text(&generated["url"]).ends_with(signature),
        "the current secret signs"
    );

    first
        .send(&long_lived_query(stack, &first))
        .await
        .expect_created();
    second
        .send(&long_lived_query(stack, &second))
        .await
        .expect_created();

    assert_secrets_verify_only_with_own_key_id(stack, &first, &second).await;

    stack.clock.advance(minutes(DAY_MINUTES - 1));
    stack.clock.advance(seconds(59));
    first
        .send(&long_lived_query(stack, &first))
        .await
        .expect_created();
    stack.clock.advance(seconds(1));
    first
        .send(&long_lived_query(stack, &first))
        .await
        .expect_error(403);
    second
        .send(&long_lived_query(stack, &second))
        .await
        .expect_created();
    assert_eq!(
        client.get_ok(&secret_path(&first)).await["previous"],
        Value::Null
    );
}

#[stack_test]
async fn second_rotation_ends_first_secret_at_once(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let second = with_secret(&first, &rotate(&first).await);
    let response = rotate(&first).await;
    let third = with_secret(&first, &response);

    assert_eq!(
        (&response["kid"], &response["previous"]["kid"]),
        (&json!("3"), &json!("2"))
    );
    assert_eq!(response["previous"]["secret"], second.secret);

    first
        .send(&long_lived_query(stack, &first))
        .await
        .expect_error(403);

    second
        .send(&long_lived_query(stack, &second))
        .await
        .expect_created();
    third
        .send(&long_lived_query(stack, &third))
        .await
        .expect_created();
    stack.clock.advance(minutes(DAY_MINUTES));

    for expired in [&first, &second] {
        expired
            .send(&long_lived_query(stack, expired))
            .await
            .expect_error(403);
    }

    third
        .send(&long_lived_query(stack, &third))
        .await
        .expect_created();
}

#[stack_test]
async fn immediate_rotation_ends_all_signed_urls_at_once(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let acme = &first.acme;
    let private = acme.upload_config("private").with_delivery_type("private");
    private.await;
    let file = acme.upload(PHOTO).with_config("private").await;
    let delivery_url = acme.sign(&file, minutes(10)).await;
    let second = with_secret(&first, &rotate(&first).await);
    stack.anonymous.fetch(&delivery_url).await;

    let path = format!("{}/rotate", secret_path(&first));
    let immediate = json!({"immediate": true});
    let response = acme.post_ok(&path, immediate).await;

    assert_eq!(response["previous"], Value::Null);
    stack.anonymous.get_err(403, &delivery_url).await;
    for signer in [&first, &second] {
        let query = long_lived_query(stack, signer);
        signer.send(&query).await.expect_error(403);
    }
    let third = with_secret(&first, &response);
    let query = long_lived_query(stack, &third);
    third.send(&query).await.expect_created();
}

#[stack_test]
async fn concurrent_rotations_create_distinct_secrets(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let response = join_all((0..3).map(|_| rotate(&first))).await;
    let mut kids: Vec<String> = response
        .iter()
        .map(|response| text(&response["kid"]))
        .collect();

    kids.sort();
    assert_eq!(kids, ["2", "3", "4"]);

    let last = first.acme.get_ok(&secret_path(&first)).await;

    let signer = with_secret(&first, &last);
    assert_eq!(signer.kid, "4");

    signer
        .send(&long_lived_query(stack, &signer))
        .await
        .expect_created();
}
