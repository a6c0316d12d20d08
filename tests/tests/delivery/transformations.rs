//! Transformed images: sizes, formats, storage and limits.

use domain::naming::ImageSize;
use futures::future::join_all;
use media::{format::Format, probe::probe};
use tests::{File, Observed, Response, Stack, TestSpace, stack_test, text};

use super::watermarks::{RED, enable, is_marked};
use crate::support::{
    image_server::{ImageServer, logo},
    images::{image, png_of_sides},
};

/// Accept header of a browser.
const BROWSER: (&str, &str) = ("accept", "image/avif,image/webp,*/*;q=0.8");

/// Uploads an image of 64 × 48 pixels.
async fn upload_image(acme: &TestSpace, format: Format) -> File {
    let bytes = image(format, 64, 48);
    acme.upload(bytes).named("a.b.bin", "image/jpeg").await
}

/// Returns format, width and height of the image in a response.
fn delivered(response: &Response) -> (Format, u32, u32) {
    let info = probe(&response.body).expect("an image");
    let ImageSize { width, height } = info.displayed();
    response
        .expect_header("content-type", info.format.media_type().mime_type)
        .expect_header("x-image-width", width.to_string())
        .expect_header("x-image-height", height.to_string())
        .expect_header("x-content-type-options", "nosniff");
    (info.format, width, height)
}

#[stack_test]
async fn image_is_resized_and_converted_as_requested(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme, Format::Png).await;
    for (query, expected) in [
        ("w=32", (Format::Png, 32, 24)),
        ("h=12&f=jpeg", (Format::Jpeg, 16, 12)),
        ("h=12&f=jpg", (Format::Jpeg, 16, 12)),
        ("w=32&h=32", (Format::Png, 32, 24)),
        ("w=32&h=32&r=fill&f=webp", (Format::WebP, 32, 32)),
        ("w=32&h=32&r=scale&f=gif", (Format::Gif, 32, 32)),
        ("w=16&r=crop&g=southeast", (Format::Png, 16, 48)),
        ("w=24&h=24&r=thumb&f=avif", (Format::Avif, 24, 24)),
        ("w=128", (Format::Png, 64, 48)),
        ("f=jpeg&q=10", (Format::Jpeg, 64, 48)),
        ("q=auto", (Format::Png, 64, 48)),
    ] {
        let response = stack.anonymous.fetch(&file.url_with(query)).await;
        assert_eq!(delivered(&response), expected, "{query}");
    }

    let saved = file.url_with("w=32&f=webp&download");
    let saved = stack.anonymous.fetch(&saved).await;
    saved.expect_header("content-disposition", "attachment; filename=\"a.b.webp\"");
}

#[stack_test]
async fn simultaneous_requests_render_once(stack: &Stack, acme: &TestSpace) {
    let url = upload_image(acme, Format::Png).await.url_with("w=32");

    let requests = join_all((0..20).map(|_| stack.anonymous.fetch(&url)));
    let calls = stack.calls_of(requests).await.calls;

    let renderings = calls.iter().filter(|call| call.ends_with("PutObject"));
    assert_eq!(renderings.count(), 1, "{calls:?}");
}

#[stack_test]
async fn unchanged_rendition_returns_304_without_reading_it(stack: &Stack, acme: &TestSpace) {
    let url = upload_image(acme, Format::Jpeg).await.url_with("w=32");
    let webp = stack.anonymous.get_with(&url, &[BROWSER]).await;
    let unchanged = ("if-none-match", webp.header("etag"));

    let conditional = [BROWSER, unchanged];
    let request = stack.anonymous.fetch_as(304, &url, &conditional);
    let Observed { output, calls } = stack.calls_of(request).await;
    output.expect_header("vary", "accept");
    assert_eq!(calls, ["delivery TransactGetItems"]);

    // Another format has another ETag.
    let other = [("accept", "*/*"), unchanged];
    let other = stack.anonymous.fetch_as(200, &url, &other).await;
    assert_eq!(delivered(&other).0, Format::Jpeg);
}

#[stack_test]
async fn invalid_transformation_reports_all_parameters(stack: &Stack, acme: &TestSpace) {
    let file = upload_image(acme, Format::Png).await;

    for (query, names) in [
        ("w=0&h=8193&r=pad&g=middle&f=bmp&q=101", "w h r g f q"),
        ("w=&f=", "w f"),
        ("w=10&w=10", "w"),
        ("width=10&format=webp&utm_source=a", "width format"),
    ] {
        let errors = stack.anonymous.get_err(422, &file.url_with(query)).await;
        for name in names.split(' ') {
            assert!(errors[name][0].is_string(), "{query}: {errors}");
        }
    }
}

#[stack_test]
async fn file_that_cannot_be_rendered_returns_422(stack: &Stack, acme: &TestSpace) {
    let mut truncated = image(Format::Jpeg, 64, 48);
    truncated.truncate(truncated.len() / 2);
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
    let bomb = png_of_sides(65_535, 65_535);

    for (mime_type, bytes, reason) in [
        ("text/plain", b"some text".to_vec(), "must be an image"),
        ("image/svg+xml", svg, "can be decoded"),
        ("image/jpeg", truncated, "is a truncated image."),
        ("image/png", bomb, "100000000 pixels"),
    ] {
        let file = acme.upload(bytes.clone()).named("a", mime_type).await;

        let errors = stack.anonymous.get_err(422, &file.url_with("w=32")).await;
        let message = text(&errors["file"][0]);
        assert!(message.contains(reason), "{mime_type}: {message}");

        let original = stack.anonymous.fetch(file.url()).await;
        original.expect_body(&bytes);
    }
}

#[stack_test]
async fn conditions_apply_only_to_renditions_that_can_be_delivered(
    stack: &Stack,
    acme: &TestSpace,
) {
    let text = acme.upload("text").named("a.txt", "text/plain").await;
    let text = text.url_with("w=32");
    let image = upload_image(acme, Format::Png).await.url_with("w=32");

    for (condition, status) in [
        (("if-none-match", "*"), 304),
        (("if-match", "*"), 200),
        (("if-match", "\"other\""), 412),
        (("if-none-match", "\"other\""), 200),
    ] {
        stack.anonymous.fetch_as(422, &text, &[condition]).await;
        stack.anonymous.fetch_as(status, &image, &[condition]).await;
    }
}

#[stack_test]
async fn rendering_over_a_limit_is_rejected_from_the_header_on_its_parameter(
    stack: &Stack,
    acme: &TestSpace,
) {
    const HALF: u32 = u32::MAX >> 1;
    for ((width, height), queries, field) in [
        ((1, 60_000_000), "h=32 w=1&h=8192&r=scale", "file"),
        ((60_000_000, 1), "h=32 w=32&f=webp", "file"),
        ((HALF, HALF), "h=32", "file"),
        ((20_000, 20_000), "h=32", "file"),
        ((8_100, 8_100), "q=80", "file"),
        ((8_100, 8_100), "w=8192&r=scale w=8000&h=8000&r=fill", "w"),
        ((8_100, 8_100), "h=8192&r=scale", "h"),
        ((6_000, 4_000), "f=avif f=avif&h=3900", "f"),
        ((17_000, 120), "f=webp", "f"),
    ] {
        let png = png_of_sides(width, height);
        let file = acme.upload(png).named("image", "image/png").await;

        for query in queries.split(' ') {
            let errors = stack.anonymous.get_err(422, &file.url_with(query)).await;
            assert!(errors[field][0].is_string(), "{width} {query}: {errors}");
        }
    }
}

#[stack_test]
async fn avif_original_is_transformed(stack: &Stack, acme: &TestSpace) {
    let bytes = image(Format::Avif, 64, 48);
    let upload = acme.upload(bytes.clone());
    let file = upload.named("a.avif", "image/avif").await;

    for (query, expected) in [
        ("w=32", (Format::Avif, 32, 24)),
        ("f=jpeg", (Format::Jpeg, 64, 48)),
        ("f=avif&q=50", (Format::Avif, 64, 48)),
        ("h=8&r=thumb&f=png", (Format::Png, 11, 8)),
    ] {
        let response = stack.anonymous.fetch(&file.url_with(query)).await;
        assert_eq!(delivered(&response), expected, "{query}");
    }
    let original = stack.anonymous.fetch(file.url()).await;
    original.expect_header("content-type", "image/avif");
    original.expect_body(&bytes);

    enable(acme, &ImageServer::start(&logo(RED)).await).await;
    for query in ["", "w=32", "f=jpeg"] {
        let marked = stack.anonymous.fetch(&file.url_with(query)).await;
        assert!(is_marked(&marked, RED), "{query}");
    }
}
