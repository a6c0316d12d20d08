//! What the upload config determines: eager transformations, tags, positions; and who sees variants.

use media::Format;
use serde_json::{Value, json};
use tests::{Observed, PHOTO, Stack, TestSpace, stack_test, text};

use super::images::{processed, stored_image, two_colors};
use crate::support::images::image;

#[stack_test]
async fn eager_transformations_are_stored_where_delivery_looks(stack: &Stack, acme: &TestSpace) {
    let eager = json!([
        {"width": 200, "height": 100, "crop": "fill", "format": "jpeg"},
        {"width": 50, "crop": "scale"},
    ]);
    acme.upload_config("eager")
        .with_settings(json!({"transformations": {"eager": eager}}))
        .await;
    let file = acme
        .upload(two_colors(400, 300, [9, 9, 9], [0, 200, 0]))
        .named("a.png", "image/png")
        .with_config("eager")
        .await;

    let after = processed(stack, acme, file.path()).await;

    let widths: Vec<&Value> = after["thumbnails"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|thumbnail| &thumbnail["width"])
        .collect();
    assert_eq!(widths, [50, 160, 200, 320]);
    let filled = format!("{}?w=200&h=100&r=fill&f=jpeg", file.url());
    let filled = stored_image(&stack.anonymous, stack, &filled).await;
    assert_eq!(filled.height, 100);
}

#[stack_test]
async fn eager_transformation_without_format_is_stored_in_each_negotiated_format(
    stack: &Stack,
    acme: &TestSpace,
) {
    acme.upload_config("eager")
        .with_settings(json!({"transformations": {"eager": [{"width": 32}]}}))
        .await;

    for (original, negotiated) in [
        (
            Format::Jpeg,
            &[
                ("image/avif,image/webp", "image/avif"),
                ("image/webp", "image/webp"),
                ("*/*", "image/jpeg"),
            ][..],
        ),
        (
            Format::Png,
            &[
                ("image/avif,image/webp", "image/webp"),
                ("*/*", "image/png"),
            ],
        ),
    ] {
        let mime_type = original.media_type().mime_type;
        let upload = acme.upload(image(original, 64, 48)).named("a", &mime_type);
        let file = upload.with_config("eager").await;

        let calls = stack.calls_of(stack.run_post_upload()).await.calls;

        let is_stored = |call: &&String| call.as_str() == "processing PutObject";
        let stored = calls.iter().filter(is_stored).count();
        assert_eq!(stored, negotiated.len(), "{original:?}: {calls:?}");
        for (accept, content_type) in negotiated {
            let url = format!("{}?w=32", file.url());
            let request = stack
                .anonymous
                .request("GET", &url)
                .header("accept", *accept);
            let Observed {
                output: response,
                calls,
            } = stack.calls_of(stack.anonymous.send(request)).await;
            let response = response.expect_status(200);
            assert_eq!(response.header("content-type"), *content_type);
            assert!(!calls.iter().any(|call| call.contains("Put")), "{accept}");
        }
    }
}

#[stack_test]
async fn automatic_tags_describe_the_image(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"auto_tagging": true, "tags": ["product"]}}))
        .await;
    let blue = two_colors(40, 60, [10, 20, 220], [255, 255, 255]);
    let file = acme
        .upload(blue)
        .named("a.png", "image/png")
        .with_config("tagged")
        .await;

    let after = processed(stack, acme, file.path()).await;

    assert_eq!(after["tags"], json!(["product", "png", "portrait", "blue"]));
    let listed = format!("/files?space_id={}&tag=blue", acme.id);
    let found = acme.fetch(&listed).await.json();
    assert_eq!(found["data"][0]["id"], file.id);
}

#[stack_test]
async fn automatic_tags_of_undecoded_images_lack_the_color(stack: &Stack, acme: &TestSpace) {
    acme.upload_config("tagged")
        .with_settings(json!({"metadata": {"auto_tagging": true}}))
        .await;
    let mut truncated = image(Format::Png, 64, 48);
    truncated.truncate(truncated.len() / 2);

    for (name, mime_type, bytes, status, tags) in [
        (
            "a.avif",
            "image/avif",
            image(Format::Avif, 48, 64),
            "completed",
            ["avif", "portrait"],
        ),
        (
            "a.png",
            "image/png",
            truncated,
            "failed",
            ["png", "landscape"],
        ),
    ] {
        let upload = acme.upload(bytes).named(name, mime_type);
        let file = upload.with_config("tagged").await;

        let after = processed(stack, acme, file.path()).await;

        assert_eq!(after["processing"]["status"], status, "{name}");
        assert_eq!(after["tags"], json!(tags), "{name}");
    }
}

#[stack_test]
async fn private_file_lists_no_thumbnails_and_an_authenticated_one_protects_them(
    stack: &Stack,
    acme: &TestSpace,
) {
    acme.upload_config("private")
        .with(json!({"delivery_type": "private"}))
        .await;
    acme.upload_config("authenticated")
        .with(json!({"delivery_type": "authenticated"}))
        .await;
    let private = acme.upload(PHOTO).with_config("private").await;
    let authenticated = acme.upload(PHOTO).with_config("authenticated").await;
    let thumbnail = |url: &str| format!("{url}?w=160&h=160&f=webp");

    let private_after = processed(stack, acme, private.path()).await;
    let authenticated_after = processed(stack, acme, authenticated.path()).await;

    assert_eq!(private_after["thumbnails"], json!([]));
    assert!(private_after["storage_meta"]["blurhash"].is_string());
    let url = thumbnail(private.url());
    stack.anonymous.get_err(403, &url).await;

    let listed = authenticated_after["thumbnails"][0]["url"].as_str();
    let url = thumbnail(authenticated.url());
    assert_eq!(listed, Some(url.as_str()));
    stack.anonymous.get_err(403, &url).await;
    acme.fetch(&url).await;
}

#[stack_test]
async fn eager_variants_have_the_watermark_of_the_space(stack: &Stack) {
    use crate::support::image_server::{ImageServer, logo};

    let acme = stack.space("Acme").await;
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let security = json!({"watermark": {"enabled": true, "url": server.url(), "opacity": 1}});
    acme.put_ok(
        &format!("{}/security", acme.path()),
        json!({"security": security}),
    )
    .await;
    acme.upload_config("eager")
        .with_settings(json!({"transformations": {"eager": [{"width": 100}]}}))
        .await;
    let file = acme
        .upload(two_colors(300, 300, [0, 0, 255], [0, 0, 255]))
        .named("a.png", "image/png")
        .with_config("eager")
        .await;

    let after = processed(stack, &acme, file.path()).await;

    assert_eq!(after["thumbnails"][0]["width"], 100);
    let url = after["thumbnails"][0]["url"].as_str().expect("a URL");
    let pixels = stored_image(&stack.anonymous, stack, url).await;
    let is_red = |pixel: &[u8]| pixel[0] > 200 && pixel[2] < 60;
    assert!(pixels.samples.chunks_exact(3).any(is_red));
}

#[stack_test]
async fn listed_thumbnails_can_be_created_although_others_require_a_signature(
    stack: &Stack,
    acme: &TestSpace,
) {
    let security = format!("{}/security", acme.path());
    let signed = json!({"security": {"transformations": "signed"}});
    acme.put_ok(&security, signed).await;
    let file = acme.upload(PHOTO).await;
    processed(stack, acme, file.path()).await;

    let listed = format!("{}?w=160&h=160&f=webp", file.url());
    stack.anonymous.fetch(&listed).await;
    let other = format!("{}?w=161&h=160&f=webp", file.url());
    stack.anonymous.get_err(403, &other).await;
}

#[stack_test]
async fn thumbnails_of_a_file_that_becomes_private_are_public_only_if_they_are_stored(
    stack: &Stack,
) {
    let acme = stack.space("Acme").await;
    let file = acme.upload(PHOTO).await;
    let after = processed(stack, &acme, file.path()).await;
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
    let eager = json!([{"width": 100, "crop": "fill"}, {"width": 100}]);
    acme.upload_config("eager")
        .with_settings(json!({"transformations": {"eager": eager}}))
        .await;
    let file = acme.upload(PHOTO).with_config("eager").await;

    let after = processed(stack, acme, file.path()).await;

    let widths = after["thumbnails"].as_array().expect("a list");
    let widths: Vec<_> = widths.iter().map(|listed| &listed["width"]).collect();
    assert_eq!(widths, [100, 160, 320, 640]);
}
