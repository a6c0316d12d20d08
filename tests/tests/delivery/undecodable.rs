//! AVIF originals, which cannot be decoded: they are delivered unchanged, and never rendered.

use media::{Format, probe};
use serde_json::{Value, json};
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
    let upload = acme.upload(bytes.clone());
    let file = upload.named("a.avif", "image/avif").await;

    for query in ["w=32", "f=jpeg", "f=avif&q=50", "h=8&r=thumb&f=png"] {
        let errors = stack.anonymous.get_err(422, &file.url_with(query)).await;
        assert_eq!(errors, json!({"file": [MESSAGE]}), "{query}");
    }
    let original = stack.anonymous.fetch(file.url()).await;
    original.expect_header("content-type", "image/avif");
    original.expect_body(&bytes);

    // With a watermark, it is not delivered at all.
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    acme.set_security(&acme.path(), server.watermark()).await;
    for query in ["", "w=32", "f=jpeg"] {
        for client in [&stack.anonymous, &acme.client] {
            let errors = client.get_err(422, &file.url_with(query)).await;
            assert_eq!(errors, json!({"file": [MESSAGE]}), "{query}");
        }
    }
    acme.set_security(&acme.path(), Value::Null).await;
    stack.anonymous.fetch(file.url()).await.expect_body(&bytes);
}

#[stack_test]
async fn upload_that_is_converted_to_avif_is_delivered_but_not_transformed(
    stack: &Stack,
    acme: &TestSpace,
) {
    let settings = json!({"transformations": {"upload_format": "avif"}});
    acme.upload_config("avif").with_settings(settings).await;
    let png = acme.upload(image(Format::Png, 64, 48));
    let file = png.named("a.png", "image/png").with_config("avif").await;

    let errors = stack.anonymous.get_err(422, &file.url_with("w=32")).await;
    assert_eq!(errors, json!({"file": [MESSAGE]}));

    let original = stack.anonymous.fetch(file.url()).await;
    let info = probe(&original.body).expect("an image");
    let found = (info.format, info.width, info.height);
    assert_eq!(found, (Format::Avif, 64, 48));
}
