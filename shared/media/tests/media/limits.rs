//! Limits of renderings, which are checked before a pixel is decoded.

use domain::{
    renditions::{Quality, Resize, Sides},
    settings::Gravity,
};
use media::{
    decode::decode,
    encode::{EncodeOptions, encode},
    error::MediaError,
    format::Format,
    pixels::{Channels, MAX_AVIF_PIXELS, MAX_SIDE},
    probe::probe,
    render::{MAX_OUTPUT_PIXELS, RenderOptions, RenderPlan, Source, WatermarkLayer, render},
};

use crate::{
    files::{self, assert_error, both, resized},
    heads,
};

const fn to(format: Format) -> RenderOptions<'static> {
    RenderOptions {
        quality: Quality::Fixed(80),
        ..RenderOptions::new(format)
    }
}

const fn scaled(width: u32, height: u32) -> Resize {
    Resize::Scale(both(width, height))
}

/// Returns a PNG without pixels that has these dimensions.
fn png_of_sides(width: u32, height: u32) -> Vec<u8> {
    files::gray_png(width, height, &[])
}

fn planned(file: &[u8], options: &RenderOptions) -> Result<RenderPlan, MediaError> {
    Source::read(file)?.plan(&options.into())
}

#[test]
fn side_over_limit_is_rejected_by_the_header() {
    for (width, height) in [
        (1, 60_000_000),
        (60_000_000, 1),
        (1, MAX_SIDE + 1),
        (MAX_SIDE + 1, 1),
        (i32::MAX.cast_unsigned(), i32::MAX.cast_unsigned()),
    ] {
        let file = png_of_sides(width, height);
        let expected = MediaError::SideTooLarge {
            width,
            height,
            limit: MAX_SIDE,
        };
        let options = resized(to(Format::Jpeg), Resize::Fit(Sides::Height(32)));

        assert_eq!(planned(&file, &options), Err(expected.clone()));
        assert_eq!(decode(&file, &probe(&file).unwrap()), Err(expected));
    }

    assert!(planned(&png_of_sides(1, MAX_SIDE), &to(Format::Png)).is_ok());
}

#[test]
fn overflowing_header_is_rejected() {
    let max = i32::MAX;
    let files = [
        heads::bmp(max, max),
        heads::bmp(max, i32::MIN),
        png_of_sides(u32::MAX, u32::MAX),
    ];
    for file in files {
        let result = planned(&file, &to(Format::Jpeg));
        assert_error!(result, MediaError::SideTooLarge { .. });
    }
}

#[test]
fn plan_checks_the_limits_of_formats() {
    let file = png_of_sides(100, 100);
    for (format, width, height) in [
        (Format::WebP, 16_383, 1),
        (Format::Jpeg, 65_500, 1),
        (Format::Gif, 65_535, 1),
        (Format::Avif, 32_768, 1),
        (Format::Png, 65_535, 1),
    ] {
        let planned = |width| planned(&file, &resized(to(format), scaled(width, height)));
        assert!(planned(width).is_ok(), "{format:?}");

        let result = planned(width + 1);
        let is_limited = matches!(result, Err(MediaError::DimensionsTooLarge { .. }));
        assert_eq!(is_limited, format != Format::Png, "{format:?} {result:?}");
    }
}

#[test]
fn plan_checks_the_pixels_of_avif() {
    let file = png_of_sides(100, 100);
    let height = u32::try_from(MAX_AVIF_PIXELS / 1_000).unwrap();
    let options = |height| RenderOptions {
        quality: Quality::Fixed(100),
        ..resized(to(Format::Avif), scaled(1_000, height))
    };
    let expected = MediaError::TooManyPixelsForFormat {
        format: Format::Avif,
        pixels: u64::from(height + 1) * 1_000,
        limit: MAX_AVIF_PIXELS,
    };

    assert!(planned(&file, &options(height)).is_ok());
    assert_eq!(planned(&file, &options(height + 1)), Err(expected));
}

#[test]
fn every_output_within_the_pixel_limit_takes_little_enough_time() {
    let file = png_of_sides(100, 100);
    let side = u32::try_from(MAX_OUTPUT_PIXELS.isqrt()).unwrap();
    for format in [Format::Jpeg, Format::Png, Format::WebP, Format::Gif] {
        let options = resized(to(format), scaled(side, side));
        let plan = planned(&file, &options).unwrap();
        assert!(plan.milliseconds <= media::estimate::MAX_RENDERING_MILLISECONDS);
    }
}

#[test]
fn progressive_jpeg_with_many_scans_of_many_pixels_takes_too_long() {
    for (scans, side, is_fast) in [
        (180, 9_900_u16, false),
        (180, 2_000, true),
        (2, 9_900, true),
    ] {
        let file = files::with_sides(&files::with_scans(scans), side, side);
        let options = resized(to(Format::Jpeg), Resize::Fit(Sides::Width(32)));
        let result = planned(&file, &options);
        let is_slow = matches!(result, Err(MediaError::DecodingTooSlow { .. }));
        assert_eq!(is_slow, !is_fast, "{scans} {side} {result:?}");
    }
}

/// Writes bits, the lowest first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    count: usize,
}

impl BitWriter {
    fn push(&mut self, value: u32, count: usize) {
        for bit in 0..count {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let byte = self.bytes.last_mut().unwrap();
            *byte |= u8::from(value >> bit & 1 == 1) << (self.count % 8);
            self.count += 1;
        }
    }

    /// Writes a prefix code with one symbol.
    fn push_single(&mut self, symbol: u32) {
        // Simple, one symbol, of 8 bits.
        self.push(0b101, 3);
        self.push(symbol, 8);
    }

    /// Writes a prefix code of eleven symbols, whose longest codes have ten bits.
    fn push_long(&mut self) {
        self.push(0, 1);
        // Lengths of all 19 codes for lengths: four bits for 0 to 15.
        self.push(15, 4);
        for symbol in [
            17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        ] {
            self.push(if symbol < 16 { 4 } else { 0 }, 3);
        }

        // Only eleven lengths follow, whose number takes four bits.
        self.push(1, 1);
        self.push(1, 3);
        self.push(11 - 2, 4);
        for length in [1_u32, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10] {
            // Codes start with their highest bit.
            self.push(length.reverse_bits() >> 28, 4);
        }
    }
}

/// Returns a lossless WebP whose pixels refer to this group of codes, and all earlier groups. The
/// only distance in the image of groups has this symbol.
fn webp_with_groups(groups: u32, distance: u32) -> Vec<u8> {
    let side = 1_024_u32;
    let mut bits = BitWriter::default();
    bits.push(0x2F, 8);
    bits.push((side - 1) | (side - 1) << 14, 32);
    // No transform, no color cache, several groups for blocks of 4 × 4 pixels.
    bits.push(0b100, 3);
    bits.push(0, 3);

    // The image of groups: no color cache, and one color.
    bits.push(0, 1);
    bits.push_single((groups - 1) & 0xFF);
    bits.push_single((groups - 1) >> 8);
    for symbol in [0, 0, distance] {
        bits.push_single(symbol);
    }

    for _ in 0..groups * 5 {
        bits.push_long();
    }
    files::webp(&[(*b"VP8L", &bits.bytes)])
}

#[test]
fn webp_with_too_many_codes_is_rejected() {
    for groups in [7_000, 60_000] {
        let bomb = webp_with_groups(groups, 0);
        for result in [
            planned(&bomb, &to(Format::Jpeg)).map(|_plan| ()),
            decode(&bomb, &probe(&bomb).unwrap()).map(|_pixels| ()),
        ] {
            assert_error!(result, MediaError::TooManyCodes { .. });
        }
    }
    // Each of the five codes of a group has a table of 4 KiB.
    assert!(planned(&webp_with_groups(5_000, 0), &to(Format::Jpeg)).is_ok());
}

#[test]
fn webp_with_a_symbol_outside_of_its_alphabet_is_rejected() {
    let plan = |distance| planned(&webp_with_groups(1, distance), &to(Format::Jpeg));
    assert!(plan(39).is_ok());
    for distance in [40, 255] {
        assert_error!(plan(distance), MediaError::Malformed(_), distance);
    }
}

#[test]
fn codes_of_lossless_and_transparent_webp_are_read() {
    let noisy = |channels: Channels| {
        let mut picture = files::picture(301, 203, channels);
        for (index, sample) in picture.samples.iter_mut().enumerate() {
            let hash = u32::try_from(index).unwrap().wrapping_mul(0x9E37_79B1);
            *sample ^= u8::try_from(hash >> 24).unwrap() & 0x3F;
        }
        picture
    };
    let few_colors = || {
        let mut picture = files::picture(301, 203, Channels::Rgba);
        for sample in &mut picture.samples {
            *sample &= 0x80;
        }
        picture
    };
    let pictures = [
        files::picture(301, 203, Channels::Rgb),
        files::picture(301, 203, Channels::Rgba),
        noisy(Channels::Rgb),
        noisy(Channels::Rgba),
        few_colors(),
    ];

    for picture in pictures {
        for lossless in [true, false] {
            let options = EncodeOptions {
                lossless,
                ..files::plain(Format::WebP)
            };
            let file = encode(picture.clone(), &options).unwrap();
            let result = render(&file, &files::to(Format::Png));
            assert!(result.is_ok(), "{lossless} {result:?}");
        }
    }
}

#[test]
fn watermarks_have_common_formats() {
    for (format, file) in [
        (Format::Bmp, heads::bmp(2, 2)),
        (Format::Tiff, heads::tiff(2, 2, 1)),
        (Format::Ico, heads::ico()),
    ] {
        let error = WatermarkLayer::decode(&file, Gravity::Center, 1.0).unwrap_err();
        assert_eq!(error, MediaError::UnsupportedFormat(format));
    }
}
