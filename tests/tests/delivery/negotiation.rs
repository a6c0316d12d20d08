//! Formats of transformed images that the client does not request: chosen by `Accept` and the original.

use media::{Format, probe};
use tests::{File, Response, Stack, TestSpace, stack_test};

use crate::support::images::{image, png_of_sides};

/// Accept header of a browser.
const BROWSER: &str = "image/avif,image/webp,*/*;q=0.8";
/// Side of an image that WebP does not support, in pixels.
const WIDE: u32 = 17_000;

async fn upload(acme: &TestSpace, format: Format, width: u32, height: u32) -> File {
    let mime_type = format.media_type().mime_type;
    let bytes = image(format, width, height);
    acme.upload(bytes).named("image", &mime_type).await
}

/// Returns the format of the image in a response.
fn delivered(response: &Response) -> Format {
    let info = probe(&response.body).expect("an image");
    response.expect_header("content-type", info.format.media_type().mime_type);
    info.format
}

#[stack_test]
async fn format_is_negotiated_unless_it_is_requested(stack: &Stack, acme: &TestSpace) {
    let jpeg = upload(acme, Format::Jpeg, 64, 48).await;
    let png = upload(acme, Format::Png, 64, 48).await;

    for (file, accept, format) in [
        (&jpeg, BROWSER, Format::Avif),
        (&jpeg, "image/webp;q=0.5,image/jpeg", Format::Jpeg),
        (&jpeg, "*/*", Format::Jpeg),
        (&png, BROWSER, Format::WebP),
        (&png, "image/avif,*/*;q=0.8", Format::Avif),
    ] {
        let accept = [("accept", accept)];
        let negotiated = file.url_with("w=32");
        let response = stack.anonymous.fetch_as(200, &negotiated, &accept).await;
        response.expect_header("vary", "accept");
        assert_eq!(delivered(&response), format, "{accept:?}");

        let fixed = file.url_with("w=32&f=gif");
        let response = stack.anonymous.fetch_as(200, &fixed, &accept).await;
        response.expect_header("vary", "");
        assert_eq!(delivered(&response), Format::Gif, "{accept:?}");

        let original = stack.anonymous.fetch_as(200, file.url(), &accept).await;
        original.expect_header("vary", "").expect_header(
            "content-type",
            file["mime_type"].as_str().unwrap_or_default(),
        );
    }
}

#[stack_test]
async fn negotiated_format_gives_way_to_one_that_supports_the_size(
    stack: &Stack,
    acme: &TestSpace,
) {
    // More pixels than an AVIF that is negotiated, and a side that WebP does not support.
    let wide = upload(acme, Format::Jpeg, WIDE, 120).await;
    let large = upload(acme, Format::Jpeg, 1_700, 1_200).await;

    let mut etags = Vec::new();
    for (file, accept, expected) in [
        (&wide, BROWSER, Format::Jpeg),
        (&wide, "image/webp,*/*", Format::Jpeg),
        (&wide, "*/*", Format::Jpeg),
        (&large, BROWSER, Format::WebP),
        (&large, "image/avif,image/webp;q=0", Format::Jpeg),
    ] {
        let accept = [("accept", accept)];
        let url = file.url_with("q=80");
        let response = stack.anonymous.fetch_as(200, &url, &accept).await;
        response.expect_header("vary", "accept");
        assert_eq!(delivered(&response), expected, "{accept:?}");
        etags.push(response.header("etag").to_owned());
    }

    // It is stored as the delivered format.
    let webp = wide.url_with("q=80&f=webp");
    stack.anonymous.get_err(422, &webp).await;
    let jpeg = wide.url_with("q=80&f=jpg");
    let jpeg = stack.anonymous.fetch(&jpeg).await;
    for etag in &etags[..3] {
        jpeg.expect_header("etag", etag);
    }
}

#[stack_test]
async fn head_states_a_negotiated_format_unless_another_may_replace_it(
    stack: &Stack,
    acme: &TestSpace,
) {
    for (width, query, expected) in [
        (10_000, "w=100", "image/webp"),
        (10_001, "w=100", ""),
        (10_000, "w=5000", ""),
    ] {
        let png = png_of_sides(width, 5_000);
        let file = acme.upload(png).named("a.png", "image/png").await;

        let request = stack.anonymous.request("HEAD", &file.url_with(query));
        let request = request.header("accept", "image/webp");
        let response = stack.anonymous.send(request).await.expect_status(200);

        response.expect_header("content-type", expected);
    }
}
