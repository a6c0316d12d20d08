//! Signed URLs: validity, scope, and that no part of them can be changed.

use std::time::Duration;

use domain::Timestamp;
use serde_json::json;
use tests::{PHOTO, Stack, StackOptions, seconds, stack_test, text};

use super::fixture::{CACHED_SECONDS, DeliveryFixture, HOUR_SECONDS, NOT_CACHED, cached};
use super::signers::DeliverySigner;

/// Time for which the previous secret remains valid, in minutes.
const DAY_MINUTES: u64 = 24 * 60;
/// An expiry long after all secrets of these tests.
const LATE_SECONDS: i64 = 99_999_999_999;

/// Returns the signature at the end of a URL.
fn signature_of(address: &str) -> &str {
    address.rsplit_once("&signature=").expect("it is signed").1
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn equivalent_spellings_of_signed_url_are_accepted(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let url = fixture.put_here("private").await.url;
    let expires = fixture.now() + HOUR_SECONDS;
    let signed = fixture
        .signer
        .sign(&url, expires, &[("download", ""), ("v", "a+b é")]);
    let query = signed.split_once('?').expect("a query").1;
    let reversed: Vec<&str> = query.split('&').rev().collect();
    let signature = signature_of(&signed);

    for query in [
        query.to_owned(),
        reversed.join("&"),
        query.replace("download=", "download"),
        format!("&{}&", query.replace('&', "&&")),
        format!(
            "v=a+b%20%c3%a9&%64ownload=&kid=%31&expires={expires}&signature={}",
            signature.to_uppercase()
        ),
    ] {
        for url in [&url, &url.replace("image-", "%69mage%2D")] {
            let response = fixture
                .stack
                .anonymous
                .fetch(&format!("{url}?{query}"))
                .await;
            assert!(response.body == PHOTO, "{query}");
            assert!(
                response
                    .header("content-disposition")
                    .starts_with("attachment"),
                "{query}"
            );
        }
    }
}

/// Returns the query of a signed URL with each of its parts changed, repeated, or extended.
fn changed_queries(signed: &str, expires: i64) -> Vec<String> {
    let query = signed.split_once('?').expect("a query").1;
    let signature = signature_of(signed);
    let expiring = format!("expires={expires}");
    let changes = [
        ("download=&", ""),
        ("download=", "download=1"),
        ("download", "Download"),
        ("&v=a%2Bb", ""),
        ("v=a%2Bb", "v=a%20b"),
        ("v=a%2Bb", "v=a%252Bb"),
        (&expiring, &format!("expires={}", expires + 1)),
        (&expiring, &format!("expires=0{expires}")),
        (&expiring, &format!("expires={expires}.0")),
        (&expiring, "expires="),
        (&format!("{expiring}&"), ""),
        ("kid=1", "kid=2"),
        ("kid=1", "kid=01"),
        ("kid=1&", ""),
        (signature, ""),
        (signature, &signature[..62]),
        (signature, &"0".repeat(64)),
        (signature, &format!("{signature}00")),
        (signature, &format!("%20{signature}")),
    ];

    let replaced = changes.map(|(old, new)| {
        assert!(query.contains(old), "{old} is in {query}");
        query.replacen(old, new, 1)
    });
    let repeated = query.split('&').map(|pair| format!("{query}&{pair}"));
    let extended = ["x=1", "=", "V=a%2Bb", "signature="].map(|pair| format!("{query}&{pair}"));
    replaced
        .into_iter()
        .chain(repeated)
        .chain(extended)
        .collect()
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn changed_signed_url_is_rejected(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let anonymous = &fixture.stack.anonymous;
    let url = fixture.put_here("private").await.url;
    let other = fixture.put_here("private").await.url;
    let public = fixture.put_here("upload").await.url;
    let expires = fixture.now() + HOUR_SECONDS;
    let signed = fixture
        .signer
        .sign(&url, expires, &[("download", ""), ("v", "a+b")]);

    anonymous.fetch(&signed).await;
    let for_other = signed.replacen(&url, &other, 1);
    anonymous.get_err(403, &for_other).await;

    for query in changed_queries(&signed, expires) {
        // A signature must be valid even if none is required.
        for url in [&url, &public] {
            let changed = format!("{url}?{query}");
            anonymous.get_err(403, &changed).await;
            anonymous.head(&changed).await.expect_status(403);
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn max_age_ends_with_signed_url(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let private = fixture.put_here("private").await.url;
    let authenticated = fixture.put_here("authenticated").await.url;
    let public = fixture.put_here("upload").await.url;
    let anonymous = &fixture.stack.anonymous;
    for (remaining, max_age) in [
        (HOUR_SECONDS, 300),
        (301, 300),
        (300, 300),
        (299, 299),
        (2, 2),
        (1, 1),
    ] {
        let signed = |url: &str| fixture.signer.sign(url, fixture.now() + remaining, &[]);
        for url in [&private, &public] {
            let response = anonymous.fetch(&signed(url)).await;
            assert_eq!(
                response.header("cache-control"),
                cached(max_age),
                "{remaining}"
            );
        }
        let response = anonymous.fetch(&signed(&authenticated)).await;
        assert_eq!(response.header("cache-control"), NOT_CACHED, "{remaining}");
    }
    for past in [fixture.now(), fixture.now() - 1, 0, -1, i64::MIN] {
        for url in [&private, &public] {
            anonymous
                .get_err(403, &fixture.signer.sign(url, past, &[]))
                .await;
        }
    }
    for future in [LATE_SECONDS, i64::MAX] {
        for url in [&private, &public] {
            let response = anonymous
                .fetch(&fixture.signer.sign(url, future, &[]))
                .await;
            assert_eq!(
                response.header("cache-control"),
                cached(CACHED_SECONDS),
                "{future}"
            );
        }
    }

    for url in [&private, &public] {
        let signed = fixture.signer.sign(url, fixture.now() + 10, &[]);
        fixture
            .stack
            .clock
            .advance(seconds(9) + Duration::from_millis(999));
        anonymous.fetch(&signed).await;
        fixture.stack.clock.advance(Duration::from_millis(1));
        anonymous.get_err(403, &signed).await;
    }
    anonymous.fetch(&public).await;
}

/// Rotates the secret of the space, and returns a signer with the new one.
async fn rotated(fixture: &DeliveryFixture<'_>) -> DeliverySigner {
    let path = format!("{}/signing-secret/rotate", fixture.space());
    let client = &fixture.acme.client;
    let created = client.send(client.request("POST", &path)).await.expect_ok();
    DeliverySigner {
        kid: text(&created["kid"]),
        secret: text(&created["secret"]),
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn signed_urls_stay_valid_for_a_day_after_rotation(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let url = fixture.put_here("private").await.url;
    let anonymous = &fixture.stack.anonymous;
    let by = |signer: &DeliverySigner| signer.sign(&url, LATE_SECONDS, &[]);
    let first = fixture.signer.clone();
    let second = rotated(&fixture).await;
    assert_eq!((first.kid.as_str(), second.kid.as_str()), ("1", "2"));
    // A signature is valid only with the name of its secret.
    for (kid, secret) in [(&first.kid, &second.secret), (&second.kid, &first.secret)] {
        let mixed = DeliverySigner {
            kid: kid.clone(),
            secret: secret.clone(),
        };
        anonymous.get_err(403, &by(&mixed)).await;
    }
    for good in [&first, &second] {
        anonymous.fetch(&by(good)).await;
    }
    fixture.stack.clock.advance(seconds(DAY_MINUTES * 60 - 1));
    anonymous.fetch(&by(&first)).await;
    fixture.stack.clock.advance(seconds(1));
    anonymous.get_err(403, &by(&first)).await;
    anonymous.fetch(&by(&second)).await;

    // A second rotation ends the oldest secret.
    let third = rotated(&fixture).await;
    let fourth = rotated(&fixture).await;
    anonymous.get_err(403, &by(&second)).await;
    for good in [&third, &fourth] {
        anonymous.fetch(&by(good)).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn api_signed_url_equals_locally_signed_url_and_expires(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let viewer = fixture.acme.role("viewer").await;

    for delivery_type in ["private", "authenticated"] {
        let file = fixture.put_here(delivery_type).await;
        for (body, lifetime_minutes) in [
            (json!({}), 60),
            (json!({"expiration_minutes": 1}), 1),
            (json!({"expiration_minutes": 1_440}), 1_440),
        ] {
            let signed_url = viewer
                .post_ok(&format!("{}/signed-url", file.path), body)
                .await;
            let expires = fixture.now() + lifetime_minutes * 60;
            let expires_at = Timestamp::from_ms(expires * 1_000).rfc3339();
            let expected = json!({"url": fixture.signer.sign(&file.url, expires, &[]), "expires_at": expires_at});
            assert_eq!(signed_url, expected, "{delivery_type}");
            assert!(
                fixture
                    .stack
                    .anonymous
                    .fetch(&text(&signed_url["url"]))
                    .await
                    .body
                    == PHOTO
            );
        }
        let body = json!({"expiration_minutes": 2, "download": true});
        let saved = text(
            &viewer
                .post_ok(&format!("{}/signed-url", file.path), body)
                .await["url"],
        );
        fixture.stack.clock.advance(seconds(119));
        let response = fixture.stack.anonymous.fetch(&saved).await;
        assert!(
            response
                .header("content-disposition")
                .starts_with("attachment"),
            "{saved}"
        );
        fixture.stack.clock.advance(seconds(1));
        fixture.stack.anonymous.get_err(403, &saved).await;
    }
}
