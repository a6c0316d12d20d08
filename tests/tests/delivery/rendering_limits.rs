//! Limits of renderings: rejected from the header, with the parameter that exceeds them.

use media::Format;
use tests::{Stack, TestSpace, stack_test};

use crate::support::images::png_of_sides;

/// Side of an image that WebP does not support, in pixels.
const WIDE: u32 = 17_000;

/// Uploads an image and returns its URL.
async fn upload(acme: &TestSpace, format: Format, bytes: Vec<u8>) -> String {
    let mime_type = format.media_type().mime_type;
    let file = acme.upload(bytes).named("image", &mime_type).await;
    file.url().to_owned()
}

#[stack_test]
async fn image_over_a_limit_of_sources_is_rejected_on_the_file(stack: &Stack, acme: &TestSpace) {
    for (name, width, height) in [
        ("tall", 1, 60_000_000),
        ("wide", 60_000_000, 1),
        ("overflow", u32::MAX >> 1, u32::MAX >> 1),
        ("large", 20_000, 20_000),
    ] {
        let url = upload(acme, Format::Png, png_of_sides(width, height)).await;
        for query in ["h=32", "w=32&f=webp", "w=1&h=8192&r=scale"] {
            let response = stack.anonymous.get(&format!("{url}?{query}")).await;
            let errors = response.expect_error(422);
            assert!(errors["file"][0].is_string(), "{name} {query}: {errors}");
        }
    }
}

#[stack_test]
async fn output_over_a_limit_is_rejected_on_its_parameter(stack: &Stack, acme: &TestSpace) {
    let square = upload(acme, Format::Png, png_of_sides(8_100, 8_100)).await;
    let photo = upload(acme, Format::Png, png_of_sides(6_000, 4_000)).await;
    let wide = upload(acme, Format::Png, png_of_sides(WIDE, 120)).await;

    for (url, query, field) in [
        (&square, "q=80", "file"),
        (&square, "w=8192&r=scale", "w"),
        (&square, "h=8192&r=scale", "h"),
        (&square, "w=8000&h=8000&r=fill", "w"),
        (&photo, "f=avif", "f"),
        (&photo, "f=avif&h=3900", "f"),
        (&wide, "f=webp", "f"),
    ] {
        let response = stack.anonymous.get(&format!("{url}?{query}")).await;
        let errors = response.expect_error(422);
        assert!(errors[field][0].is_string(), "{query}: {errors}");
    }
}
