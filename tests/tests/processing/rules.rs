//! What the upload config determines: eager transformations, tags, positions; and who sees
//! renditions.

use std::collections::BTreeSet;

use media::format::Format;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, StackOptions, TestSpace, column, stack_test, text};

use super::{
    images::{processed, stored_image, two_colors},
    photos::PHONE,
};
use crate::support::{
    image_server::{ImageServer, logo},
    images::image,
};

/// An AVIF of 256 × 192 pixels.
const AVIF: &[u8] = include_bytes!("../../../shared/media/tests/avif/grid.avif");
/// Query of the smallest thumbnail.
const THUMBNAIL: &str = "w=160&h=160&f=webp";

/// Creates an upload config with eager transformations.
async fn create_eager(acme: &TestSpace, transformations: Value) {
    let settings = json!({"transformations": {"eager": transformations}});
    acme.upload_config("eager").with_settings(settings).await;
}

/// Creates an upload config with automatic tags, and others.
async fn create_tagged(acme: &TestSpace, tags: Value) {
    let settings = json!({"metadata": {"auto_tagging": true, "tags": tags}});
    acme.upload_config("tagged").with_settings(settings).await;
}

/// Uploads a PNG, and returns its record after all jobs.
async fn processed_png(stack: &Stack, acme: &TestSpace, png: Vec<u8>, config: &str) -> Value {
    let upload = acme.upload(png).named("a.png", "image/png");
    let file = upload.with_config(config).await;
    processed(stack, acme, file.path()).await
}

#[stack_test]
async fn eager_transformations_are_stored_where_delivery_looks(stack: &Stack, acme: &TestSpace) {
    let eager = json!([
        {"width": 200, "height": 100, "crop": "fill", "format": "jpeg"},
        {"width": 50, "crop": "scale"},
    ]);
    create_eager(acme, eager).await;
    let png = two_colors(400, 300, [9, 9, 9], [0, 200, 0]);

    let after = processed_png(stack, acme, png, "eager").await;

    let widths = column(&after["thumbnails"], "width");
    assert_eq!(widths, [50, 160, 200, 320]);
    let filled = format!("{}?w=200&h=100&r=fill&f=jpeg", text(&after["url"]));
    let filled = stored_image(&stack.anonymous, stack, &filled).await;
    assert_eq!(filled.height, 100);
}

#[stack_test]
async fn eager_transformation_without_format_is_stored_in_each_negotiated_format(
    stack: &Stack,
    acme: &TestSpace,
) {
    create_eager(acme, json!([{"width": 32}])).await;

    let of_photo = [
        ("image/avif,image/webp", "image/avif"),
        ("image/avif", "image/avif"),
        ("image/webp", "image/webp"),
        ("*/*", "image/jpeg"),
    ];
    let of_avif = [
        ("image/avif,image/webp", "image/avif"),
        ("image/avif", "image/avif"),
        ("image/webp", "image/webp"),
        ("*/*", "image/avif"),
    ];
    let of_png = [
        ("image/avif,image/webp", "image/webp"),
        ("*/*", "image/png"),
    ];
    for (mime_type, bytes, negotiated) in [
        ("image/jpeg", image(Format::Jpeg, 64, 48), &of_photo[..]),
        ("image/png", image(Format::Png, 64, 48), &of_png),
        ("image/heic", PHONE.to_vec(), &of_photo),
        ("image/avif", AVIF.to_vec(), &of_avif),
    ] {
        let upload = acme.upload(bytes).named("a", mime_type);
        let file = upload.with_config("eager").await;

        let calls = stack.calls_of(stack.run_post_upload()).await.calls;

        let is_stored = |call: &&String| call.as_str() == "processing PutObject";
        let stored = calls.iter().filter(is_stored).count();
        let formats: BTreeSet<&str> = negotiated.iter().map(|(_, format)| *format).collect();
        assert_eq!(stored, formats.len(), "{mime_type}: {calls:?}");
        for (accept, content_type) in negotiated {
            let url = file.url_with("w=32");
            let accepted = [("accept", *accept)];
            let delivery = stack.anonymous.fetch_as(200, &url, &accepted);
            let run = stack.calls_of(delivery).await;
            run.output.expect_header("content-type", content_type);
            assert!(
                !run.calls.iter().any(|call| call.contains("Put")),
                "{mime_type} {accept}"
            );
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn eager_renditions_of_private_photos_are_public_in_each_format(
    stack: &Stack,
    acme: &TestSpace,
) {
    // The second one has too many pixels to be negotiated as AVIF.
    let eager = json!([{"width": 32}, {"width": 1_700, "crop": "scale"}]);
    let settings = json!({"transformations": {"eager": eager}});
    let config = acme.upload_config("private").with_settings(settings);
    config.with_delivery_type("private").await;

    for (mime_type, bytes) in [("image/heic", PHONE), ("image/avif", AVIF)] {
        let upload = acme.upload(bytes).named("a", mime_type);
        let file = upload.of_type("private").await;

        let after = processed(stack, acme, file.path()).await;

        assert_eq!(column(&after["thumbnails"], "width"), [32, 1_700]);
        for url in column(&after["thumbnails"], "url") {
            for accept in ["*/*", "image/avif", "image/webp", "image/avif,image/webp"] {
                let accepted = [("accept", accept)];
                stack.anonymous.fetch_as(200, &text(&url), &accepted).await;
            }
        }
        stack.anonymous.get_err(403, file.url()).await;
        let other = file.url_with("w=33");
        stack.anonymous.get_err(403, &other).await;
    }
}

#[stack_test]
async fn automatic_tags_describe_the_image(stack: &Stack, acme: &TestSpace) {
    create_tagged(acme, json!(["product"])).await;
    let blue = two_colors(40, 60, [10, 20, 220], [255, 255, 255]);

    let after = processed_png(stack, acme, blue, "tagged").await;

    assert_eq!(after["tags"], json!(["product", "png", "portrait", "blue"]));
    let listed = format!("/files?space_id={}&tag=blue", acme.id);
    let found = acme.get_ok(&listed).await;
    assert_eq!(found[0]["id"], after["id"]);
}

#[stack_test(options = StackOptions::default().with_parameters(&[("DecodeHeic", "false")]))]
async fn automatic_tags_of_undecoded_images_lack_the_color(stack: &Stack, acme: &TestSpace) {
    create_tagged(acme, json!([])).await;
    let heic = PHONE.to_vec();
    let mut png = image(Format::Png, 64, 48);
    png.truncate(png.len() / 2);

    for (mime_type, bytes, status, tags) in [
        ("image/heic", heic, "completed", ["heic", "portrait"]),
        ("image/png", png, "failed", ["png", "landscape"]),
    ] {
        let upload = acme.upload(bytes).named("a", mime_type);
        let file = upload.with_config("tagged").await;

        let after = processed(stack, acme, file.path()).await;

        assert_eq!(after["processing"]["status"], status, "{mime_type}");
        assert_eq!(after["tags"], json!(tags), "{mime_type}");
    }
}

#[stack_test]
async fn private_file_lists_no_thumbnails_and_an_authenticated_one_protects_them(
    stack: &Stack,
    acme: &TestSpace,
) {
    for delivery_type in ["private", "authenticated"] {
        let config = acme.upload_config(delivery_type);
        config.with_delivery_type(delivery_type).await;
    }
    let private = acme.upload(PHOTO).of_type("private").await;
    let authenticated = acme.upload(PHOTO).of_type("authenticated").await;

    let private_after = processed(stack, acme, private.path()).await;
    let authenticated_after = processed(stack, acme, authenticated.path()).await;

    assert_eq!(private_after["thumbnails"], json!([]));
    assert!(private_after["storage_meta"]["blurhash"].is_string());
    let url = private.url_with(THUMBNAIL);
    stack.anonymous.get_err(403, &url).await;

    let listed = &authenticated_after["thumbnails"][0]["url"];
    let url = authenticated.url_with(THUMBNAIL);
    assert_eq!(*listed, *url);
    stack.anonymous.get_err(403, &url).await;
    acme.fetch(&url).await;
}

#[stack_test]
async fn eager_renditions_have_the_watermark_of_the_space(stack: &Stack, acme: &TestSpace) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let security = json!({"watermark": {"enabled": true, "url": server.url(), "opacity": 1}});
    acme.set_security(&acme.path(), security).await;
    create_eager(acme, json!([{"width": 100}])).await;
    let blue = two_colors(300, 300, [0, 0, 255], [0, 0, 255]);

    let after = processed_png(stack, acme, blue, "eager").await;

    let thumbnail = &after["thumbnails"][0];
    assert_eq!(thumbnail["width"], 100);
    let pixels = stored_image(&stack.anonymous, stack, &text(&thumbnail["url"])).await;
    let is_red = |pixel: &[u8]| pixel[0] > 200 && pixel[2] < 60;
    assert!(pixels.samples.chunks_exact(3).any(is_red));
}

#[stack_test]
async fn listed_thumbnails_can_be_created_although_others_require_a_signature(
    stack: &Stack,
    acme: &TestSpace,
) {
    let signed = json!({"transformations": "signed"});
    acme.set_security(&acme.path(), signed).await;
    let file = acme.upload(PHOTO).await;
    processed(stack, acme, file.path()).await;

    stack.anonymous.fetch(&file.url_with(THUMBNAIL)).await;
    let other = file.url_with("w=161&h=160&f=webp");
    stack.anonymous.get_err(403, &other).await;
}

#[stack_test]
async fn thumbnails_of_a_file_that_becomes_private_are_public_only_if_they_are_stored(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let after = processed(stack, acme, file.path()).await;
    let urls = [0, 1].map(|index| text(&after["thumbnails"][index]["url"]));
    stack.anonymous.fetch(&urls[0]).await;

    let private = json!({"type": "private"});
    let private = acme.put_ok(file.path(), private).await;

    assert_eq!(private["thumbnails"], json!([]));
    stack.anonymous.fetch(&urls[0]).await;
    stack.anonymous.get_err(403, &urls[1]).await;
    acme.fetch(&urls[1]).await;
}

#[stack_test]
async fn equal_eager_transformations_are_listed_once(stack: &Stack, acme: &TestSpace) {
    let equal = json!([{"width": 100, "crop": "fill"}, {"width": 100}]);
    create_eager(acme, equal).await;
    let file = acme.upload(PHOTO).with_config("eager").await;

    let after = processed(stack, acme, file.path()).await;

    let widths = column(&after["thumbnails"], "width");
    assert_eq!(widths, [100, 160, 320, 640]);
}
