//! Malicious images: decompression bombs, contradictory headers and truncated files.

use std::io::Write;

use domain::{naming::ImageSize, uploads::TransformationRules};
use flate2::{Compression, write::ZlibEncoder};
use media::{
    completeness::require_complete,
    decode::decode,
    encode::encode,
    error::MediaError,
    format::Format,
    pixels::{Channels, MAX_AVIF_PIXELS, MAX_LOSSLESS_PIXELS, MAX_PIXELS, Pixels},
    probe::{Frames, probe},
    render::render,
    transform::{TransformOutcome, transform},
};

use crate::{
    files::{self, assert_error},
    transform::{changed, rules},
};

/// Rules that decode every decodable format: at least one of them converts it.
fn encoding_rules() -> [TransformationRules; 2] {
    ["jpeg 80", "png 80"].map(rules)
}

/// Returns a grayscale PNG with this number of zero bytes as image data.
fn zeros(width: u32, height: u32, bytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&vec![0; bytes]).unwrap();
    files::gray_png(width, height, &encoder.finish().unwrap())
}

#[test]
fn image_over_pixel_limit_is_rejected_by_its_header() {
    let jpeg = files::file(Format::Jpeg, 24, 16, Channels::Rgb);
    let jpeg = files::with_sides(&jpeg, 65_500, 65_500);
    let mut gif = files::gif(1);
    gif[6..10].fill(0xFF);
    let webp = webp_of_sides(16_383, 16_383);

    for file in [
        jpeg,
        zeros(65_535, 65_535, 9),
        zeros(10_001, 10_000, 9),
        gif,
        webp,
    ] {
        let probed = probe(&file).unwrap();
        let expected = MediaError::TooManyPixels {
            pixels: probed.pixels(),
            limit: MAX_PIXELS,
        };
        let is_png = probed.format == Format::Png;
        let asked = if is_png { "jpeg 80" } else { "png 80" };
        assert_eq!(transform(&file, &rules(asked)), Err(expected.clone()));
        assert_eq!(
            render(&file, &files::to(Format::Jpeg)),
            Err(expected.clone())
        );
        assert_eq!(decode(&file, &probed), Err(expected));
    }
}

#[test]
fn lossless_webp_has_a_lower_pixel_limit() {
    for (width, height, fits) in [(8_000, 5_000, true), (8_000, 5_001, false)] {
        let sides: u32 = (width - 1) | (height - 1) << 14;
        let file = files::webp(&[(*b"VP8L", &[&[0x2F][..], &sides.to_le_bytes()].concat())]);
        let probed = probe(&file).unwrap();
        assert!(probed.lossless && (probed.width, probed.height) == (width, height));
        let expected = MediaError::TooManyPixels {
            pixels: probed.pixels(),
            limit: MAX_LOSSLESS_PIXELS,
        };
        assert_eq!(decode(&file, &probed) == Err(expected), !fits);
    }
}

/// Returns a lossy WebP with these dimensions in its header.
fn webp_of_sides(width: u16, height: u16) -> Vec<u8> {
    let mut file = files::file(Format::WebP, 24, 16, Channels::Rgb);
    file[26..28].copy_from_slice(&width.to_le_bytes());
    file[28..30].copy_from_slice(&height.to_le_bytes());
    file
}

#[test]
fn contradictory_dimensions_are_rejected() {
    let rgb = |format| files::file(format, 240, 160, Channels::Rgb);
    let lossy = rgb(Format::WebP);
    let canvas = files::webp(&[
        (*b"VP8X", &files::canvas(0, 24, 16)),
        (*b"VP8 ", &lossy[20..]),
    ]);
    let two_frames = {
        let jpeg = rgb(Format::Jpeg);
        let frame = files::marker_at(&jpeg, 0xC0);
        [
            &jpeg[..frame],
            &files::with_sides(&jpeg, 24, 16)[frame..frame + 19],
            &jpeg[frame..],
        ]
        .concat()
    };

    for (name, file) in [
        (
            "JPEG, too high",
            files::with_sides(&rgb(Format::Jpeg), 240, 4_000),
        ),
        (
            "JPEG, too wide",
            files::with_sides(&rgb(Format::Jpeg), 4_000, 160),
        ),
        ("JPEG, twice", two_frames),
        ("PNG, too little", zeros(100, 100, 50 * 101)),
        ("WebP, canvas", canvas),
        ("WebP, too large", webp_of_sides(4_000, 4_000)),
    ] {
        let is_png = name.starts_with("PNG");
        let asked = if is_png { "jpeg 80" } else { "png 80" };
        let result = transform(&file, &rules(asked));
        assert_error!(
            result,
            MediaError::Malformed(_) | MediaError::Truncated,
            name
        );
    }
}

#[test]
fn truncated_images_are_rejected_at_every_length() {
    let progressive = files::progressive();
    let exif = files::exif(1);
    // Each with the number of bytes behind the pixels of its first image.
    let files = [
        (files::file(Format::Jpeg, 64, 48, Channels::Rgb), 2),
        (
            encode(files::picture(64, 48, Channels::Rgb), &progressive).unwrap(),
            2,
        ),
        // A checksum and the end.
        (files::file(Format::Png, 64, 48, Channels::Rgba), 16),
        (files::gif(1), 1),
        (files::gif(2), files::gif(2).len() - files::gif(1).len() + 1),
        (files::file(Format::WebP, 64, 48, Channels::Rgba), 0),
        (
            files::with_exif(Format::WebP, Channels::Rgb, &exif),
            8 + exif.len(),
        ),
    ];

    for (file, behind_pixels) in &files {
        let format = probe(file).unwrap().format;
        assert_eq!(require_complete(file), Ok(()), "{format:?}");
        for length in (16..file.len() - behind_pixels).step_by(1 + file.len() / 97) {
            let truncated = &file[..length];
            assert_eq!(
                require_complete(truncated),
                Err(MediaError::Truncated),
                "{format:?} at {length}"
            );
            assert_eq!(
                transform(truncated, &TransformationRules::default()),
                Ok(TransformOutcome::Unchanged)
            );
            // An animated GIF can only be stripped.
            let is_animated =
                probe(truncated).is_ok_and(|probed| probed.frames == Frames::Animated);
            for rules in [rules("strip"), rules("avif")]
                .into_iter()
                .take(if is_animated { 1 } else { 2 })
            {
                assert_eq!(
                    transform(truncated, &rules),
                    Err(MediaError::Truncated),
                    "{format:?} at {length} of {}",
                    file.len()
                );
            }
        }
    }
}

#[test]
fn truncated_jpeg_with_end_marker_is_rejected() {
    let jpeg = files::file(Format::Jpeg, 240, 160, Channels::Rgb);
    let truncated = [&jpeg[..jpeg.len() / 2], &[0xFF, 0xD9]].concat();
    for rules in encoding_rules() {
        assert_error!(transform(&truncated, &rules), MediaError::Malformed(_));
    }
}

#[test]
fn jpeg_with_too_many_scans_is_rejected() {
    let bomb = files::with_scans(1_000);
    for rules in encoding_rules() {
        assert_error!(transform(&bomb, &rules), MediaError::TooManyScans(_));
    }
}

#[test]
fn oversized_profiles_and_exif_are_dropped() {
    let giant = vec![7; 6 << 20];
    let picture = Pixels {
        profile: Some(giant.clone()),
        ..files::picture(24, 16, Channels::Rgb)
    };

    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let file = encode(picture.clone(), &files::plain(format)).unwrap();
        for rules in encoding_rules() {
            let result = transform(&file, &rules);
            assert!(result.is_ok(), "{format:?}: {result:?}");
        }
    }

    let mut exif = files::exif(6);
    exif.resize(6 << 20, 0);

    let webp = files::with_exif(Format::WebP, Channels::Rgb, &exif);
    let changed = changed(&webp, "jpeg 80");
    let displayed = probe(&changed).unwrap().displayed();
    assert!(displayed == ImageSize::new(16, 24) && changed.len() < 10_000);
}

#[test]
fn image_over_format_limit_is_rejected() {
    let strip = |width| zeros(width, 1, width as usize + 1);
    for (format, width) in [("webp", 16_384), ("jpeg", 65_501)] {
        let result = transform(&strip(width), &rules(format));
        assert_error!(result, MediaError::DimensionsTooLarge { .. }, format);
    }

    for (encoding, width, limit) in [
        (files::lossless(), 8_001, MAX_LOSSLESS_PIXELS),
        (files::plain(Format::Avif), 2_501, MAX_AVIF_PIXELS),
    ] {
        let large = files::solid([0], width, 5_000);
        let expected = MediaError::TooManyPixelsForFormat {
            format: encoding.format,
            pixels: u64::from(width) * 5_000,
            limit,
        };
        assert_eq!(encode(large, &encoding), Err(expected));
    }
}
