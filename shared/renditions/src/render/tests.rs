use domain::{
    renditions::{Focus, ImageFormat, Quality, Transformation},
    settings::Gravity,
};
use media::animation::{
    MAX_ANIMATED_GIF_PIXELS, MAX_ANIMATED_WEBP_PIXELS, MAX_ANIMATION_PIXELS, MAX_FRAMES,
};

use super::*;

/// Returns the headers of a PNG that has these dimensions.
fn png_of_sides(width: u32, height: u32) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes();
        // The checksum is not read.
        [&length[..], kind, data, &[0; 4]].concat()
    };
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 2, 0, 0, 0]);
    [
        &b"\x89PNG\r\n\x1A\n"[..],
        &chunk(b"IHDR", &header),
        &chunk(b"IDAT", &[]),
    ]
    .concat()
}

fn negotiated(format: ImageFormat, resize: Option<Resize>) -> Rendition {
    let transformation = Transformation {
        resize,
        quality: Quality::Fixed(80),
        format: None,
    };
    Rendition::of(transformation, format)
}

fn requested(format: ImageFormat, resize: Option<Resize>) -> Rendition {
    let mut rendition = negotiated(format, resize);
    if let Some(transformation) = &mut rendition.transformation {
        transformation.format = Some(format);
    }
    rendition
}

/// Whether a rendering is rejected because of a field.
fn is_rejected(bytes: &[u8], rendition: Rendition, field: &str) -> bool {
    let error = PlannedRendition::plan(bytes, rendition).expect_err("a limit");
    error.field_errors.has(field)
}

#[test]
fn negotiated_format_gives_way_to_one_that_fits() {
    for (width, height, format, expected) in [
        (1_000, 1_000, ImageFormat::Avif, Format::Avif),
        (2_000, 2_000, ImageFormat::Avif, Format::WebP),
        (20_000, 1_000, ImageFormat::Avif, Format::Png),
        (20_000, 1_000, ImageFormat::WebP, Format::Png),
    ] {
        let file = png_of_sides(width, height);
        let rendering = PlannedRendition::plan(&file, negotiated(format, None)).expect("a plan");
        assert_eq!(rendering.format, expected, "{width} × {height} {format:?}");
    }
}

#[test]
fn error_names_the_parameter_that_determines_the_output() {
    let width = Resize::Scale(Sides::Width(8_192));
    let height = Resize::Scale(Sides::Height(8_192));
    let filled = Resize::Fill {
        width: 8_000,
        height: 8_000,
        focus: Focus::At(Gravity::Center),
    };

    for (resize, field) in [
        (None, "file"),
        (Some(width), "w"),
        (Some(height), "h"),
        (Some(filled), "w"),
    ] {
        let file = png_of_sides(8_100, 8_100);
        let rendition = negotiated(ImageFormat::Png, resize);
        assert!(is_rejected(&file, rendition, field), "{resize:?}");
    }
}

#[test]
fn requested_format_that_does_not_fit_is_named() {
    for (width, height, format) in [
        (6_000, 4_000, ImageFormat::Avif),
        (20_000, 1_000, ImageFormat::WebP),
    ] {
        let file = png_of_sides(width, height);
        assert!(is_rejected(&file, requested(format, None), "f"));
    }
}

#[test]
fn source_over_a_limit_is_named_for_every_request() {
    let max = u32::MAX >> 1;
    let small = Some(Resize::Fit(Sides::Width(32)));
    for file in [
        png_of_sides(1, 60_000_000),
        png_of_sides(max, max),
        png_of_sides(20_000, 20_000),
    ] {
        for rendition in [
            negotiated(ImageFormat::Avif, small),
            requested(ImageFormat::WebP, small),
        ] {
            assert!(is_rejected(&file, rendition, "file"));
        }
    }
}

/// Returns a GIF of 100 × 100 pixels with this number of frames.
fn gif(frames: usize) -> Vec<u8> {
    let frame = b"\x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
    let header = b"GIF89a\x64\0\x64\0\x80\0\0\0\0\0\xFF\xFF\xFF";
    [&header[..], &frame.repeat(frames), b";"].concat()
}

fn planned(frames: usize, format: ImageFormat) -> PlannedRendition {
    PlannedRendition::plan(&gif(frames), negotiated(format, None)).expect("within the limits")
}

#[test]
fn memory_of_an_animation_counts_its_frames() {
    let few = planned(2, ImageFormat::Gif).memory_bytes;
    let many = planned(200, ImageFormat::Gif).memory_bytes;

    assert!(few < many, "{few} {many}");
}

#[test]
fn negotiated_avif_becomes_webp_if_the_image_is_animated() {
    assert_eq!(planned(1, ImageFormat::Avif).format, Format::Avif);
    assert_eq!(planned(2, ImageFormat::Avif).format, Format::WebP);
    assert_eq!(planned(2, ImageFormat::Jpeg).format, Format::Jpeg);
}

#[test]
fn messages_name_the_limits() {
    assert_eq!(MAX_SOURCE_BYTES, 100 << 20);
    assert_eq!(MAX_FRAMES, 3_000);
    assert_eq!(MAX_ANIMATION_PIXELS, 250_000_000);
    assert_eq!(MAX_ANIMATED_GIF_PIXELS, 25_000_000);
    assert_eq!(MAX_ANIMATED_WEBP_PIXELS, 50_000_000);
}
