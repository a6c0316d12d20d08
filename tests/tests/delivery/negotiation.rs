//! Formats of transformed images that the client does not request: chosen by `Accept` and the original.

use media::{Format, probe};
use tests::{Response, Stack, TestSpace, stack_test};

use crate::support::images::{image, png_of_sides};

/// Accept header of a browser.
const BROWSER: &str = "image/avif,image/webp,*/*;q=0.8";
/// Side of an image that WebP does not support, in pixels.
const WIDE: u32 = 17_000;

/// Uploads an image and returns its URL.
async fn upload(acme: &TestSpace, format: Format, width: u32, height: u32) -> String {
    let mime_type = format.media_type().mime_type;
    let bytes = image(format, width, height);
    let file = acme.upload(bytes).named("image", &mime_type).await;
    file.url().to_owned()
}

/// Returns the format of the image in a response.
fn delivered(response: Response) -> Format {
    let response = response.expect_status(200);
    let info = probe(&response.body).expect("an image");
    let mime_type = info.format.media_type().mime_type;
    assert_eq!(response.header("content-type"), mime_type);
    info.format
}

#[stack_test]
async fn format_is_negotiated_unless_it_is_requested(stack: &Stack, acme: &TestSpace) {
    let jpeg = upload(acme, Format::Jpeg, 64, 48).await;

    for (accept, format) in [
        (BROWSER, Format::Avif),
        ("image/webp,*/*", Format::WebP),
        ("image/webp;q=0.5,image/jpeg", Format::Jpeg),
        ("*/*", Format::Jpeg),
    ] {
        let headers = [("accept", accept)];
        let url = format!("{jpeg}?w=32");
        let response = stack.anonymous.get_with(&url, &headers).await;
        assert_eq!(response.header("vary"), "accept", "{accept}");
        assert_eq!(delivered(response), format, "{accept}");

        let fixed = format!("{jpeg}?w=32&f=png");
        let response = stack.anonymous.get_with(&fixed, &headers).await;
        assert_eq!(response.header("vary"), "", "{accept}");
        assert_eq!(delivered(response), Format::Png, "{accept}");

        let original = stack.anonymous.get_with(&jpeg, &headers).await;
        assert_eq!(original.header("vary"), "", "{accept}");
        assert_eq!(original.header("content-type"), "image/jpeg", "{accept}");
    }
}

#[stack_test]
async fn negotiated_format_gives_way_to_one_that_supports_the_size(
    stack: &Stack,
    acme: &TestSpace,
) {
    // More pixels than an AVIF that is negotiated, and a side that WebP does not support.
    let jpeg = upload(acme, Format::Jpeg, WIDE, 120).await;
    let small = upload(acme, Format::Jpeg, 1_700, 1_200).await;

    for (url, accept, expected) in [
        (&jpeg, BROWSER, Format::Jpeg),
        (&jpeg, "image/webp,*/*", Format::Jpeg),
        (&jpeg, "*/*", Format::Jpeg),
        (&small, BROWSER, Format::WebP),
        (&small, "image/avif,image/webp;q=0", Format::Jpeg),
        (&small, "image/avif", Format::Jpeg),
    ] {
        let url = format!("{url}?q=80");
        let response = stack.anonymous.get_with(&url, &[("accept", accept)]).await;

        assert_eq!(response.header("vary"), "accept", "{accept}");
        assert_eq!(delivered(response), expected, "{accept}");
    }
}

#[stack_test]
async fn negotiated_format_that_gives_way_is_stored_as_the_delivered_one(
    stack: &Stack,
    acme: &TestSpace,
) {
    let url = upload(acme, Format::Jpeg, WIDE, 120).await;
    let negotiated = format!("{url}?q=80");
    let accept = [("accept", "image/webp,*/*")];
    let response = stack.anonymous.get_with(&negotiated, &accept).await;
    let etag = response.header("etag").to_owned();
    assert_eq!(delivered(response), Format::Jpeg);

    let webp = format!("{negotiated}&f=webp");
    stack.anonymous.get_err(422, &webp).await;
    let jpeg = format!("{negotiated}&f=jpg");
    let response = stack.anonymous.get(&jpeg).await;
    assert_eq!(response.header("etag"), etag);
    assert_eq!(delivered(response), Format::Jpeg);
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
        let request = stack
            .anonymous
            .request("HEAD", &format!("{}?{query}", file.url()));
        let response = stack
            .anonymous
            .send(request.header("accept", "image/webp"))
            .await;

        let response = response.expect_status(200);
        assert_eq!(response.header("content-type"), expected, "{width} {query}");
    }
}

#[stack_test]
async fn png_and_gif_originals_are_delivered_as_avif_only_if_webp_is_not_accepted(
    stack: &Stack,
    acme: &TestSpace,
) {
    for original in [Format::Png, Format::Gif] {
        let url = upload(acme, original, 64, 48).await;
        for (accept, expected) in [
            (BROWSER, Format::WebP),
            ("image/avif,image/webp;q=0.1", Format::WebP),
            ("image/avif,*/*;q=0.8", Format::Avif),
        ] {
            let url = format!("{url}?w=32");
            let response = stack.anonymous.get_with(&url, &[("accept", accept)]).await;

            assert_eq!(delivered(response), expected, "{original:?} {accept}");
        }
    }
}
