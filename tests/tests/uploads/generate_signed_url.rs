//! `POST /upload/generate-signed-url`, and the signing secrets of a space and their rotation.

use domain::Timestamp;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Client, Stack, authority, minutes, seconds, stack_test};

use crate::support::signer::{Signer, canonical, hmac_sha256, photo, query, text, with};

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
        let response = signer
            .acme
            .client
            .get(&secret_path(signer))
            .await
            .expect_ok();
        assert_eq!(
            response,
            json!({"kid": "1", "secret": signer.secret, "previous": null})
        );
        assert_eq!(
            stack.account().get(&secret_path(signer)).await.expect_ok(),
            response
        );
        assert!(
            signer.secret.len() == 64 && signer.secret.bytes().all(|byte| byte.is_ascii_hexdigit())
        );
    }

    assert_ne!(one.secret, other.secret);

    other
        .acme
        .client
        .get(&secret_path(&one))
        .await
        .expect_error(404);

    for role in ["user", "admin"] {
        one.acme
            .role(role)
            .await
            .get(&secret_path(&one))
            .await
            .expect_error(403);
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

#[stack_test]
async fn previous_secret_verifies_for_a_day(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let response = rotate(&first).await;
    let second = with_secret(&first, &response);
    assert_ne!(first.secret, second.secret);

    let ends_at = stack
        .admin_environment()
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
    assert_eq!(client.get(&secret_path(&first)).await.expect_ok(), response);

    let generated = client
        .post(
            "/upload/generate-signed-url",
            json!({"upload_config_id": first.config}),
        )
        .await
        .expect_ok();
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

    // A secret verifies only with its key id.
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
        client.get(&secret_path(&first)).await.expect_ok()["previous"],
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
async fn concurrent_rotations_create_distinct_secrets(stack: &Stack) {
    let first = Signer::new(stack, "Acme", json!({})).await;
    let response = join_all((0..3).map(|_| rotate(&first))).await;
    let mut kids: Vec<String> = response
        .iter()
        .map(|response| text(&response["kid"]))
        .collect();

    kids.sort();
    assert_eq!(kids, ["2", "3", "4"]);

    let last = first
        .acme
        .client
        .get(&secret_path(&first))
        .await
        .expect_ok();

    let signer = with_secret(&first, &last);
    assert_eq!(signer.kid, "4");

    signer
        .send(&long_lived_query(stack, &signer))
        .await
        .expect_created();
}

/// Requests a signed URL.
async fn generate(client: &Client, config: &str, fields: Value) -> tests::Response {
    let mut body = json!({"upload_config_id": config});
    body.as_object_mut()
        .expect("an object")
        .extend(fields.as_object().expect("an object").clone());
    client.post("/upload/generate-signed-url", body).await
}

#[stack_test]
async fn signed_url_matches_documented_format(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let user = signer.acme.role("user").await;
    let account = stack.account();
    let host = authority(stack.cloud.api_url());
    let name = "crème & co + 1.jpg";
    let mime = "image/jpeg";

    for (client, fields, minutes, signed_fields) in [
        (&signer.acme.client, json!({}), 30, vec![]),
        (
            &user,
            json!({"expiration_minutes": 1, "filename": name}),
            1,
            vec![("filename", name)],
        ),
        (
            &account,
            json!({"expiration_minutes": null, "filename": "  ", "content_type": null}),
            30,
            vec![],
        ),
        (
            &signer.acme.client,
            json!({"expiration_minutes": 1440, "filename": name, "content_type": mime, "unknown": 1}),
            1440,
            vec![("filename", name), ("content_type", mime)],
        ),
    ] {
        let generated = generate(client, &signer.config.to_lowercase(), fields)
            .await
            .expect_ok();
        let expires = stack.admin_environment().env.now().seconds() + minutes * 60;
        let parameters = with(signer.parameters(stack), "expires", &expires.to_string());
        let parameters = signed_fields
            .iter()
            .fold(parameters, |all, (name, value)| with(all, name, value));
        let canonical = canonical(&parameters);
        let url = format!(
            "http://{host}{canonical}&signature={}",
            hmac_sha256(&signer.secret, &canonical)
        );
        let expected = json!({
            "url": url, "presign_url": url.replace("/upload/signed?", "/upload/signed/presign?"), "method": "POST",
            "expires_at": Timestamp::from_ms(expires * 1_000).rfc3339(), "upload_config_id": signer.config,
            "space_id": signer.acme.id,
        });
        assert_eq!(generated, expected);
        let upload = stack
            .anonymous
            .request("POST", &url)
            .multipart(signer.form(photo()));
        stack.anonymous.send(upload).await.expect_created();
    }
}

#[stack_test]
async fn signed_url_uses_requested_host_and_is_valid_on_any(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let client = &signer.acme.client;
    let request = client
        .request("POST", "/upload/generate-signed-url")
        .header("host", "api.example.com:8443");
    let generated = client
        .send(request.json(&json!({"upload_config_id": signer.config})))
        .await
        .expect_ok();
    let url = text(&generated["url"]);
    let (host, query) = url.split_once("/api/v1/upload/signed?").expect("the path");

    assert_eq!(host, "http://api.example.com:8443");

    signer.send(query).await.expect_created();
}

/// Returns invalid fields and the ends of their error messages.
fn invalid_sign_requests() -> Vec<(Value, Value)> {
    let name = "x".repeat(256);
    let mime = format!("text/{}", "x".repeat(96));

    vec![
        (
            json!({"upload_config_id": null}),
            json!({"upload_config_id": "is required"}),
        ),
        (
            json!({"expiration_minutes": 0}),
            json!({"expiration_minutes": "must be at least 1"}),
        ),
        (
            json!({"expiration_minutes": 1441}),
            json!({"expiration_minutes": "must not be greater than 1440"}),
        ),
        (
            json!({"expiration_minutes": 1.5}),
            json!({"expiration_minutes": "must be an integer"}),
        ),
        (
            json!({"expiration_minutes": "30"}),
            json!({"expiration_minutes": "must be an integer"}),
        ),
        (
            json!({"filename": name, "content_type": mime}),
            json!({
                "filename": "must not be greater than 255 characters",
                "content_type": "must not be greater than 100 characters",
            }),
        ),
        (
            json!({"filename": 1, "content_type": "nonsense"}),
            json!({"filename": "must be a string", "content_type": "format is invalid"}),
        ),
    ]
}

#[stack_test]
async fn invalid_sign_request_reports_errors(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let client = &signer.acme.client;
    let unknown = json!({"upload_config_id": ["The selected upload config id is invalid."]});

    for config in [
        other.config.as_str(),
        "01JCQZ4XK8V9W7Y6T5S4R3Q2P1",
        "nonsense",
        &signer.acme.id,
    ] {
        assert_eq!(
            generate(client, config, json!({})).await.expect_error(422),
            unknown,
            "{config}"
        );
    }

    for (fields, errors) in invalid_sign_requests() {
        let ends = errors.as_object().expect("an object").iter();
        let message = |(field, end): (&String, &Value)| {
            (
                field.clone(),
                json!([format!(
                    "The {} field {}.",
                    field.replace('_', " "),
                    text(end)
                )]),
            )
        };
        let expected: Value = ends.map(message).collect();
        assert_eq!(
            generate(client, &signer.config, fields)
                .await
                .expect_error(422),
            expected
        );
    }

    generate(&signer.acme.role("viewer").await, &signer.config, json!({}))
        .await
        .expect_error(403);
}
