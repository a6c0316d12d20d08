//! What the record and the delivery of an image show once it is processed.

use domain::naming::ImageSize;
use media::{
    blurhash::blurhash,
    decode::decode,
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
    probe::probe,
};
use serde_json::{Value, json};
use tests::{Client, Observed, PHOTO, Stack, TestSpace, assert_fields, column, stack_test, text};

use super::{job, send};

/// Returns a PNG of two colors side by side, the left one wider.
pub(crate) fn two_colors(width: u32, height: u32, left: [u8; 3], right: [u8; 3]) -> Vec<u8> {
    let mut samples = Vec::new();
    for _ in 0..height {
        for x in 0..width {
            samples.extend(if x * 3 < width * 2 { left } else { right });
        }
    }
    png_of(width, height, Channels::Rgb, samples)
}

/// Returns a PNG of these samples.
pub(crate) fn png_of(width: u32, height: u32, channels: Channels, samples: Vec<u8>) -> Vec<u8> {
    let pixels = Pixels::new(ImageSize::new(width, height), channels, samples);
    let options = EncodeOptions {
        lossless: true,
        ..EncodeOptions::new(Format::Png, 90)
    };
    encode(pixels, &options).expect("a PNG")
}

/// Returns a BMP of one color.
fn bmp(width: u16, height: u16) -> Vec<u8> {
    let padding = vec![0; usize::from(width) % 4];
    let row = [[10, 20, 200].repeat(width.into()), padding].concat();
    let pixels = row.repeat(height.into());
    let [width, height] = [width, height].map(u32::from);
    let size = 54 + u32::try_from(pixels.len()).expect("a small image");
    let format = [40, width, height, 1 | 24 << 16, 0, 0, 0, 0, 0, 0];
    let words = [&[size, 0, 54], &format[..]].concat();
    let header: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    [&b"BM"[..], &header, &pixels].concat()
}

/// Returns a file as the API shows it after all jobs.
pub(crate) async fn processed(stack: &Stack, acme: &TestSpace, path: &str) -> Value {
    stack.run_post_upload().await;
    acme.get_ok(path).await
}

/// Returns the image at a URL that needs no rendering.
pub(crate) async fn stored_image(client: &Client, stack: &Stack, url: &str) -> Pixels {
    image_after(client, stack, url, 0).await
}

/// Returns the image at a URL whose first request renders and stores it.
pub(crate) async fn first_image(client: &Client, stack: &Stack, url: &str) -> Pixels {
    image_after(client, stack, url, 1).await
}

/// Returns the image at a URL whose request stores this number of objects.
async fn image_after(client: &Client, stack: &Stack, url: &str, stored: usize) -> Pixels {
    let Observed {
        output: response,
        calls,
    } = stack.calls_of(client.get(url)).await;
    let puts = calls.iter().filter(|call| call.ends_with("PutObject"));
    assert_eq!(puts.count(), stored, "{url}: {calls:?}");

    pixels_of(&response.expect_status(200).body)
}

#[stack_test]
async fn image_gets_metadata_and_blurhash_and_lists_thumbnails_that_are_rendered_on_request(
    stack: &Stack,
) {
    let acme = stack.space("Acme").await;
    let image = two_colors(900, 600, [200, 30, 30], [250, 250, 250]);
    let file = acme.upload(image).named("flag.png", "image/png").await;
    let before = acme.get_ok(file.path()).await;
    assert_eq!(before["storage_meta"], json!({}));
    assert_eq!(before["thumbnails"], json!([]));

    let after = processed(stack, &acme, file.path()).await;

    let meta = &after["storage_meta"];
    let expected = json!({
        "width": 900, "height": 600, "format": "png", "orientation": 1, "has_alpha": false, "pages": 1,
        "dominant_color": "#c81e1e",
    });
    assert_fields(meta, expected);
    assert_eq!(meta["blurhash"].as_str().map(str::len), Some(28));
    assert!(meta.get("duration").is_none());

    let objects = stack.dump().await.objects.into_keys();
    let renditions: Vec<String> = objects.filter(|key| key.contains("/renditions/")).collect();
    assert_eq!(renditions, [] as [&str; 0]);

    let thumbnails = after["thumbnails"].as_array().expect("a list");
    assert_eq!(column(&after["thumbnails"], "width"), [160, 320, 640]);
    for thumbnail in thumbnails {
        let url = text(&thumbnail["url"]);
        let pixels = first_image(&stack.anonymous, stack, &url).await;
        assert_eq!(thumbnail["width"], pixels.width);
        assert_eq!(thumbnail["height"], pixels.height);
        stored_image(&stack.anonymous, stack, &url).await;
    }
}

fn pixels_of(image: &[u8]) -> Pixels {
    let info = probe(image).expect("an image");
    decode(image, &info).expect("pixels")
}

#[stack_test]
async fn blurhash_is_that_of_the_small_rendition(stack: &Stack, acme: &TestSpace) {
    let image = two_colors(60, 40, [0, 80, 200], [255, 255, 0]);
    let file = acme.upload(image.clone()).named("a.png", "image/png").await;

    let after = processed(stack, acme, file.path()).await;

    // The image is smaller than the rendition, which is lossless.
    let expected = blurhash(&pixels_of(&image));
    assert_eq!(after["storage_meta"]["blurhash"], expected);
}

#[stack_test]
async fn delivery_states_blurhash_and_dimensions(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let early = stack.anonymous.fetch(file.url()).await;
    assert!(early.headers.get("x-blurhash").is_none());

    let after = processed(stack, acme, file.path()).await;
    let meta = &after["storage_meta"];
    let late = stack.anonymous.fetch(file.url()).await;

    assert_eq!(late.header("x-blurhash"), meta["blurhash"]);
    assert_eq!(late.header("x-image-width"), meta["width"].to_string());
    assert_eq!(late.header("x-image-height"), meta["height"].to_string());
    assert_eq!(late.header("etag"), early.header("etag"));
}

#[stack_test]
async fn processing_twice_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let once = processed(stack, acme, file.path()).await;

    let id = file.id.parse().expect("an id");
    let again = async {
        send(stack, job(stack, acme, id)).await;
        stack.run_post_upload().await;
    };
    let calls = stack.calls_of(again).await.calls;

    let is_of_job =
        |call: &&String| call.starts_with("processing") && !call.ends_with("DeleteMessageBatch");
    let calls: Vec<&String> = calls.iter().filter(is_of_job).collect();
    assert_eq!(calls, ["processing BatchGetItem"]);
    assert_eq!(acme.get_ok(file.path()).await, once);
}

#[stack_test]
async fn bmp_gets_thumbnails_and_a_damaged_one_fails(stack: &Stack, acme: &TestSpace) {
    let image = bmp(301, 200);
    let damaged = image[..image.len() / 2].to_vec();
    let file = acme.upload(image).named("a.bmp", "image/bmp").await;
    let other = acme.upload(damaged).named("b.bmp", "image/bmp").await;

    let after = processed(stack, acme, file.path()).await;
    let failed = acme.get_ok(other.path()).await;

    assert_eq!(after["storage_meta"]["dominant_color"], "#c8140a");
    assert!(after["storage_meta"]["blurhash"].is_string());
    assert_eq!(after["thumbnails"][0]["width"], 160);
    assert_eq!(failed["processing"]["status"], "failed");
}
