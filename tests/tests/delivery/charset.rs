//! Text in UTF-8 is delivered with its charset, however it came in and wherever it is delivered
//! from.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, StackOptions, Tenant, form};

use crate::uploads::presign::Announced;

/// Bytes of an announced file that its confirmation reads to tell its type and charset.
const BEGINNING_BYTES: usize = 256 << 10;

fn url(record: &Value) -> &str {
    record["url"].as_str().expect("an address")
}

async fn announced(
    stack: &Stack,
    acme: &Tenant,
    name: &str,
    content_type: &str,
    bytes: Vec<u8>,
) -> Value {
    let fields = json!({"filename": name, "content_type": content_type, "size": bytes.len()});
    let announced = Announced::to(acme, fields).await;
    announced.send(stack, bytes).await.demand(200);
    announced.confirm(&acme.client).await.ok()
}

#[tokio::test]
async fn text_in_utf8_is_delivered_with_its_charset() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
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
        let direct = acme
            .client
            .upload(form(&acme.handle, name, content_type, bytes))
            .await
            .created();
        let confirmed = announced(&stack, &acme, name, content_type, bytes.to_vec()).await;
        for record in [direct, confirmed] {
            assert_eq!(
                record["mime_type"],
                delivered.split(';').next().expect("a type"),
                "{name}"
            );
            let answer = stack.anonymous.get(url(&record)).await.demand(200);
            assert_eq!(answer.header("content-type"), delivered, "{name}");
            assert_eq!(
                stack
                    .anonymous
                    .head(url(&record))
                    .await
                    .header("content-type"),
                delivered,
                "{name}"
            );
            assert!(answer.body == bytes, "{name}");
        }
    }
    stack.leave().await;
}

#[tokio::test]
async fn a_long_text_is_measured_to_its_end_where_it_passes_and_by_its_beginning_where_storage_copies_it()
 {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    // A character stands across the end of what is read.
    let utf8 = ["a".to_owned(), "é".repeat(BEGINNING_BYTES)]
        .concat()
        .into_bytes();
    let spoiled = [&utf8[..], b"\xE9"].concat();
    for (bytes, direct_type) in [
        (&utf8, "text/plain; charset=utf-8"),
        (&spoiled, "text/plain"),
    ] {
        let direct = form(&acme.handle, "a.txt", "text/plain", bytes.clone());
        let direct = acme.client.upload(direct).await.created();
        assert_eq!(
            stack
                .anonymous
                .head(url(&direct))
                .await
                .header("content-type"),
            direct_type
        );
        let confirmed = announced(&stack, &acme, "a.txt", "text/plain", bytes.clone()).await;
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
    stack.leave().await;
}

#[tokio::test]
async fn storage_delivers_text_with_its_charset_too() {
    let parameters = [("RedirectAboveBytes".to_owned(), "1".to_owned())].into();
    let stack = Stack::start_with(StackOptions {
        parameters,
        ..StackOptions::default()
    })
    .await;
    let acme = stack.space("Acme").await;
    let record = acme
        .client
        .upload(form(&acme.handle, "a.txt", "text/plain", "a €"))
        .await
        .created();

    let redirect = stack.anonymous.get(url(&record)).await.demand(307);

    let stored = stack
        .anonymous
        .get(redirect.header("location"))
        .await
        .demand(200);
    assert_eq!(stored.header("content-type"), "text/plain; charset=utf-8");
    stack.stop().await;
}
