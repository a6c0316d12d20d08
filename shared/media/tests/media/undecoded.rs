//! Transformation of images that are too large to be decoded, or to be converted in time.

use media::{
    error::MediaError,
    format::Format,
    orient::Orientation,
    pixels::Channels,
    probe::probe,
    transform::{TransformOutcome, converts_all, transform, transform_undecoded},
};
use png::ColorType;

use crate::{files, transform::rules};

#[test]
fn undecoded_image_loses_its_metadata_and_keeps_its_orientation() {
    for format in [Format::Jpeg, Format::Png, Format::WebP] {
        let file = files::with_exif(format, Channels::Rgb, &files::exif(6));
        let outcome = transform_undecoded(&file, &rules("strip")).unwrap();
        let Some(TransformOutcome::Transformed(changed)) = outcome else {
            panic!("{format:?}: {outcome:?}");
        };

        assert!(!files::contains(&changed.bytes, files::SECRET));
        let probed = probe(&changed.bytes).unwrap();
        assert_eq!(probed.orientation, Orientation::QuarterTurn);
        assert_eq!(
            (changed.width, changed.height),
            (probed.displayed().width, probed.displayed().height)
        );
        assert!(
            files::pixels(&changed.bytes) == files::pixels(&file),
            "{format:?}"
        );
    }
}

#[test]
fn undecoded_image_is_not_converted() {
    let jpeg = files::with_exif(Format::Jpeg, Channels::Rgb, &files::exif(1));
    for asked in ["webp", "strip webp", "80", "progressive"] {
        let outcome = transform_undecoded(&jpeg, &rules(asked));
        assert_eq!(outcome, Ok(None), "{asked}");
    }
    for asked in ["", "jpeg"] {
        let outcome = transform_undecoded(&jpeg, &rules(asked));
        assert_eq!(outcome, Ok(Some(TransformOutcome::Unchanged)), "{asked}");
    }
    let animated = transform_undecoded(&files::gif(2), &rules("webp"));
    assert_eq!(animated, Ok(Some(TransformOutcome::Unchanged)));

    assert!(converts_all(Format::Png, &rules("webp")));
    assert!(converts_all(Format::Jpeg, &rules("80")));
    assert!(!converts_all(
        Format::Jpeg,
        &rules("jpeg progressive strip")
    ));
    assert!(!converts_all(Format::Gif, &rules("webp")));
}

#[test]
fn conversion_that_takes_too_long_is_rejected_before_it_begins() {
    let jpeg = files::with_exif(Format::Jpeg, Channels::Rgb, &files::exif(1));
    for (side, is_rejected) in [(10_000_u16, true), (7_000, false)] {
        let large = files::with_sides(&jpeg, side, side);
        let slow = transform(&large, &rules("webp"));
        let is_too_slow = matches!(slow, Err(MediaError::RenderingTooSlow { .. }));
        assert_eq!(is_too_slow, is_rejected, "{side}: {slow:?}");
    }
}

#[test]
fn avif_up_to_its_pixel_limit_is_fast_enough() {
    let without_pixels = |color, side| files::png_of(side, side, color, &[]);
    for (file, is_too_large) in [
        (without_pixels(ColorType::Rgb, 3_535), false),
        (without_pixels(ColorType::Rgba, 3_535), false),
        (without_pixels(ColorType::Rgb, 3_536), true),
    ] {
        let error = transform(&file, &rules("avif")).expect_err("no pixels, or too many");
        let is_slow = matches!(error, MediaError::RenderingTooSlow { .. });
        let is_large = matches!(error, MediaError::TooManyPixelsForFormat { .. });
        assert_eq!((is_slow, is_large), (false, is_too_large), "{error}");
    }
}
