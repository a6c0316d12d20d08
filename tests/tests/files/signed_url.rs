//! `POST /files/:id/signed-url`: a URL that gives temporary access to a file.

use std::collections::BTreeMap;

use domain::env::Timestamp;
use reqwest::Url;
use serde_json::{Value, json};
use tests::{
    File, PHOTO, Stack, TestSpace, field_error, field_names, minutes, seconds, stack_test, text,
};

use crate::support::signer::{SigningSecret, canonical_at, hmac_sha256};

fn route(file: &File) -> String {
    format!("{}/signed-url", file.path())
}

/// Uploads the photo with a delivery type.
async fn photo(acme: &TestSpace, delivery_type: &str) -> File {
    let file = acme.upload(PHOTO).await;
    let body = json!({ "type": delivery_type });
    acme.put_ok(file.path(), body).await;
    file
}

/// Requests a signed URL of a file.
async fn signed(acme: &TestSpace, file: &File, body: Value) -> String {
    text(&acme.post_ok(&route(file), body).await["url"])
}

/// Asserts that a URL has the documented signature: with the secret of the space, over the path and
/// all parameters. Returns these.
fn assert_signed(url: &str, file: &File, secret: &str) -> BTreeMap<String, String> {
    let parsed = Url::parse(url).expect("a URL");
    let mut parameters: BTreeMap<_, _> = parsed.query_pairs().into_owned().collect();
    let signature = parameters.remove("signature").expect("a signature");
    let path = format!("/{}", text(&file["storage_path"]));
    let pairs: Vec<_> = parameters.clone().into_iter().collect();

    let expected = hmac_sha256(secret, &canonical_at(&path, &pairs));
    assert_eq!(signature, expected, "{url}");
    assert!(url.starts_with(&file.url_with("")), "{url}");
    assert!(url.ends_with(&format!("&signature={signature}")), "{url}");
    parameters
}

/// Returns bodies of requests, the validity of their URLs in minutes, and the parameters of these
/// in addition to those of the signature.
fn sign_requests() -> [(Value, i64, &'static str); 8] {
    let all = json!({"w": 100, "h": 8192, "r": "fill", "g": "northwest", "f": "webp", "q": 80, "expiration_minutes": 5});
    let all_parameters = "f=webp g=northwest h=8192 q=80 r=fill w=100";
    let ignored = json!({"expiration_minutes": null, "w": null, "colour": "red"});
    let automatic = json!({"g": "auto", "f": "auto", "q": "auto"});
    [
        (json!({}), 60, ""),
        (ignored, 60, ""),
        (json!({"expiration_minutes": 1}), 1, ""),
        (json!({"expiration_minutes": 1440, "w": 1}), 1440, "w=1"),
        (json!({"expiration_minutes": 2.0, "q": 9.0}), 2, "q=9"),
        (all, 5, all_parameters),
        (automatic, 60, "f=auto g=auto q=auto"),
        (json!({"download": false, "q": 100}), 60, "q=100"),
    ]
}

#[stack_test]
async fn signed_url_contains_and_signs_requested_parameters(stack: &Stack, acme: &TestSpace) {
    let viewer = acme.role("viewer").await;
    let file = acme.upload(PHOTO).await;
    let SigningSecret { kid, secret } = SigningSecret::of(acme).await;

    for (body, minutes, expected) in sign_requests() {
        let signed = viewer.post_ok(&route(&file), &body).await;

        let expires = stack.now().seconds() + minutes * 60;
        let expires_at = Timestamp::from_ms(expires * 1_000).rfc3339();
        let url = text(&signed["url"]);
        let expected_body = json!({"url": url, "expires_at": expires_at});
        assert_eq!(signed, expected_body, "{body}");
        let mut parameters = assert_signed(&url, &file, &secret);
        assert_eq!(parameters.remove("kid").as_ref(), Some(&kid));
        assert_eq!(parameters.remove("expires"), Some(expires.to_string()));
        let pairs = parameters.iter();
        let pairs = pairs.map(|(name, value)| format!("{name}={value}"));
        assert_eq!(pairs.collect::<Vec<_>>().join(" "), expected, "{body}");
    }

    let url = signed(acme, &file, json!({"download": true})).await;
    let parameters = assert_signed(&url, &file, &secret);
    assert!(parameters.contains_key("download"), "{url}");
    let saved = stack.anonymous.fetch(&url).await;
    saved.expect_header("content-disposition", "attachment; filename=\"photo.jpg\"");
}

#[stack_test]
async fn signed_url_opens_closed_file_until_expiry(stack: &Stack, acme: &TestSpace) {
    let protected = acme.upload(PHOTO).await;
    acme.set_access(protected.path(), Some(true)).await;
    let anonymous = &stack.anonymous;

    for file in [
        photo(acme, "private").await,
        photo(acme, "authenticated").await,
        protected,
    ] {
        anonymous.get_err(403, file.url()).await;
        let short = acme.sign(&file, minutes(1)).await;
        let default = signed(acme, &file, json!({})).await;
        let long = acme.sign(&file, minutes(1_440)).await;

        let mut passed = 0;
        for (url, validity) in [(short, 60), (default, 3_600), (long, 86_400)] {
            stack.clock.advance(seconds(validity - passed - 1));
            anonymous.fetch(&url).await.expect_body(PHOTO);
            stack.clock.advance(seconds(1));
            anonymous.get_err(403, &url).await;
            passed = validity;
        }
    }
}

#[stack_test]
async fn signed_url_survives_moves_and_ends_with_deletion(stack: &Stack, acme: &TestSpace) {
    let file = photo(acme, "private").await;
    let first = signed(acme, &file, json!({})).await;
    let changes = json!({"original_name": "b.jpg", "type": "authenticated", "folder_id": "root", "tags": ["a"]});
    acme.put_ok(file.path(), changes).await;

    let rotate = format!("{}/signing-secret/rotate", acme.path());
    acme.send(acme.request("POST", &rotate)).await.expect_ok();
    let second = signed(acme, &file, json!({})).await;
    assert!(first.contains("&kid=1&") && second.contains("&kid=2&"));
    for url in [&first, &second] {
        stack.anonymous.fetch(url).await.expect_body(PHOTO);
    }

    // The host is not signed: the custom domain of a space leads to the same files.
    let domain = json!({"name": "Acme", "custom_domain": "assets.example.com"});
    acme.put_ok(&acme.path(), domain).await;
    let at_own_domain = signed(acme, &file, json!({})).await;
    let path = text(&file["storage_path"]);
    let start = format!("https://assets.example.com/{path}?");
    let query = at_own_domain.strip_prefix(&start).expect(&start);
    stack.anonymous.fetch(&file.url_with(query)).await;

    acme.delete_ok(file.path()).await;
    for url in [&first, &second] {
        stack.anonymous.get_err(404, url).await;
    }
    acme.post_err(404, &route(&file), json!({})).await;
    stack.run_purges().await;
}

#[stack_test]
async fn invalid_sign_url_fields_return_422(acme: &TestSpace) {
    let route = route(&acme.upload(PHOTO).await);
    let rejected = async |body: Value| acme.post_err(422, &route, body).await;

    for (field, value) in [
        ("w", json!(8193)),
        ("w", json!(1.5)),
        ("h", json!(0)),
        ("r", json!("stretch")),
        ("g", json!("North")),
        ("f", json!("original")),
        ("q", json!(101)),
        ("q", json!("high")),
        ("width", json!(50)),
        ("W", json!(50)),
        ("H", json!(50)),
        ("Q", json!(50)),
        ("format", json!("webp")),
        ("transformation", json!({"w": 50})),
    ] {
        let errors = rejected(json!({field: value})).await;
        assert_eq!(field_names(&errors), [field], "{value}");
    }

    let minutes = "expiration_minutes";
    for (field, value, end) in [
        (minutes, json!(0), "must be at least 1"),
        (minutes, json!(1441), "must not be greater than 1440"),
        (minutes, json!("60"), "must be an integer"),
        ("download", json!("yes"), "must be true or false"),
    ] {
        let errors = rejected(json!({field: value})).await;
        assert_eq!(errors, field_error(field, end), "{value}");
    }

    let all = json!({"expiration_minutes": 0, "w": 0, "h": 0, "r": "x", "g": "x", "f": "x", "q": 0, "download": "x"});
    let errors = rejected(all.clone()).await;
    assert_eq!(field_names(&errors), field_names(&all));
}
