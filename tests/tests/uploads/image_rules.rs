//! Upload configs: limits of image dimensions, and images that are incomplete or cannot be decoded.

use media::format::Format;
use serde_json::{Value, json};
use tests::{Stack, stack_test, text};

use super::{
    confirm::delivered_bytes,
    routes::{ROUTES, Route, Uploads, assert_rejected, without_limits},
};
use crate::support::images::{image, jpeg_of_sides, png_of_sides, webp_of_sides, with_exif};

pub(super) const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'/>";
/// Declared type of files whose type is detected.
pub(super) const UNKNOWN: &str = "application/octet-stream";

const UNREADABLE: &str = "has invalid image dimensions: they cannot be read";
const TOO_MANY_PIXELS: &str = "must not have more than 100000000 pixels";
const UNDECODABLE: &str = "must be an image that can be decoded";
pub(super) const TRUNCATED: &str = "must be a complete image; this one is truncated";

/// Returns settings with a rule for the dimensions of images.
fn rule(name: &str, pixels: u32) -> Value {
    json!({"validation": {name: pixels}})
}

#[stack_test]
async fn dimensions_respect_orientation(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    // Orientation 6 rotates 24×16 stored pixels to 16×24.
    let mut images = vec![(image(Format::Avif, 24, 16), 24, 16)];
    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        images.push((image(format, 24, 16), 24, 16));
        images.push((with_exif(format, 6), 16, 24));
    }

    for (bound, side, words) in [
        ("min", 16, "at least"),
        ("min", 17, "at least"),
        ("max", 16, "at most"),
        ("max", 15, "at most"),
    ] {
        for length in ["width", "height"] {
            let name = format!("{bound}_image_{length}");
            uploads.set_rules(rule(&name, side)).await;
            for (bytes, width, height) in &images {
                let found = if length == "width" { *width } else { *height };
                let is_valid = if bound == "min" {
                    found >= side
                } else {
                    found <= side
                };
                let response = uploads.file(Route::Form, "image", UNKNOWN, &bytes[..]);
                let response = response.send().await.with_context(&name);
                if is_valid {
                    let record = response.expect_created();
                    assert_eq!(&delivered_bytes(stack, &record).await, bytes);
                } else {
                    let error_end = format!(
                        "has invalid image dimensions: the image has {width} × {height} pixels, \
                         but the upload config requires a {length} of {words} {side}"
                    );
                    assert_rejected(response, &error_end);
                }
            }
        }
    }
}

/// The name and bytes of an image that a config rejects, and the end of the error message.
type Rejected = (&'static str, Vec<u8>, &'static str);

fn rejected(name: &'static str, bytes: &[u8], error_end: &'static str) -> Rejected {
    (name, bytes.to_vec(), error_end)
}

/// Returns images that cannot be measured, or that a narrow config rejects.
fn unmeasured() -> Vec<Rejected> {
    let jpeg = image(Format::Jpeg, 24, 16);
    let photoshop = b"8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x10\0\0\0\x10\0\x08\0\x03";
    let bomb = "has invalid image dimensions: the image has 65000 × 65000 pixels, but the upload \
                config requires a width of at most 100, and a height of at least 1";

    let mut images = vec![
        rejected("vector.svg", SVG, UNREADABLE),
        rejected("truncated header", &jpeg[..20], UNREADABLE),
        ("decompression bomb", png_of_sides(65_000, 65_000), bomb),
        ("no pixels", png_of_sides(0, 16), UNREADABLE),
        rejected("unknown format", photoshop, UNREADABLE),
    ];
    images.extend([Format::Jpeg, Format::Png, Format::WebP].map(|format| {
        let whole = image(format, 24, 16);
        let end = whole.len() - behind_pixels(format) - 4;
        rejected("without its end", &whole[..end], TRUNCATED)
    }));
    images
}

/// Returns images with headers of other dimensions.
fn mislabeled() -> Vec<Rejected> {
    let png_bomb = png_of_sides(65_000, 65_000);
    let jpeg_bomb = jpeg_of_sides(65_500, 65_500);
    let webp_bomb = webp_of_sides(16_383, 16_383);

    vec![
        ("PNG bomb", png_bomb, TOO_MANY_PIXELS),
        ("JPEG bomb", jpeg_bomb, TOO_MANY_PIXELS),
        ("WebP bomb", webp_bomb, TOO_MANY_PIXELS),
        ("JPEG, too high", jpeg_of_sides(240, 4_000), UNDECODABLE),
        ("JPEG, too wide", jpeg_of_sides(4_000, 160), UNDECODABLE),
        ("PNG, too high", png_of_sides(240, 4_000), UNDECODABLE),
    ]
}

/// Returns the number of bytes behind the pixels that an image can be decoded without, apart from
/// the end marker of a JPEG.
fn behind_pixels(format: Format) -> usize {
    // A checksum, and the last chunk.
    if format == Format::Png { 16 } else { 0 }
}

/// Returns truncated images. A JPEG can be decoded without its end marker of two bytes.
fn truncated() -> Vec<Rejected> {
    let truncated = |format: Format| {
        let whole = image(format, 240, 160);
        let end = whole.len() - behind_pixels(format);
        let lengths = [whole.len() / 10, whole.len() / 2, end - 3];
        lengths.map(|length| rejected("truncated", &whole[..length], TRUNCATED))
    };
    let formats = [Format::Jpeg, Format::Png, Format::WebP];
    formats.into_iter().flat_map(truncated).collect()
}

/// Returns images whose metadata cannot be removed.
fn unstrippable() -> Vec<Rejected> {
    let error_end = "must be of a format whose metadata can be removed";
    vec![
        ("image.avif", image(Format::Avif, 24, 16), error_end),
        rejected("image.svg", SVG, error_end),
    ]
}

#[stack_test(options = without_limits())]
async fn mislabeled_image_is_rejected_and_not_stored(stack: &Stack) {
    let avif = json!({"transformations": {"upload_format": "avif"}});
    let stripped = json!({"transformations": {"strip_metadata": true}});
    let narrow = json!({"validation": {"max_image_width": 100, "min_image_height": 1}});
    // Without decoding it, a JPEG that is too wide is not noticed.
    let mut measured = mislabeled();
    measured.retain(|(name, ..)| !name.contains("wide"));
    let uploads = Uploads::new(stack, json!({})).await;

    for (settings, images) in [
        (narrow, unmeasured()),
        (rule("min_image_width", 10), measured),
        (avif, [mislabeled(), truncated()].concat()),
        (stripped, [unstrippable(), truncated()].concat()),
    ] {
        uploads.set_rules(settings).await;
        let before = uploads.stored().await;
        for (name, bytes, error_end) in images {
            for route in ROUTES {
                let upload = uploads.file(route, name, UNKNOWN, &bytes[..]);
                assert_rejected(upload.finish().await, error_end);
            }
        }
        uploads.assert_unchanged(&before, "rejected images").await;
    }
    stack.run_confirm_checks().await;
}

/// Returns a rotated WebP of more than 2 MB whose EXIF data is at its end.
fn large_rotated() -> Vec<u8> {
    let rotated = with_exif(Format::WebP, 6);
    let is_exif = |window: &[u8]| window == b"EXIF";
    let exif_start = rotated.windows(4).position(is_exif).expect("camera data");
    let (pixels, exif) = rotated.split_at(exif_start);
    let junk_size = 2_000_000_u32.to_le_bytes();
    let junk = vec![0; 2_000_000];
    let mut large = [pixels, b"JUNK", &junk_size, &junk, exif].concat();
    let length = u32::try_from(large.len() - 8).expect("a small file");
    large[4..8].copy_from_slice(&length.to_le_bytes());
    large
}

#[stack_test]
async fn other_files_and_images_within_bounds_are_accepted(stack: &Stack) {
    let uploads = Uploads::new(stack, rule("max_image_width", 16)).await;
    let jpeg = image(Format::Jpeg, 16, 16);
    let without_end_marker = &jpeg[..jpeg.len() - 2];

    for (name, bytes) in [
        ("a.txt", &b"just text"[..]),
        ("a.pdf", b"%PDF-1.7\n%"),
        ("a.mp4", b"\0\0\0\x20ftypisom\0\0"),
        ("a.webp", &large_rotated()),
        ("a.jpg", without_end_marker),
    ] {
        let upload = uploads.file(Route::Form, name, UNKNOWN, bytes);
        let record = upload.send().await.expect_created();
        assert!(delivered_bytes(stack, &record).await == bytes, "{name}");
        if name == "a.jpg" {
            let url = format!("{}?w=12&f=png", text(&record["url"]));
            let transformed = stack.anonymous.fetch(&url).await;
            transformed.expect_header("x-image-width", "12");
        }
    }
}
