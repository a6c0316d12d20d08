//! Unsigned uploads: allowed referrers, and validation of the form.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Stack, TestSpace, file, stack_test};

use super::unsigned::{REFERRER, UnsignedConfig, form, photo};

/// Referrers, and whether the patterns of the test allow them.
const REFERRERS: [(&str, bool); 34] = [
    ("https://example.com/", true),
    ("https://example.com", true),
    ("http://example.com/page?x=1", true),
    ("https://EXAMPLE.com/", true),
    ("HTTPS://example.com/", true),
    ("https://example.com:8443/page", true),
    ("https://www.shop.example/", true),
    ("https://a.b.Shop.example/", true),
    ("https://xn--bcher-kva.example/", true),
    ("https://XN--BCHER-KVA.example:444/", true),
    ("http://intranet/", true),
    ("http://192.0.2.7:3000/", true),
    ("http://[2001:db8::7]/", true),
    ("https://www.example.com/", false),
    ("https://shop.example/", false),
    ("https://evilshop.example/", false),
    ("https://.shop.example/", false),
    ("https://example.com.evil.org/", false),
    ("https://evilexample.com/", false),
    ("https://example.com-evil.org/", false),
    ("https://evil.org/https://example.com/", false),
    ("https://evil.org?https://example.com/", false),
    ("https://evil.org#@example.com/", false),
    ("https://example.com@evil.org/", false),
    ("https://evil.org@example.com/", false),
    ("https://:@example.com/", false),
    ("https://evil.org\\@example.com/", false),
    ("https:\\\\example.com/", false),
    // A Cyrillic letter instead of a Latin one, in punycode and in UTF-8.
    ("https://xn--xample-2of.com/", false),
    ("https://\u{435}xample.com/", false),
    // Browsers send punycode.
    ("https://b\u{fc}cher.example/", false),
    ("ftp://example.com/", false),
    ("example.com", false),
    ("", false),
];

#[stack_test]
async fn unsigned_uploads_require_allowed_referrer(stack: &Stack, acme: &TestSpace) {
    let patterns = [
        "Example.com",
        "*.shop.example",
        "bücher.example",
        "intranet",
        "192.0.2.7",
        "[2001:db8::7]",
    ];
    let unsigned = UnsignedConfig::for_referrers(stack, acme, &patterns, false).await;

    for (referrer, is_allowed) in REFERRERS {
        let sent = unsigned.send_with(referrer.as_bytes(), &[], form(photo()));
        let response = sent.await.with_context(referrer);
        if is_allowed {
            response.expect_created();
        } else {
            assert_eq!(response.expect_error(403), json!({}), "{referrer:?}");
        }
    }

    let absent = stack.anonymous.request("POST", &unsigned.path);
    let absent = absent.multipart(form(photo()));
    stack.anonymous.send(absent).await.expect_error(403);
    let origin = stack.anonymous.request("POST", &unsigned.path);
    let origin = origin.header("origin", "https://example.com");
    let origin = origin.multipart(form(photo()));
    stack.anonymous.send(origin).await.expect_error(403);

    let allowed = REFERRERS.iter().filter(|(_, is_allowed)| *is_allowed);
    assert_eq!(stack.dump().await.objects.len(), allowed.count());
}

#[stack_test]
async fn require_https_rejects_http_referrers(stack: &Stack, acme: &TestSpace) {
    let hosts = ["example.com", "localhost", "127.0.0.1", "[::1]"];
    let unsigned = UnsignedConfig::for_referrers(stack, acme, &hosts, true).await;

    for (referrer, status) in [
        ("https://example.com/", 201),
        ("http://example.com/", 403),
        ("http://example.com:443/", 403),
        // Loopback hosts do not need HTTPS.
        ("http://localhost:3000/", 201),
        ("http://127.0.0.1:8080/", 201),
        ("http://[::1]/", 201),
    ] {
        let reported = [("x-forwarded-proto", "https"), ("forwarded", "proto=https")];
        let sent = unsigned.send_with(referrer.as_bytes(), &reported, form(photo()));
        sent.await.with_context(referrer).expect_status(status);
    }
}

/// Returns invalid forms and their errors.
fn invalid_forms() -> Vec<(Form, Value)> {
    let required = json!({"file": ["The file field is required."]});
    let file_error = |end: &str| json!({"file": [format!("The file field {end}.")]});
    let two_files = Form::new()
        .part("files[]", photo())
        .part("files[]", photo());
    let text = Form::new().text("file", "hello");
    let twice = form(photo()).part("file", photo());
    let empty = form(file("a.txt", "text/plain", ""));

    vec![
        (Form::new().text("x", "y"), required.clone()),
        (Form::new().part("files", photo()), required.clone()),
        (two_files, required),
        (text, file_error("must be a file")),
        (twice, file_error("must appear only once")),
        (empty, file_error("must not be empty")),
    ]
}

#[stack_test]
async fn unsigned_form_takes_one_valid_file(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let before = stack.dump().await;

    for (form, errors) in invalid_forms() {
        assert_eq!(unsigned.send_form(form).await.expect_error(422), errors);
    }
    let without_size = unsigned.presign(json!({"size": null})).await;
    let errors = json!({"size": ["The size field is required."]});
    assert_eq!(without_size.expect_error(422), errors);
    let request = stack.anonymous.request("POST", &unsigned.path);
    let request = request.header("referer", REFERRER).json(&json!({}));
    stack.anonymous.send(request).await.expect_error(415);

    assert_eq!(stack.dump().await.objects, before.objects);
    unsigned.send().await.expect_created();
}
