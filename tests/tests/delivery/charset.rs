//! UTF-8 text is delivered with its charset, on every upload route and from storage too.

use serde_json::json;
use tests::{PHOTO, Stack, StackOptions, TestSpace, stack_test, text};

use crate::uploads::presign::PendingFile;

/// Number of bytes of a pending file that its confirmation reads to detect type and charset.
const BEGINNING_BYTES: usize = 256 << 10;

/// Presigns and confirms an upload, and returns the URL of the file.
async fn confirmed(
    stack: &Stack,
    acme: &TestSpace,
    (name, content_type): (&str, &str),
    bytes: &[u8],
) -> String {
    let fields = json!({"filename": name, "content_type": content_type, "size": bytes.len()});
    let pending_file = PendingFile::create(acme, fields).await;
    let sent = pending_file.send(stack, bytes.to_vec()).await;
    sent.expect_status(200);
    text(&pending_file.confirm(&acme.client).await.expect_ok()["url"])
}

#[stack_test(undrained)]
async fn utf8_text_is_delivered_with_charset(stack: &Stack, acme: &TestSpace) {
    const UTF8: &str = "text/plain; charset=utf-8";
    const HTML: &str = "text/html; charset=utf-8";
    const JSON: &str = "application/json; charset=utf-8";
    for (name, content_type, bytes, delivered) in [
        ("a.txt", "text/plain", "a €".as_bytes(), UTF8),
        ("a.txt", "text/plain; charset=latin1", "€".as_bytes(), UTF8),
        ("a.csv", "text/csv", b"a,b\n", "text/csv; charset=utf-8"),
        (
            "a.json",
            "application/json",
            "{\"a\": \"é\"}".as_bytes(),
            JSON,
        ),
        ("a.html", "text/html", "<p>é</p>".as_bytes(), HTML),
        ("latin1.txt", "text/plain", b"caf\xE9 au lait", "text/plain"),
        ("utf16.txt", "text/plain", b"\xFF\xFEa\0b\0", "text/plain"),
        ("cut.txt", "text/plain", b"a\xE2\x82", "text/plain"),
        ("photo.jpg", "image/jpeg", PHOTO, "image/jpeg"),
    ] {
        let direct = acme.upload(bytes).named(name, content_type).await;
        assert_eq!(
            direct["mime_type"].as_str(),
            delivered.split(';').next(),
            "{name}"
        );
        let confirmed = confirmed(stack, acme, (name, content_type), bytes).await;

        for url in [direct.url(), &confirmed] {
            let response = stack.anonymous.fetch(url).await;
            response.expect_header("content-type", delivered);
            response.expect_body(bytes);
            let head = stack.anonymous.head(url).await;
            head.expect_header("content-type", delivered);
        }
    }
}

#[stack_test(undrained)]
async fn charset_is_detected_from_all_bytes_or_from_the_beginning_of_copied_objects(
    stack: &Stack,
    acme: &TestSpace,
) {
    // A character is split at the end of the bytes that are read.
    let utf8 = format!("a{}", "é".repeat(BEGINNING_BYTES)).into_bytes();
    let spoiled = [&utf8[..], b"\xE9"].concat();

    for (bytes, direct_type) in [
        (&utf8, "text/plain; charset=utf-8"),
        (&spoiled, "text/plain"),
    ] {
        let direct = acme.upload(bytes.clone());
        let direct = direct.named("a.txt", "text/plain").await;
        let head = stack.anonymous.head(direct.url()).await;
        head.expect_header("content-type", direct_type);

        let confirmed = confirmed(stack, acme, ("a.txt", "text/plain"), bytes).await;
        let head = stack.anonymous.head(&confirmed).await;
        head.expect_header("content-type", "text/plain; charset=utf-8");
    }
}

#[stack_test(options = StackOptions::default().with_parameters(&[("RedirectAboveBytes", "1")]))]
async fn redirected_text_has_charset(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload("a €").named("a.txt", "text/plain").await;

    let target = stack.anonymous.redirect(file.url()).await;

    let stored = stack.anonymous.fetch(&target).await;
    stored.expect_header("content-type", "text/plain; charset=utf-8");
}
