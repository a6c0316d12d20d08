//! Upload configs: limits of image dimensions, and transformations of images.

use std::sync::atomic::{AtomicU32, Ordering};

use media::Format;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{Response, Stack, TestSpace, stack_test, text};

use crate::support::images::{image, jpeg_of_sides, png_of_sides, webp_of_sides, with_exif};

pub(super) const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'/>";

/// Creates an upload config, and returns its generated name.
pub(super) async fn create_config(acme: &TestSpace, settings: Value) -> String {
    static CREATED: AtomicU32 = AtomicU32::new(0);

    let name = format!("config-{}", CREATED.fetch_add(1, Ordering::Relaxed));
    acme.upload_config(&name).with_settings(settings).await;

    name
}

pub(super) async fn upload(acme: &TestSpace, config: &str, name: &str, bytes: &[u8]) -> Response {
    let file = acme.upload(bytes).named(name, "application/octet-stream");
    file.with_config(config).send().await
}

/// Returns the delivered bytes of a file, after asserting that its record describes them.
pub(super) async fn delivered_bytes(stack: &Stack, acme: &TestSpace, record: &Value) -> Vec<u8> {
    let id = record["id"].as_str().expect("an id");
    assert_eq!(&acme.get_ok(&format!("/files/{id}")).await, record);

    let delivered = stack
        .anonymous
        .fetch(record["url"].as_str().expect("a URL"))
        .await;

    assert_eq!(record["size"], json!(delivered.body.len()));
    assert_eq!(
        record["checksum_sha256"],
        json!(hex::encode(Sha256::digest(&delivered.body)))
    );
    assert_eq!(
        record["mime_type"],
        json!(
            delivered
                .header("content-type")
                .trim_end_matches("; charset=utf-8")
        )
    );
    assert!(
        record["name"]
            .as_str()
            .expect("a name")
            .ends_with(record["extension"].as_str().expect("an extension"))
    );

    if let Some(reported) = Format::detect(&delivered.body).map(Format::media_type) {
        assert_eq!(
            (&record["mime_type"], &record["extension"]),
            (&json!(reported.mime_type), &json!(reported.extension))
        );
    }

    delivered.body.to_vec()
}

#[stack_test]
async fn dimensions_respect_orientation(stack: &Stack, acme: &TestSpace) {
    // Orientation 6 rotates 24×16 stored pixels to 16×24.
    let mut images = vec![(image(Format::Avif, 24, 16), 24, 16)];
    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        images.extend([
            (image(format, 24, 16), 24, 16),
            (with_exif(format, 6), 16, 24),
        ]);
    }

    for rule in ["width", "height"] {
        for (bound, side, is_minimum) in [
            ("min", 16, true),
            ("min", 17, true),
            ("max", 16, false),
            ("max", 15, false),
        ] {
            let config = create_config(
                acme,
                json!({"validation": {format!("{bound}_image_{rule}"): side}}),
            )
            .await;
            for (bytes, width, height) in &images {
                let length = if rule == "width" { *width } else { *height };
                let response = upload(acme, &config, "image", bytes).await;
                if if is_minimum {
                    length >= side
                } else {
                    length <= side
                } {
                    assert_eq!(
                        &delivered_bytes(stack, acme, &response.expect_created()).await,
                        bytes
                    );
                } else {
                    let words = if is_minimum { "at least" } else { "at most" };
                    let error = format!(
                        "The file field has invalid image dimensions: the image has {width} × \
                         {height} pixels, but the upload config requires a {rule} of {words} {side}."
                    );
                    assert_eq!(
                        response.expect_error(422),
                        json!({"file": [error]}),
                        "{bound} {rule} {side}, {width}×{height}"
                    );
                }
            }
        }
    }
}

#[stack_test]
async fn image_without_readable_dimensions_is_rejected(stack: &Stack, acme: &TestSpace) {
    let config = create_config(
        acme,
        json!({"validation": {"max_image_width": 100, "min_image_height": 1}}),
    )
    .await;

    for (name, bytes) in [
        ("a.txt", &b"just text"[..]),
        ("a.pdf", b"%PDF-1.7\n%"),
        ("a.mp4", b"\0\0\0\x20ftypisom\0\0"),
    ] {
        upload(acme, &config, name, bytes).await.expect_created();
    }

    let before = stack.dump().await;
    let jpeg = image(Format::Jpeg, 24, 16);

    let unreadable = "they cannot be read";
    let bomb = "the image has 65000 × 65000 pixels, but the upload config requires a width of \
                at most 100, and a height of at least 1";
    for (name, bytes, reason) in [
        ("vector.svg", SVG, unreadable),
        ("truncated header", &jpeg[..20], unreadable),
        ("decompression bomb", &png_of_sides(65_000, 65_000), bomb),
        ("no pixels", &png_of_sides(0, 16), unreadable),
        (
            "unknown format",
            b"8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x10\0\0\0\x10\0\x08\0\x03",
            unreadable,
        ),
    ] {
        let errors = upload(acme, &config, name, bytes).await.expect_error(422);
        let error = format!("The file field has invalid image dimensions: {reason}.");
        assert_eq!(errors, json!({"file": [error]}), "{name}");
    }

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let whole = image(format, 24, 16);
        let errors = upload(acme, &config, "image", &whole[..whole.len() - 4])
            .await
            .expect_error(422);
        assert_eq!(
            errors,
            json!({"file": ["The file field must be a complete image; this one is truncated."]}),
            "{format:?}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "images without readable dimensions");
}

#[stack_test]
async fn jpeg_without_end_marker_is_accepted(stack: &Stack, acme: &TestSpace) {
    let config = create_config(acme, json!({"validation": {"max_image_width": 24}})).await;
    let whole = image(Format::Jpeg, 24, 16);
    let bytes = &whole[..whole.len() - 2];

    let file = upload(acme, &config, "image", bytes).await;

    let url = text(&file.expect_created()["url"]);
    let original = stack.anonymous.fetch(&url).await;
    assert!(original.body == bytes);
    let transformed = stack.anonymous.get(&format!("{url}?w=12&f=png")).await;
    assert_eq!(transformed.expect_status(200).header("x-image-width"), "12");
}

#[stack_test]
async fn exif_at_end_of_large_file_is_respected(acme: &TestSpace) {
    let config = create_config(
        acme,
        json!({"validation": {"max_image_width": 16, "max_image_height": 24}}),
    )
    .await;
    let rotated = with_exif(Format::WebP, 6);
    let exif_start = rotated
        .windows(4)
        .position(|window| window == b"EXIF")
        .expect("camera data");
    let mut large = rotated[..exif_start].to_vec();

    large.extend(
        [
            &b"JUNK"[..],
            &2_000_000_u32.to_le_bytes(),
            &vec![0; 2_000_000],
            &rotated[exif_start..],
        ]
        .concat(),
    );

    let length = u32::try_from(large.len() - 8).expect("a small file");
    large[4..8].copy_from_slice(&length.to_le_bytes());
    upload(acme, &config, "image", &large)
        .await
        .expect_created();
}

fn file_error(end: &str) -> Value {
    json!({"file": [format!("The file field {end}.")]})
}

#[stack_test]
async fn mislabeled_image_is_rejected_and_not_stored(stack: &Stack, acme: &TestSpace) {
    let converting =
        create_config(acme, json!({"transformations": {"upload_format": "avif"}})).await;
    let stripping = create_config(acme, json!({"transformations": {"strip_metadata": true}})).await;
    let measuring = create_config(acme, json!({"validation": {"min_image_width": 10}})).await;
    let bomb = || file_error("must not have more than 100000000 pixels");
    let undecodable = || file_error("must be an image that can be decoded");
    let before = stack.dump().await;

    for (name, bytes, expected) in [
        ("PNG bomb", png_of_sides(65_000, 65_000), bomb()),
        ("JPEG bomb", jpeg_of_sides(65_500, 65_500), bomb()),
        ("WebP bomb", webp_of_sides(16_383, 16_383), bomb()),
        ("JPEG, too high", jpeg_of_sides(240, 4_000), undecodable()),
        ("JPEG, too wide", jpeg_of_sides(4_000, 160), undecodable()),
        ("PNG, too high", png_of_sides(240, 4_000), undecodable()),
    ] {
        assert_eq!(
            upload(acme, &converting, name, &bytes)
                .await
                .expect_error(422),
            expected,
            "{name}"
        );
    }

    let metadata_error = file_error("must be of a format whose metadata can be removed");
    for (name, bytes) in [
        ("image.avif", image(Format::Avif, 24, 16)),
        ("image.svg", SVG.to_vec()),
    ] {
        assert_eq!(
            upload(acme, &stripping, name, &bytes)
                .await
                .expect_error(422),
            metadata_error,
            "{name}"
        );
    }

    for (name, bytes, expected) in [
        ("PNG bomb", png_of_sides(65_000, 65_000), bomb()),
        ("JPEG, too high", jpeg_of_sides(240, 4_000), undecodable()),
        ("PNG, too high", png_of_sides(240, 4_000), undecodable()),
    ] {
        assert_eq!(
            upload(acme, &measuring, name, &bytes)
                .await
                .expect_error(422),
            expected,
            "{name}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "mislabeled images");
}

#[stack_test]
async fn truncated_image_is_rejected_and_not_stored(stack: &Stack, acme: &TestSpace) {
    let converting =
        create_config(acme, json!({"transformations": {"upload_format": "avif"}})).await;
    let stripping = create_config(acme, json!({"transformations": {"strip_metadata": true}})).await;
    let truncated = file_error("must be a complete image; this one is truncated");
    let before = stack.dump().await;

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let whole = image(format, 240, 160);
        // A JPEG can be decoded without its end marker of two bytes.
        for length in [whole.len() / 10, whole.len() / 2, whole.len() - 3] {
            for config in [&converting, &stripping] {
                let errors = upload(acme, config, "image", &whole[..length])
                    .await
                    .expect_error(422);
                assert_eq!(
                    errors,
                    truncated,
                    "{format:?}, {length} bytes of {}",
                    whole.len()
                );
            }
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "truncated images");
}
