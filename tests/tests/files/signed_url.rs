//! `POST /files/:id/signed-url`: a URL that gives temporary access to a file.

use std::collections::BTreeMap;

use domain::Timestamp;
use reqwest::Url;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, minutes, seconds, stack_test, text};

use crate::support::signer::{SigningSecret, canonical_at, hmac_sha256};

const MS_PER_SECOND: i64 = 1_000;

fn route(file: &Value) -> String {
    format!("/files/{}/signed-url", text(&file["id"]))
}

/// Uploads the photo with a delivery type.
async fn photo(acme: &TestSpace, delivery_type: &str) -> Value {
    let path = format!("/files/{}", text(&acme.upload(PHOTO).await["id"]));
    acme.put_ok(&path, json!({"type": delivery_type})).await
}

/// Requests a signed URL of a file.
async fn signed(acme: &TestSpace, file: &Value, body: Value) -> String {
    text(&acme.post_ok(&route(file), body).await["url"])
}

/// Returns the decoded parameters of a URL.
fn parameters(url: &str) -> BTreeMap<String, String> {
    Url::parse(url)
        .expect("an address")
        .query_pairs()
        .into_owned()
        .collect()
}

/// Asserts that a URL has the documented signature: with the secret of the space, over the path and
/// all parameters.
fn assert_signed(url: &str, file: &Value, secret: &str) {
    let mut specified = parameters(url);
    let signature = specified.remove("signature").expect("a signature");
    let path = format!("/{}", text(&file["storage_path"]));

    assert_eq!(
        signature,
        hmac_sha256(
            secret,
            &canonical_at(&path, &specified.into_iter().collect::<Vec<_>>())
        ),
        "{url}"
    );
    assert!(
        url.starts_with(&format!("{}?", text(&file["url"]))),
        "{url}"
    );
    assert!(url.ends_with(&format!("&signature={signature}")), "{url}");
}

/// The body of a request for a signed URL, and the parameters of the URL.
struct SignRequest {
    body: Value,
    /// Validity of the URL.
    minutes: i64,
    /// Parameters in addition to those of the signature.
    parameters: &'static [(&'static str, &'static str)],
}

fn sign_requests() -> Vec<SignRequest> {
    let all = json!({"w": 100, "h": 8192, "r": "fill", "g": "northwest", "f": "webp", "q": 80, "expiration_minutes": 5});
    let request = |body, minutes, parameters| SignRequest {
        body,
        minutes,
        parameters,
    };

    vec![
        request(json!({}), 60, &[]),
        request(
            json!({"expiration_minutes": null, "w": null, "colour": "red"}),
            60,
            &[],
        ),
        request(json!({"expiration_minutes": 1}), 1, &[]),
        request(
            json!({"expiration_minutes": 1440, "w": 1}),
            1440,
            &[("w", "1")],
        ),
        request(
            all,
            5,
            &[
                ("w", "100"),
                ("h", "8192"),
                ("r", "fill"),
                ("g", "northwest"),
                ("f", "webp"),
                ("q", "80"),
            ],
        ),
        request(
            json!({"g": "auto", "f": "auto", "q": "auto"}),
            60,
            &[("g", "auto"), ("f", "auto"), ("q", "auto")],
        ),
        request(json!({"download": false, "q": 100}), 60, &[("q", "100")]),
    ]
}

#[stack_test]
async fn signed_url_contains_and_signs_requested_parameters(stack: &Stack, acme: &TestSpace) {
    let viewer = acme.role("viewer").await;
    let file = acme.upload(PHOTO).await;
    let secret = SigningSecret::of(acme).await;

    for SignRequest {
        body,
        minutes,
        parameters: expected,
    } in sign_requests()
    {
        let signed = viewer.post_ok(&route(&file), body.clone()).await;

        let expires = stack.now().seconds() + minutes * 60;
        let expires_at = Timestamp::from_ms(expires * MS_PER_SECOND).rfc3339();
        assert_eq!(
            signed,
            json!({"url": signed["url"], "expires_at": expires_at}),
            "{body}"
        );

        let url = text(&signed["url"]);
        assert_signed(&url, &file, &secret.secret);
        let mut signed_parameters = parameters(&url);
        assert!(signed_parameters.remove("signature").is_some());
        let expires = expires.to_string();
        let of_signature = [("kid", secret.kid.as_str()), ("expires", &expires)];
        let expected: BTreeMap<_, _> = expected
            .iter()
            .chain(&of_signature)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(signed_parameters, expected, "{body}");
    }
}

#[stack_test]
async fn signed_url_with_download_serves_attachment(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let secret = SigningSecret::of(acme).await;

    let url = signed(acme, &file, json!({"download": true})).await;

    assert_signed(&url, &file, &secret.secret);
    assert!(parameters(&url).contains_key("download"), "{url}");
    let response = stack.anonymous.fetch(&url).await;
    assert_eq!(
        response.header("content-disposition"),
        "attachment; filename=\"photo.jpg\""
    );
}

#[stack_test]
async fn signed_url_opens_closed_file_until_expiry(stack: &Stack, acme: &TestSpace) {
    let protected = acme.upload(PHOTO).await;
    let access = json!({"access_control": {"requires_auth": true}});
    let path = format!("/files/{}/access-control", text(&protected["id"]));
    let protected = acme.put_ok(&path, access).await;

    for file in [
        photo(acme, "private").await,
        photo(acme, "authenticated").await,
        protected,
    ] {
        stack.anonymous.get_err(403, &text(&file["url"])).await;
        let default = signed(acme, &file, json!({})).await;
        let short = acme.sign(&file, minutes(1)).await;
        let long = acme.sign(&file, minutes(1_440)).await;
        let is_valid = async |url: &str| stack.anonymous.fetch(url).await.body == PHOTO;
        assert!(is_valid(&default).await && is_valid(&short).await && is_valid(&long).await);
        stack.clock.advance(seconds(59));
        assert!(is_valid(&short).await);
        stack.clock.advance(seconds(1));
        stack.anonymous.get_err(403, &short).await;
        stack.clock.advance(minutes(58) + seconds(59));
        assert!(is_valid(&default).await);
        stack.clock.advance(seconds(1));
        stack.anonymous.get_err(403, &default).await;
        assert!(is_valid(&long).await);
        stack.clock.advance(minutes(23 * 60));
        stack.anonymous.get_err(403, &long).await;
    }
}

#[stack_test]
async fn signed_url_survives_moves_and_ends_with_deletion(stack: &Stack, acme: &TestSpace) {
    let file = photo(acme, "private").await;
    let first = signed(acme, &file, json!({})).await;
    let changes = json!({"original_name": "b.jpg", "type": "authenticated", "folder_id": "root", "tags": ["a"]});
    acme.put_ok(&format!("/files/{}", text(&file["id"])), changes)
        .await;
    stack.anonymous.fetch(&first).await;

    let rotate = format!("/spaces/{}/signing-secret/rotate", acme.id);
    acme.send(acme.request("POST", &rotate)).await.expect_ok();
    let second = signed(acme, &file, json!({})).await;
    assert_eq!(
        (
            parameters(&first)["kid"].as_str(),
            parameters(&second)["kid"].as_str()
        ),
        ("1", "2")
    );
    for url in [&first, &second] {
        assert!(stack.anonymous.fetch(url).await.body == PHOTO);
    }

    // The host is not signed: the custom domain of a space leads to the same files.
    let domain = json!({"name": "Acme", "custom_domain": "assets.example.com"});
    acme.put_ok(&acme.path(), domain).await;
    let at_own_domain = signed(acme, &file, json!({})).await;
    let path = text(&file["storage_path"]);
    let start = format!("https://assets.example.com/{path}?");
    let query = at_own_domain
        .strip_prefix(&start)
        .unwrap_or_else(|| panic!("{at_own_domain}"));
    stack
        .anonymous
        .fetch(&format!("{}?{query}", text(&file["url"])))
        .await;

    acme.delete_ok(&format!("/files/{}", text(&file["id"])))
        .await;
    for url in [&first, &second] {
        stack.anonymous.get_err(404, url).await;
    }
    acme.post_err(404, &route(&file), json!({})).await;
    stack.run_purges().await;
}

#[stack_test]
async fn invalid_sign_url_fields_return_422(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    for (field, value) in [
        ("w", json!(0)),
        ("w", json!(-1)),
        ("w", json!(8193)),
        ("w", json!(1.5)),
        ("w", json!([100])),
        ("h", json!(0)),
        ("h", json!(8193)),
        ("h", json!("many")),
        ("r", json!("stretch")),
        ("r", json!(5)),
        ("g", json!("up")),
        ("g", json!("North")),
        ("f", json!("bmp")),
        ("f", json!("original")),
        ("q", json!(0)),
        ("q", json!(101)),
        ("q", json!("high")),
        ("width", json!(50)),
        ("format", json!("webp")),
        ("transformation", json!({"w": 50})),
    ] {
        let response = acme.post(&route(&file), json!({field: value})).await;
        let errors = response.expect_error(422);
        assert!(errors[field].is_array(), "{field} {value}: {errors}");
        assert_eq!(error_count(&errors), 1, "{field} {value}: {errors}");
    }

    for (field, value, end) in [
        ("expiration_minutes", json!(0), "must be at least 1"),
        (
            "expiration_minutes",
            json!(1441),
            "must not be greater than 1440",
        ),
        ("expiration_minutes", json!(1.5), "must be an integer"),
        ("expiration_minutes", json!("60"), "must be an integer"),
        ("download", json!("yes"), "must be true or false"),
    ] {
        let response = acme.post(&route(&file), json!({field: value})).await;
        let message = format!("The {} field {end}.", field.replace('_', " "));
        assert_eq!(
            response.expect_error(422),
            json!({field: [message]}),
            "{value}"
        );
    }
}

#[stack_test]
async fn sign_url_request_reports_all_errors_together(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let all = json!({"expiration_minutes": 0, "w": 0, "h": 0, "r": "x", "g": "x", "f": "x", "q": 0, "download": "x"});

    let errors = acme.post_err(422, &route(&file), all).await;

    assert_eq!(error_count(&errors), 8, "{errors}");
}

#[stack_test]
async fn sign_url_request_accepts_integers_in_every_notation(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    for field in ["expiration_minutes", "w", "q"] {
        let response = acme.post(&route(&file), json!({field: 60.0})).await;
        response.expect_ok();
    }
}

#[stack_test]
async fn sign_url_request_for_unknown_file_returns_404(acme: &TestSpace, other: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    for (client, id) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&other.client, &file.id),
    ] {
        let path = format!("/files/{id}/signed-url");
        let response = client.post(&path, json!({})).await;
        assert_eq!(response.expect_error(404), json!({}), "{id}");
    }
}

/// Returns the number of fields with errors.
fn error_count(errors: &Value) -> usize {
    errors.as_object().expect("an object").len()
}
