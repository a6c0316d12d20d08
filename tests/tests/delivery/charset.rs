//! UTF-8 text is delivered with its charset, on every upload route and from storage too.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, StackOptions, TestSpace, stack_test};

use crate::uploads::presign::PendingFile;

/// Number of bytes of a pending file that its confirmation reads to detect type and charset.
const BEGINNING_BYTES: usize = 256 << 10;

fn url(record: &Value) -> &str {
    record["url"].as_str().expect("an address")
}

async fn pending_file(stack: &Stack, acme: &TestSpace, description: Value, bytes: &[u8]) -> Value {
    let mut fields = description;
    fields["size"] = json!(bytes.len());

    let pending_file = PendingFile::create(acme, fields).await;
    pending_file
        .send(stack, bytes.to_vec())
        .await
        .expect_status(200);
    pending_file.confirm(&acme.client).await.expect_ok()
}

#[stack_test(undrained)]
async fn utf8_text_is_delivered_with_charset(stack: &Stack, acme: &TestSpace) {
    for (name, content_type, bytes, delivered) in [
        (
            "a.txt",
            "text/plain",
            "a €".as_bytes(),
            "text/plain; charset=utf-8",
        ),
        (
            "a.txt",
            "text/plain; charset=latin1",
            "a €".as_bytes(),
            "text/plain; charset=utf-8",
        ),
        ("a.csv", "text/csv", b"a,b\n", "text/csv; charset=utf-8"),
        (
            "a.json",
            "application/json",
            "{\"a\": \"é\"}".as_bytes(),
            "application/json; charset=utf-8",
        ),
        (
            "a.html",
            "text/html",
            "<p>é</p>".as_bytes(),
            "text/html; charset=utf-8",
        ),
        ("latin1.txt", "text/plain", b"caf\xE9 au lait", "text/plain"),
        ("utf16.txt", "text/plain", b"\xFF\xFEa\0b\0", "text/plain"),
        ("cut.txt", "text/plain", b"a\xE2\x82", "text/plain"),
        ("photo.jpg", "image/jpeg", PHOTO, "image/jpeg"),
    ] {
        let direct = acme.upload(bytes).named(name, content_type).await;
        let description = json!({"filename": name, "content_type": content_type});
        let confirmed = pending_file(stack, acme, description, bytes).await;
        for record in [direct.record, confirmed] {
            assert_eq!(
                record["mime_type"],
                delivered.split(';').next().expect("a type"),
                "{name}"
            );
            let response = stack.anonymous.fetch(url(&record)).await;
            assert_eq!(response.header("content-type"), delivered, "{name}");
            assert_eq!(
                stack
                    .anonymous
                    .head(url(&record))
                    .await
                    .header("content-type"),
                delivered,
                "{name}"
            );
            assert!(response.body == bytes, "{name}");
        }
    }
}

#[tokio::test]
async fn charset_is_detected_from_all_bytes_or_from_the_beginning_of_copied_objects() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;

    // A character is split at the end of the bytes that are read.
    let utf8 = ["a".to_owned(), "é".repeat(BEGINNING_BYTES)]
        .concat()
        .into_bytes();
    let spoiled = [&utf8[..], b"\xE9"].concat();

    for (bytes, direct_type) in [
        (&utf8, "text/plain; charset=utf-8"),
        (&spoiled, "text/plain"),
    ] {
        let direct = acme.upload(bytes.clone()).named("a.txt", "text/plain");
        let direct = direct.await;
        assert_eq!(
            stack
                .anonymous
                .head(url(&direct))
                .await
                .header("content-type"),
            direct_type
        );
        let description = json!({"filename": "a.txt", "content_type": "text/plain"});
        let confirmed = pending_file(&stack, &acme, description, bytes).await;
        let confirmed_type = "text/plain; charset=utf-8";
        assert_eq!(
            stack
                .anonymous
                .head(url(&confirmed))
                .await
                .header("content-type"),
            confirmed_type
        );
    }

    stack.stop_undrained().await;
}

#[stack_test(options = StackOptions::default().with_parameters(&[("RedirectAboveBytes", "1")]))]
async fn redirected_text_has_charset(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let record = acme.upload("a €").named("a.txt", "text/plain").await;

    let redirect = stack.anonymous.get(url(&record)).await.expect_status(307);

    let stored = stack.anonymous.fetch(redirect.header("location")).await;
    assert_eq!(stored.header("content-type"), "text/plain; charset=utf-8");
}
