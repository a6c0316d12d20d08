//! `POST /upload/unsigned/:spaceHandle/:configName`: anonymous uploads from the referrers that a
//! config allows.

use std::net::Ipv4Addr;

use reqwest::{
    header::HeaderValue,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use table::item_keys;
use tests::{Client, Response, Stack, TestSpace, file, merged, stack_test};

use super::{
    presign::PendingFile,
    routes::{Uploads, assert_rejected},
};
use crate::support::signer::{declared_photo, photo};

/// A referrer that the configs of [`UnsignedConfig::new`] allow.
pub(crate) const REFERRER: &str = "https://example.com/";

/// An upload config that allows unsigned uploads, and an anonymous client.
pub(crate) struct UnsignedConfig {
    /// Id of the config.
    pub(crate) config: String,
    /// Path of the upload route.
    pub(crate) path: String,
    pub(crate) anonymous: Client,
}

/// Returns restrictions that allow [`REFERRER`], with a maximum of uploads per hour.
pub(super) fn restrictions(uploads_per_hour: Option<u32>) -> Value {
    json!({
        "allowed_referrers": ["example.com"], "require_https": false, "max_uploads_per_hour": uploads_per_hour,
    })
}

impl UnsignedConfig {
    /// Creates a config that allows [`REFERRER`]. `more` replaces or extends the fields.
    pub(crate) async fn new(
        stack: &Stack,
        acme: &TestSpace,
        name: &str,
        more: Value,
    ) -> UnsignedConfig {
        let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions(None)});
        let config = acme.upload_config(name).with(unsigned).with(more).await;
        UnsignedConfig {
            config: config.id,
            path: format!("/upload/unsigned/{}/{name}", acme.handle),
            anonymous: stack.anonymous.clone(),
        }
    }

    /// Creates a config with a maximum of uploads per hour.
    pub(crate) async fn with_hourly_limit(
        stack: &Stack,
        acme: &TestSpace,
        name: &str,
        limit: u32,
    ) -> UnsignedConfig {
        let fields = json!({"unsigned_restrictions": restrictions(Some(limit))});
        UnsignedConfig::new(stack, acme, name, fields).await
    }

    /// Returns the same config for a client at another address of the loopback network.
    pub(crate) fn at_address(&self, last: u8) -> UnsignedConfig {
        UnsignedConfig {
            config: self.config.clone(),
            path: self.path.clone(),
            anonymous: self.anonymous.at_address(Ipv4Addr::new(127, 0, 0, last)),
        }
    }

    /// Uploads a form from a referrer, with more headers.
    pub(crate) async fn send_with(
        &self,
        referrer: &[u8],
        headers: &[(&str, &str)],
        form: Form,
    ) -> Response {
        let referrer = HeaderValue::from_bytes(referrer).expect("a header");
        let request = self.anonymous.request("POST", &self.path);
        let mut request = request.header("referer", referrer);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.anonymous.send(request.multipart(form)).await
    }

    /// Uploads a form from [`REFERRER`].
    pub(crate) async fn send_form(&self, form: Form) -> Response {
        self.send_with(REFERRER.as_bytes(), &[], form).await
    }

    /// Uploads the photo from [`REFERRER`].
    pub(crate) async fn send(&self) -> Response {
        self.send_form(form(photo())).await
    }

    /// Uploads a form with an idempotency key.
    pub(crate) async fn send_with_key(&self, key: &str, form: Form) -> Response {
        let headers = [("idempotency-key", key)];
        self.send_with(REFERRER.as_bytes(), &headers, form).await
    }

    /// Presigns an upload of the photo. `more` replaces or extends the fields.
    pub(crate) async fn presign(&self, more: Value) -> Response {
        let path = format!("{}/presign", self.path);
        let request = self.anonymous.request("POST", &path);
        let request = request.header("referer", REFERRER);
        let body = merged(declared_photo(), more);
        self.anonymous.send(request.json(&body)).await
    }

    /// Presigns an upload of the photo, and returns the pending file.
    pub(crate) async fn pending(&self, more: Value) -> PendingFile {
        PendingFile::of(self.presign(more).await)
    }
}

pub(crate) fn form(file: Part) -> Form {
    Form::new().part("file", file)
}

#[stack_test]
async fn config_without_unsigned_uploads_returns_404_and_counts_nothing(
    stack: &Stack,
    acme: &TestSpace,
    elsewhere: &TestSpace,
) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let closed = json!({"allow_unsigned": false});
    UnsignedConfig::new(stack, acme, "closed", closed.clone()).await;
    let shut = UnsignedConfig::new(stack, acme, "shut", json!({})).await;
    acme.update_upload_config(&shut.config, closed).await;
    let before = stack.dump().await;

    for (handle, config, status) in [
        ("zzzzzz", "open", 404),
        ("nonsense", "open", 404),
        (&acme.handle.to_uppercase(), "open", 404),
        (&acme.id, "open", 404),
        (&elsewhere.handle, "open", 403),
        (&acme.handle, "nothing", 403),
        (&acme.handle, "Open", 403),
        (&acme.handle, "a%20b", 403),
        (&acme.handle, "starter", 403),
        (&acme.handle, &unsigned.config, 403),
        (&acme.handle, "closed", 403),
        (&acme.handle, "shut", 403),
    ] {
        let unknown = UnsignedConfig {
            config: String::new(),
            path: format!("/upload/unsigned/{handle}/{config}"),
            anonymous: stack.anonymous.clone(),
        };
        for response in [unknown.send().await, unknown.presign(json!({})).await] {
            response.expect_header("x-ratelimit-limit", "");
            assert_eq!(response.expect_error(status), json!({}), "{config}");
        }
    }

    // Rejected requests create neither files nor counters.
    stack.assert_unchanged(&before, "unknown paths").await;
    unsigned.send().await.expect_created();
    let after = stack.dump().await;
    let counters = after.items_with_prefix(item_keys::RATE_COUNTERS);
    assert_eq!(counters.count(), 1, "accepted uploads count");
}

/// Referrers, and whether the patterns of the test allow them.
const REFERRERS: [(&str, bool); 15] = [
    ("https://example.com", true),
    ("http://example.com/page?x=1", true),
    ("HTTPS://EXAMPLE.com:8443/page", true),
    ("https://a.b.Shop.example/", true),
    ("https://XN--BCHER-KVA.example:444/", true),
    ("http://intranet/", true),
    ("http://192.0.2.7:3000/", true),
    ("http://[2001:db8::7]/", true),
    ("https://shop.example/", false),
    ("https://example.com.evil.org/", false),
    ("https://evil.org#@example.com/", false),
    ("https://:@example.com/", false),
    // A Cyrillic letter instead of a Latin one, in punycode.
    ("https://xn--xample-2of.com/", false),
    // Browsers send punycode.
    ("https://b\u{fc}cher.example/", false),
    ("", false),
];

#[stack_test]
async fn unsigned_uploads_require_allowed_referrer(stack: &Stack, acme: &TestSpace) {
    let patterns = "Example.com *.shop.example bücher.example intranet 192.0.2.7 [2001:db8::7]";
    let patterns: Vec<&str> = patterns.split(' ').collect();
    let restrictions = json!({"allowed_referrers": patterns, "require_https": false});
    let fields = json!({ "unsigned_restrictions": restrictions });
    let unsigned = UnsignedConfig::new(stack, acme, "open", fields).await;

    for (referrer, is_allowed) in REFERRERS {
        let sent = unsigned.send_with(referrer.as_bytes(), &[], form(photo()));
        let response = sent.await.with_context(referrer);
        if is_allowed {
            response.expect_created();
        } else {
            assert_eq!(response.expect_error(403), json!({}), "{referrer:?}");
        }
    }

    // An origin is no referrer.
    for header in ["origin", "x-other"] {
        let request = stack.anonymous.request("POST", &unsigned.path);
        let request = request.header(header, "https://example.com");
        let sent = stack.anonymous.send(request.multipart(form(photo())));
        sent.await.expect_error(403);
    }

    let allowed = REFERRERS.iter().filter(|(_, is_allowed)| *is_allowed);
    assert_eq!(stack.dump().await.objects.len(), allowed.count());
}

#[stack_test]
async fn require_https_rejects_http_referrers(stack: &Stack, acme: &TestSpace) {
    let hosts = ["example.com", "localhost", "127.0.0.1", "[::1]"];
    let restrictions = json!({"allowed_referrers": hosts, "require_https": true});
    let fields = json!({ "unsigned_restrictions": restrictions });
    let unsigned = UnsignedConfig::new(stack, acme, "open", fields).await;

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

#[stack_test]
async fn form_takes_one_file(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let query = uploads.signer.query(stack);
    let files = || Form::new().part("files", photo());
    let text = || Form::new().text("file", "hello");
    let twice = || form(photo()).part("file", photo());
    let empty = || form(file("a.txt", "text/plain", ""));

    let cases: [(&dyn Fn() -> Form, &str); 4] = [
        (&files, "is required"),
        (&text, "must be a file"),
        (&twice, "must appear only once"),
        (&empty, "must not be empty"),
    ];
    for (form, error_end) in cases {
        let signed = uploads.signer.send_form(&query, form()).await;
        assert_rejected(signed, error_end);
        let unsigned = uploads.unsigned.send_form(form()).await;
        assert_rejected(unsigned, error_end);
        // Requests with a key may have several files.
        if error_end != "is required" {
            let with_key = form().text("space", acme.handle.clone());
            assert_rejected(acme.upload_form(with_key).await, error_end);
        }
    }
    let request = stack.anonymous.request("POST", &uploads.unsigned.path);
    let request = request.header("referer", REFERRER).json(&json!({}));
    stack.anonymous.send(request).await.expect_error(415);

    assert!(stack.dump().await.objects.is_empty());
}
