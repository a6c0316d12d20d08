//! Watermarks: every image of a space or folder is delivered with the stored copy of the watermark.

use media::{decode::decode, format::Format, pixels::Pixels, probe::probe};
use serde_json::{Value, json};
use tests::{File, PHOTO, Response, Stack, StackOptions, TestSpace, field_error, stack_test, text};

use super::fixture::DeliveryFixture;
use crate::support::{
    image_server::{ImageServer, logo},
    images::{image, png_of_sides},
};

pub(crate) const RED: [u8; 3] = [255, 0, 0];
pub(crate) const BLUE: [u8; 3] = [0, 0, 255];
/// Maximum difference of a sample in lossy formats.
const TOLERANCE: u8 = 70;

pub(super) async fn upload_image(acme: &TestSpace) -> File {
    let bytes = image(Format::Png, 64, 48);
    acme.upload(bytes).named("a.png", "image/png").await
}

/// Enables the watermark of a space.
pub(crate) async fn enable(acme: &TestSpace, server: &ImageServer) {
    let mut security = server.watermark();
    security["watermark"]["opacity"] = json!(1);
    acme.set_security(&acme.path(), security).await;
}

/// Resets the watermark of a space.
async fn disable(acme: &TestSpace) {
    acme.set_security(&acme.path(), Value::Null).await;
}

fn decoded(response: &Response) -> Pixels {
    let info = probe(&response.body).expect("an image");
    decode(&response.body, &info).expect("an image")
}

/// Returns whether a square watermark in the southeast has a color at its center.
pub(crate) fn is_marked(response: &Response, expected: [u8; 3]) -> bool {
    let pixels = decoded(response);
    let shorter = pixels.width.min(pixels.height);
    let inset = (shorter / 50).max(1) + shorter / 8;
    let actual = color(&pixels, pixels.width - 1 - inset, pixels.height - 1 - inset);

    let mut samples = actual.iter().zip(expected);
    samples.all(|(actual, expected)| actual.abs_diff(expected) <= TOLERANCE)
}

fn color(pixels: &Pixels, x: u32, y: u32) -> [u8; 3] {
    let start = (y * pixels.width + x) as usize * pixels.channels.count();
    let sample = |channel: usize| pixels.samples[start + channel];
    [sample(0), sample(1), sample(2)]
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn every_rendition_of_an_image_is_marked(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let server = ImageServer::start(&logo(RED)).await;

    for (query, format) in [
        ("", Format::Png),
        ("download", Format::Png),
        ("w=32", Format::Png),
        ("w=40&h=20&r=fill", Format::Png),
        ("w=16&h=24&r=crop&g=northwest", Format::Png),
        ("f=jpeg", Format::Jpeg),
        ("f=webp&q=90", Format::WebP),
        ("w=128&r=scale&f=png", Format::Png),
        ("f=gif", Format::Gif),
    ] {
        let url = file.url_with(query);
        disable(acme).await;
        let plain = stack.anonymous.fetch(&url).await;
        enable(acme, &server).await;
        let marked = stack.anonymous.fetch(&url).await;
        let again = stack.anonymous.fetch(&url).await;

        let info = probe(&marked.body).expect("an image");
        assert_eq!(info.format, format, "{query}");
        assert!(!is_marked(&plain, RED), "{query}");
        assert!(is_marked(&marked, RED), "{query}");
        assert_ne!(plain.header("etag"), marked.header("etag"), "{query}");
        again.expect_header("etag", marked.header("etag"));
        again.expect_body(&marked.body);
    }
}

#[stack_test]
async fn crops_do_not_show_pixels_beneath_the_watermark(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    enable(acme, &ImageServer::start(&logo(RED)).await).await;

    for side in [40, 20, 12, 8, 4] {
        let url = file.url_with(&format!("w={side}&h={side}&r=crop&g=southeast&f=png"));
        let cropped = decoded(&stack.anonymous.fetch(&url).await);

        // The watermark of 12 × 12 pixels is one pixel from the corner.
        for distance in 2..=side.min(13) {
            let at = side - distance;
            assert_eq!(color(&cropped, at, at), RED, "{side} {distance}");
        }
    }
}

#[stack_test]
async fn negotiated_formats_are_marked_and_the_original_keeps_its_format(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = upload_image(acme).await;
    let accept = [("accept", "image/avif")];
    let small = file.url_with("w=32");
    let plain = stack.anonymous.get_with(&small, &accept).await;

    enable(acme, &ImageServer::start(&logo(RED)).await).await;

    let marked = stack.anonymous.get_with(&small, &accept).await;
    marked
        .expect_header("content-type", "image/avif")
        .expect_header("vary", "accept");
    assert!(marked.body != plain.body);

    let original = stack.anonymous.get_with(file.url(), &accept).await;
    original
        .expect_header("content-type", "image/png")
        .expect_header("vary", "")
        .expect_header("x-image-width", "64");
}

#[stack_test]
async fn upload_that_is_converted_to_avif_is_marked(stack: &Stack, acme: &TestSpace) {
    enable(acme, &ImageServer::start(&logo(RED)).await).await;
    let settings = json!({"transformations": {"upload_format": "avif"}});
    acme.upload_config("web").with_settings(settings).await;
    let png = acme.upload(image(Format::Png, 64, 48));
    let file = png.named("a.png", "image/png").with_config("web").await;
    assert_eq!(file["mime_type"], "image/avif");

    for (query, format) in [
        ("", Format::Avif),
        ("f=avif", Format::Avif),
        ("f=jpeg", Format::Jpeg),
    ] {
        let marked = stack.anonymous.fetch(&file.url_with(query)).await;
        marked.expect_header("content-type", format.media_type().mime_type);
        assert!(is_marked(&marked, RED), "{query}");
    }
}

#[stack_test]
async fn large_marked_avif_is_delivered_as_jpeg(stack: &Stack, acme: &TestSpace) {
    enable(acme, &ImageServer::start(&logo(RED)).await).await;
    let avif = image(Format::Avif, 1_700, 1_200);
    let file = acme.upload(avif).named("a.avif", "image/avif").await;

    let marked = stack.anonymous.fetch(file.url()).await;

    marked.expect_header("content-type", "image/jpeg");
    // The logo of 40 pixels is smaller than a quarter, and 24 from the edges.
    let pixels = decoded(&marked);
    let [red, green, blue] = color(&pixels, pixels.width - 44, pixels.height - 44);
    assert!(red > 200 && green < 60 && blue < 60, "{red} {green} {blue}");
}

#[stack_test]
async fn position_and_opacity_apply(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let server = ImageServer::start(&logo(RED)).await;
    let plain = decoded(&stack.anonymous.fetch(file.url()).await);

    for (position, x, y) in [("northwest", 7, 7), ("center", 32, 24), ("east", 56, 24)] {
        for (opacity, red_share) in [(1.0, 255), (0.5, 128)] {
            let mut security = server.watermark_at(position);
            security["watermark"]["opacity"] = json!(opacity);
            acme.set_security(&acme.path(), security).await;

            let marked = decoded(&stack.anonymous.fetch(file.url()).await);

            let mix = |below: u8, above: u32| {
                let sum = above * red_share + u32::from(below) * (255 - red_share);
                u8::try_from(sum / 255).expect("a sample")
            };
            let [red, green, blue] = color(&plain, x, y);
            let expected = [mix(red, 255), mix(green, 0), mix(blue, 0)];
            let actual = color(&marked, x, y);
            let differs = actual.iter().zip(expected).any(|(a, b)| a.abs_diff(b) > 2);
            assert!(!differs, "{position} {opacity}: {actual:?}, {expected:?}");
            assert_eq!(color(&marked, 20, 40), color(&plain, 20, 40), "{position}");
        }
    }
}

#[stack_test]
async fn changed_and_removed_watermarks_change_etags_at_once(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let original = stack.anonymous.fetch(file.url()).await;

    enable(acme, &ImageServer::start(&logo(RED)).await).await;
    let with_red = stack.anonymous.fetch(file.url()).await;
    enable(acme, &ImageServer::start(&logo(BLUE)).await).await;
    let unchanged = [("if-none-match", with_red.header("etag"))];
    let with_blue = stack.anonymous.fetch_as(200, file.url(), &unchanged).await;
    assert!(is_marked(&with_blue, BLUE));

    disable(acme).await;
    let restored = stack.anonymous.fetch(file.url()).await;
    restored.expect_header("etag", original.header("etag"));
    restored.expect_body(&original.body);
    let objects = stack.dump().await.objects;
    let is_left = objects.keys().any(|key| key.contains("/watermarks/"));
    assert!(!is_left, "unused images are deleted");
}

#[stack_test]
async fn unmarked_copy_is_not_revalidated_by_its_date(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let unmarked = stack.anonymous.fetch(file.url()).await;
    let since = [("if-modified-since", unmarked.header("last-modified"))];
    stack.anonymous.fetch_as(304, file.url(), &since).await;

    enable(acme, &ImageServer::start(&logo(RED)).await).await;

    for query in ["", "w=32"] {
        let url = file.url_with(query);
        let marked = stack.anonymous.fetch_as(200, &url, &since).await;
        marked.expect_header("last-modified", "");
        assert!(is_marked(&marked, RED), "{query}");
    }
}

#[stack_test]
async fn stored_copy_is_used_after_the_host_is_gone(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let server = ImageServer::start(&logo(RED)).await;
    enable(acme, &server).await;
    server.serve("200 OK", &logo(BLUE));
    assert!(is_marked(&stack.anonymous.fetch(file.url()).await, RED));
    drop(server);

    let later = stack.anonymous.fetch(&file.url_with("w=32")).await;
    assert!(is_marked(&later, RED));
}

#[stack_test]
async fn only_images_that_can_be_rendered_are_delivered(stack: &Stack, acme: &TestSpace) {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"></svg>";
    let svg = acme.upload(svg).named("a.svg", "image/svg+xml").await;
    let text = acme.upload("text").named("a.txt", "text/plain").await;
    assert_eq!(svg["resource_type"], "image");

    enable(acme, &ImageServer::start(&logo(RED)).await).await;

    for client in [&stack.anonymous, &acme.client] {
        let errors = client.get_err(422, svg.url()).await;
        assert!(errors["file"][0].is_string(), "{errors}");
        client.fetch(text.url()).await.expect_body("text");
    }
    disable(acme).await;
    stack.anonymous.fetch(svg.url()).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn image_that_cannot_be_stored_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let server = ImageServer::start(&logo(RED)).await;
    enable(acme, &server).await;
    let before = stack.dump().await;
    let body = json!({ "security": server.watermark() });
    let paths = [acme.path(), folder.path().to_owned()].map(|path| format!("{path}/security"));

    for (status, image, expected) in [
        ("404 Not Found", logo(BLUE), "status 404"),
        ("500 Internal Server Error", Vec::new(), "status 500"),
        ("302 Found", logo(BLUE), "redirect (302)"),
        ("200 OK", Vec::new(), "can be decoded"),
        ("200 OK", b"<html></html>".to_vec(), "can be decoded"),
        ("200 OK", logo(BLUE)[..60].to_vec(), "can be decoded"),
        ("200 OK", vec![0; (5 << 20) + 1], "larger than 5242880"),
        ("200 OK", png_of_sides(4_000, 1_001), "4000000 pixels"),
    ] {
        server.serve(status, &image);
        for path in &paths {
            let errors = acme.put_err(422, path, &body).await;
            let message = text(&errors["security.watermark.url"][0]);
            assert!(message.contains(expected), "{message}");
        }
    }
    drop(server);
    let errors = acme.put_err(422, &paths[0], body).await;
    let unreachable = "cannot be fetched. The host does not accept a connection";
    assert_eq!(errors, field_error("security.watermark.url", unreachable));

    stack.assert_unchanged(&before, "other images").await;
}

#[stack_test(options = StackOptions::default().with_parameters(&[("AllowLoopbackUrls", "false")]))]
async fn loopback_url_is_refused_unless_it_is_allowed(acme: &TestSpace) {
    let server = ImageServer::start(&logo(RED)).await;
    let path = format!("{}/security", acme.path());
    let body = json!({ "security": server.watermark() });

    let errors = acme.put_err(422, &path, body).await;

    let not_https = field_error("security.watermark.url", "must be an https URL");
    assert_eq!(errors, not_https);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn private_original_requires_proof_and_publishes_no_rendition(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("private").await;
    enable(&acme, &ImageServer::start(&logo(RED)).await).await;
    let anonymous = &stack.anonymous;

    anonymous.get_err(403, file.url()).await;
    let signed = anonymous.fetch(&acme.signed(file.url())).await;
    signed.expect_header("content-type", "image/jpeg");
    assert!(signed.body != PHOTO);

    anonymous.get_err(403, file.url()).await;
    anonymous.get_err(403, &file.url_with("f=jpeg")).await;
}

#[stack_test(options = StackOptions::without_rate_limits().with_parameters(&[("RedirectAboveBytes", "2000")]))]
async fn large_marked_original_is_redirected_to_its_rendition(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    enable(acme, &ImageServer::start(&logo(RED)).await).await;

    let target = stack.anonymous.redirect(file.url()).await;
    let stored = stack.anonymous.fetch(&target).await;

    assert!(stored.body.len() > 2_000 && stored.body != PHOTO);
    stored.expect_header("content-type", "image/jpeg");
    assert!(target.contains("/renditions/"), "{target}");
}

#[stack_test]
async fn watermark_is_read_once_per_process(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme).await;
    let server = ImageServer::start(&logo(RED)).await;
    let set_first = stack.calls_of(enable(acme, &server)).await.calls;
    let set_again = stack.calls_of(enable(acme, &server)).await.calls;

    let calls = async |query| {
        let url = file.url_with(query);
        stack.calls_of(stack.anonymous.fetch(&url)).await.calls
    };
    let rendered = calls("").await;
    let rendered_again = calls("w=32").await;
    let stored = calls("").await;

    let count = |calls: &[String], call: &str| calls.iter().filter(|made| *made == call).count();
    assert_eq!(set_first.len(), 4, "{set_first:?}");
    assert_eq!(count(&set_first, "spaces PutObject"), 1);
    assert_eq!(set_again.len(), 5, "{set_again:?}");
    assert_eq!(count(&set_again, "spaces DeleteObject"), 1);
    assert_eq!(count(&rendered, "delivery GetObject"), 4);
    assert_eq!(count(&rendered_again, "delivery GetObject"), 3);
    assert_eq!(stored, ["delivery GetObject", "delivery TransactGetItems"]);
}
