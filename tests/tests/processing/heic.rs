//! HEIC originals: a photo as phones write it, of 48 tiles, turned, with another color profile and a place.

use tests::{Stack, TestSpace, stack_test};

use super::images::processed;

const PHONE: &[u8] = include_bytes!("../../../shared/media/tests/heic/phone.heic");

#[stack_test]
async fn photo_of_a_phone_has_thumbnails_and_is_delivered_upright(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHONE).named("IMG_0001.heic", "image/heic");
    let file = photo.await;

    let after = processed(stack, acme, file.path()).await;
    assert_eq!(after["processing"]["status"], "completed");
    assert!(after["storage_meta"]["blurhash"].is_string());
    assert_eq!(after["thumbnails"].as_array().map(Vec::len), Some(2));

    // Without another format it becomes JPEG, without the place.
    let accepted = [("accept", "image/jpeg")];
    let url = file.url_with("w=189");
    let delivered = stack.anonymous.fetch_as(200, &url, &accepted).await;
    delivered.expect_header("content-type", "image/jpeg");
    delivered.expect_header("x-image-width", "189");
    delivered.expect_header("x-image-height", "252");
    assert!(!delivered.body.windows(4).any(|bytes| bytes == b"Exif"));

    stack.anonymous.fetch(file.url()).await.expect_body(PHONE);
}
