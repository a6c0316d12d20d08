//! AVIF originals, which cannot be decoded: they are delivered unchanged, and never rendered.

use media::{Format, probe};
use serde_json::json;
use tests::{Stack, TestSpace, stack_test};

use crate::support::{
    image_server::{ImageServer, logo},
    images::image,
};

/// Error of requests that would have to decode the original.
const MESSAGE: &str =
    "The file is an AVIF original, which cannot be transformed or have a watermark.";

#[stack_test]
async fn avif_original_is_delivered_but_not_transformed(stack: &Stack, acme: &TestSpace) {
    let bytes = image(Format::Avif, 64, 48);
    let file = acme
        .upload(bytes.clone())
        .named("a.avif", "image/avif")
        .await;

    for query in ["w=32", "f=jpeg", "f=avif&q=50", "h=8&r=thumb&f=png"] {
        let response = stack
            .anonymous
            .get(&format!("{}?{query}", file.url()))
            .await;

        let errors = response.expect_error(422);
        assert_eq!(errors, json!({"file": [MESSAGE]}), "{query}");
    }

    let original = stack.anonymous.fetch(file.url()).await;
    assert_eq!(original.header("content-type"), "image/avif");
    assert!(original.body == bytes);
}

#[stack_test]
async fn upload_that_is_converted_to_avif_is_delivered_but_not_transformed(
    stack: &Stack,
    acme: &TestSpace,
) {
    acme.upload_config("avif")
        .with_settings(json!({"transformations": {"upload_format": "avif"}}))
        .await;
    let png = image(Format::Png, 64, 48);
    let file = acme
        .upload(png)
        .named("a.png", "image/png")
        .with_config("avif")
        .await;

    let transformed = stack.anonymous.get(&format!("{}?w=32", file.url())).await;
    assert_eq!(transformed.expect_error(422), json!({"file": [MESSAGE]}));

    let original = stack.anonymous.fetch(file.url()).await;
    let info = probe(&original.body).expect("an image");
    assert_eq!(
        (info.format, info.width, info.height),
        (Format::Avif, 64, 48)
    );
}

#[stack_test]
async fn avif_original_is_not_delivered_without_its_watermark(stack: &Stack, acme: &TestSpace) {
    let bytes = image(Format::Avif, 64, 48);
    let file = acme
        .upload(bytes.clone())
        .named("a.avif", "image/avif")
        .await;
    let security = format!("/spaces/{}/security", acme.id);
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let watermark = json!({"security": {"watermark": {"enabled": true, "url": server.url()}}});

    acme.put_ok(&security, watermark).await;

    for query in ["", "?w=32", "?f=jpeg"] {
        for client in [&stack.anonymous, &acme.client] {
            let errors = client.get(&format!("{}{query}", file.url())).await;
            let errors = errors.expect_error(422);
            assert_eq!(errors, json!({"file": [MESSAGE]}), "{query}");
        }
    }

    acme.delete(&security).await.expect_ok();
    let original = stack.anonymous.fetch(file.url()).await;
    assert!(original.body == bytes);
}
