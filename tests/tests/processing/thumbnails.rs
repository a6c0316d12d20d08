//! Thumbnails that the API lists, and delivery renders.

use media::{format::Format, probe::probe};
use serde_json::{Value, json};
use tests::{Stack, StackOptions, TestSpace, stack_test, text};

use super::images::{first_image, processed, stored_image};
use crate::{
    delivery::negotiation::animation,
    support::images::{image, with_exif},
};

fn one_anonymous_rendition() -> StackOptions {
    StackOptions::without_rate_limits().with_parameters(&[("AnonymousRenditionsPerFile", "1")])
}

/// Uploads and processes an image, and returns its thumbnails.
async fn thumbnails(stack: &Stack, acme: &TestSpace, format: Format, bytes: Vec<u8>) -> Vec<Value> {
    let mime_type = format.media_type().mime_type;
    let file = acme.upload(bytes).named("a", &mime_type).await;
    let after = processed(stack, acme, file.path()).await;
    after["thumbnails"].as_array().expect("a list").clone()
}

#[stack_test(options = one_anonymous_rendition())]
async fn thumbnails_are_stored_although_the_renditions_of_their_file_are_used_up(
    stack: &Stack,
    acme: &TestSpace,
) {
    let png = image(Format::Png, 400, 300);
    let thumbnails = thumbnails(stack, acme, Format::Png, png).await;
    let url = text(&thumbnails[0]["url"]);
    let file = url.split('?').next().expect("a URL");
    for width in [20, 21] {
        let other = format!("{file}?w={width}");
        stack.anonymous.fetch(&other).await;
    }

    for thumbnail in &thumbnails {
        let url = text(&thumbnail["url"]);
        first_image(&stack.anonymous, stack, &url).await;
        stored_image(&stack.anonymous, stack, &url).await;
    }

    let objects = stack.dump().await.objects.into_keys();
    let (expiring, permanent): (Vec<String>, Vec<String>) = objects
        .filter(|key| key.contains("/renditions/"))
        .partition(|key| key.contains("/expiring/"));
    assert_eq!([expiring.len(), permanent.len()], [1, 2]);
}

#[stack_test]
async fn thumbnails_are_listed_with_the_sizes_and_formats_that_they_are_delivered_in(
    stack: &Stack,
) {
    let acme = stack.space("Acme").await;
    for (format, bytes, sizes) in [
        (Format::Jpeg, with_exif(Format::Jpeg, 6), &[(16, 24)][..]),
        (Format::Gif, animation(), &[(64, 48)]),
        (
            Format::Png,
            image(Format::Png, 700, 3),
            &[(160, 1), (320, 1), (640, 3)],
        ),
        (
            Format::Png,
            image(Format::Png, 90, 321),
            &[(45, 160), (90, 320)],
        ),
    ] {
        let listed = thumbnails(stack, &acme, format, bytes).await;

        assert_eq!(listed.len(), sizes.len(), "{listed:?}");
        for (thumbnail, (width, height)) in listed.iter().zip(sizes) {
            assert_eq!(thumbnail["width"], json!(width));
            assert_eq!(thumbnail["height"], json!(height));
            let url = text(&thumbnail["url"]);
            let delivered = stack.anonymous.fetch(&url).await.body;
            let delivered = probe(&delivered).expect("an image");
            let size = delivered.displayed();
            assert_eq!((size.width, size.height), (*width, *height));
            let expected = if format == Format::Gif {
                Format::Png
            } else {
                Format::WebP
            };
            assert_eq!(delivered.format, expected);
        }
    }
}
