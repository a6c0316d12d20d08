//! `POST /upload/generate-signed-url`.

use domain::Timestamp;
use serde_json::{Value, json};
use tests::{Client, Stack, UNKNOWN_ID, authority, stack_test, text};

use crate::support::signer::{Parameters, Signer, canonical, hmac_sha256, photo, with};

/// Requests a signed URL.
async fn generate(client: &Client, config: &str, fields: Value) -> tests::Response {
    let mut body = json!({"upload_config_id": config});
    body.as_object_mut()
        .expect("an object")
        .extend(fields.as_object().expect("an object").clone());
    client.post("/upload/generate-signed-url", body).await
}

/// Replaces the key among the parameters of a URL by the key of a client.
async fn with_key_of(client: &Client, parameters: Parameters) -> Parameters {
    let account = client.get_ok("/account").await;
    let parameters = with(parameters, "key_id", &account["key"]["id"].to_string());
    match account["user_id"].as_str() {
        Some(user) => with(parameters, "user_id", user),
        None => parameters,
    }
}

#[stack_test]
async fn signed_url_matches_documented_format(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let user = signer.acme.role("user").await;
    let account = stack.account();
    let host = authority(stack.local.api_url());
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
        let expires = stack.now().seconds() + minutes * 60;
        let parameters = with(signer.parameters(stack), "expires", &expires.to_string());
        let parameters = with_key_of(client, parameters).await;
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
            json!({"filename": "must be a string", "content_type": "must be a MIME type, such as image/jpeg"}),
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
        UNKNOWN_ID,
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
