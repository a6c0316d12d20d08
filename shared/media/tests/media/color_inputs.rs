//! Rendering of uncommon color inputs: inks, profiles, bit depths, palettes, transparent colors.

use domain::{
    naming::ImageSize,
    renditions::{Quality, Resize, Sides},
};
use media::{
    encode::{EncodeOptions, encode},
    format::Format,
    pixels::{Channels, Pixels},
    render::RenderOptions,
};
use mozjpeg::ColorSpace;
use png::{BitDepth, ColorType};

use crate::files;

/// RGBA colors of the rendered image in its corners: top left, top right, bottom left.
type Corners = [[u8; 4]; 3];

/// Renders an image of 32 × 16 pixels in full and in half size, and returns the corners of both.
fn corners(file: &[u8], format: Format) -> [Corners; 2] {
    [None, Some(Resize::Fit(Sides::Width(16)))].map(|resize| {
        let options = RenderOptions {
            quality: Quality::Fixed(100),
            ..files::resized(files::to(format), resize)
        };
        corners_of(&files::rendered(file, &options))
    })
}

fn corners_of(pixels: &Pixels) -> Corners {
    let at = |x: u32, y: u32| {
        let count = pixels.channels.count();
        let start = (y * pixels.width + x) as usize * count;
        match pixels.samples[start..start + count] {
            [gray] => [gray, gray, gray, 255],
            [red, green, blue] => [red, green, blue, 255],
            ref color => color.try_into().unwrap(),
        }
    };
    [at(1, 0), at(pixels.width - 2, 0), at(1, pixels.height - 1)]
}

fn assert_corners(file: &[u8], expected: Corners, tolerance: u8, context: &str) {
    for format in [Format::Png, Format::WebP, Format::Jpeg] {
        if format == Format::Jpeg && expected.iter().any(|color| color[3] < 255) {
            continue;
        }
        for found in corners(file, format) {
            let most = files::largest_difference(expected.as_flattened(), found.as_flattened());
            assert!(most <= tolerance, "{context} {format:?}: {found:?}");
        }
    }
}

/// Returns the quadrants of an image of 32 × 16 pixels: the first three colors, and the first one.
fn quadrants<const COUNT: usize>(colors: [[u8; COUNT]; 3]) -> Vec<u8> {
    let quadrant = |x: usize, y: usize| match (x < 16, y < 8) {
        (true, true) | (false, false) => colors[0],
        (false, true) => colors[1],
        (true, false) => colors[2],
    };
    (0..16)
        .flat_map(|y| (0..32).flat_map(move |x| quadrant(x, y)))
        .collect()
}

fn picture(colors: [[u8; 3]; 3]) -> Pixels {
    Pixels::new(ImageSize::new(32, 16), Channels::Rgb, quadrants(colors))
}

/// Returns a JPEG of inks, with or without the segment that Adobe writes.
fn jpeg_of_inks(inks: [[u8; 4]; 3], stored: ColorSpace, is_adobe: bool) -> Vec<u8> {
    let mut settings = mozjpeg::Compress::new(ColorSpace::JCS_CMYK);
    settings.set_color_space(stored);
    settings.set_size(32, 16);
    settings.set_quality(100.0);
    let mut started = settings.start_compress(Vec::new()).unwrap();
    started.write_scanlines(&quadrants(inks)).unwrap();
    let mut file = started.finish().unwrap();

    if !is_adobe {
        let adobe = files::marker_at(&file, 0xEE);
        file.drain(adobe..adobe + 16);
    }
    file
}

#[test]
fn inks_become_colors() {
    let inks = [[0, 255, 255, 0], [255, 0, 255, 0], [0, 0, 0, 128]];
    let expected = [[255, 0, 0, 255], [0, 255, 0, 255], [127, 127, 127, 255]];
    // Adobe stores inks inverted.
    let inverted = inks.map(|color| color.map(|ink| 255 - ink));

    let plain = jpeg_of_inks(inks, ColorSpace::JCS_CMYK, false);
    assert_corners(&plain, expected, 12, "CMYK");
    let adobe = jpeg_of_inks(inverted, ColorSpace::JCS_CMYK, true);
    assert_corners(&adobe, expected, 12, "Adobe CMYK");
    let adobe = jpeg_of_inks(inverted, ColorSpace::JCS_YCCK, true);
    assert_corners(&adobe, expected, 12, "Adobe YCCK");
}

#[test]
fn profile_is_converted_to_srgb() {
    let mut swapped = moxcms::ColorProfile::new_srgb();
    swapped.cicp = None;
    std::mem::swap(&mut swapped.red_colorant, &mut swapped.green_colorant);
    let p3 = moxcms::ColorProfile::new_display_p3();
    let colors = [[117, 251, 76], [255, 255, 255], [0, 0, 0]];
    let white_and_black = |color| [color, [255; 4], [0, 0, 0, 255]];

    for (name, profile, first) in [
        ("none", None, [117, 251, 76, 255]),
        ("Display P3", Some(p3.encode().unwrap()), [0, 255, 0, 255]),
        (
            "swapped",
            Some(swapped.encode().unwrap()),
            [251, 117, 76, 255],
        ),
    ] {
        for format in [Format::Png, Format::WebP, Format::Jpeg] {
            let picture = Pixels {
                profile: profile.clone(),
                ..picture(colors)
            };
            let options = EncodeOptions::new(format, 100);
            let file = encode(picture, &options).unwrap();
            assert_corners(
                &file,
                white_and_black(first),
                20,
                &format!("{name} {format:?}"),
            );
        }
    }
}

/// Returns a profile of a printer, or the like, whose table maps every corner of a color space to a
/// neutral color (ICC.1:2022, 10.10).
fn table_profile(space: [u8; 4], channels: u8) -> Vec<u8> {
    let ramp = || 0..=u8::MAX;
    let mut table = b"mft1\0\0\0\0".to_vec();
    table.extend([channels, 3, 2, 0]);
    for cell in 0..9 {
        table.extend(u32::from(cell % 4 == 0).wrapping_shl(16).to_be_bytes());
    }
    table.extend((0..channels).flat_map(|_| ramp()));
    table.extend((0..1_u8 << channels).flat_map(|corner| [corner * 10, 128, 128]));
    table.extend((0..3).flat_map(|_| ramp()));

    let start = 144_u32;
    let length = u32::try_from(table.len()).unwrap();
    let mut file = [0; 144];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &(start + length).to_be_bytes());
    put(8, &[2, 0x40, 0, 0]);
    put(12, b"prtr");
    put(16, &space);
    put(20, b"Lab ");
    put(36, b"acsp");
    // The white point of D50.
    put(68, &[0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D]);
    put(128, &1_u32.to_be_bytes());
    put(132, b"A2B0");
    put(136, &start.to_be_bytes());
    put(140, &length.to_be_bytes());
    [&file[..], &table].concat()
}

#[test]
fn profile_of_another_color_space_is_ignored() {
    let colors = [[117, 251, 76, 200], [255, 255, 255, 200], [0, 0, 0, 200]];
    let gray = moxcms::ColorProfile::new_gray_with_gamma(1.0);
    for (name, profile) in [
        ("inks", table_profile(*b"CMYK", 4)),
        ("Lab", table_profile(*b"Lab ", 3)),
        ("gray", gray.encode().unwrap()),
    ] {
        for (format, channels) in [
            (Format::Png, Channels::Rgba),
            (Format::WebP, Channels::Rgba),
            (Format::Png, Channels::Rgb),
            (Format::Jpeg, Channels::Rgb),
        ] {
            let has_alpha = channels == Channels::Rgba;
            let samples = quadrants(colors);
            let samples = samples
                .chunks(4)
                .flat_map(|color| &color[..channels.count()]);
            let picture = Pixels {
                profile: Some(profile.clone()),
                ..Pixels::new(ImageSize::new(32, 16), channels, samples.copied().collect())
            };
            let file = encode(picture, &EncodeOptions::new(format, 100)).unwrap();

            let alpha = if has_alpha { 200 } else { 255 };
            let expected = colors.map(|[red, green, blue, _]| [red, green, blue, alpha]);
            let context = format!("{name} {format:?} {channels:?}");
            assert_corners(&file, expected, 20, &context);
            assert_eq!(files::pixels(&file).profile, None, "{context}");
        }
    }
}

#[test]
fn gray_with_alpha_is_converted_with_its_profile() {
    let gray = moxcms::ColorProfile::new_gray_with_gamma(1.0)
        .encode()
        .unwrap();
    let p3 = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    // 21.5% linear light is 50% in sRGB.
    for (profile, expected) in [(gray, 128), (p3, 55)] {
        let mut info = png::Info::with_size(32, 16);
        info.color_type = ColorType::GrayscaleAlpha;
        info.bit_depth = BitDepth::Eight;
        info.icc_profile = Some(profile.into());
        let mut file = Vec::new();
        let mut writer = png::Encoder::with_info(&mut file, info)
            .unwrap()
            .write_header()
            .unwrap();
        let samples = quadrants([[55, 100], [255, 100], [0, 100]]);
        writer.write_image_data(&samples).unwrap();
        writer.finish().unwrap();

        let expected = [
            [expected, expected, expected, 100],
            [255, 255, 255, 100],
            [0, 0, 0, 100],
        ];
        assert_corners(&file, expected, 6, "gray with alpha");
    }
}

/// Returns a PNG of 32 × 16 pixels with samples as they are stored, after `prepare`.
fn png(
    color: ColorType,
    depth: BitDepth,
    samples: &[u8],
    prepare: impl Fn(&mut png::Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 32, 16);
    encoder.set_color(color);
    encoder.set_depth(depth);
    prepare(&mut encoder);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(samples).unwrap();
    writer.finish().unwrap();
    file
}

#[test]
fn png_of_16_bits_is_rounded_to_8() {
    let red = [0xFF, 0xFF, 0x80, 0x12, 0, 0];
    let dark = [0, 0, 0x10, 0x80, 0, 0x11];
    let colors = quadrants([red, [0xFF; 6], dark]);
    let expected = [[255, 128, 0, 255], [255; 4], [0, 16, 0, 255]];
    let file = png(ColorType::Rgb, BitDepth::Sixteen, &colors, |_| {});
    assert_corners(&file, expected, 6, "RGB");

    let half = [0xFF, 0xFF, 0, 0, 0, 0, 0x80, 0];
    let colors = quadrants([half, [0xFF; 8], [0; 8]]);
    let file = png(ColorType::Rgba, BitDepth::Sixteen, &colors, |_| {});
    let found = corners(&file, Format::Png)[0];
    assert_eq!(found, [[255, 0, 0, 128], [255; 4], [0; 4]]);

    let grays = quadrants([[0x80, 0xFF], [0xFF, 0xFF], [0, 0x7F]]);
    let file = png(ColorType::Grayscale, BitDepth::Sixteen, &grays, |_| {});
    assert_corners(&file, gray([128, 255, 0]), 4, "gray");
}

fn gray(grays: [u8; 3]) -> Corners {
    grays.map(|gray| [gray, gray, gray, 255])
}

#[test]
fn gray_png_keeps_its_grays_and_transparency() {
    let grays = quadrants([[60], [255], [0]]);
    let file = png(ColorType::Grayscale, BitDepth::Eight, &grays, |_| {});
    assert_corners(&file, gray([60, 255, 0]), 4, "gray");

    let grays = quadrants([[60, 255], [200, 128], [0, 0]]);
    let file = png(ColorType::GrayscaleAlpha, BitDepth::Eight, &grays, |_| {});
    let expected = [[60, 60, 60, 255], [200, 200, 200, 128], [0; 4]];
    assert_eq!(corners(&file, Format::Png)[0], expected);
    for found in corners(&file, Format::WebP) {
        assert_eq!(found.map(|color| color[3]), [255, 128, 0]);
    }

    // One bit per pixel, four bytes per row.
    let rows = [[0xFF, 0xFF, 0, 0].repeat(8), [0, 0, 0xFF, 0xFF].repeat(8)].concat();
    let file = png(ColorType::Grayscale, BitDepth::One, &rows, |_| {});
    assert_corners(&file, gray([255, 0, 0]), 4, "one bit");
}

#[test]
fn transparent_color_of_png_is_transparent() {
    let colors = quadrants([[255, 0, 0], [0, 255, 0], [1, 2, 3]]);
    let file = png(ColorType::Rgb, BitDepth::Eight, &colors, |encoder| {
        encoder.set_trns(vec![0_u8, 1, 0, 2, 0, 3]);
    });
    let found = corners(&file, Format::Png)[0];
    assert_eq!(found[..2], [[255, 0, 0, 255], [0, 255, 0, 255]]);
    assert_eq!(found[2][3], 0);
}

#[test]
fn palette_of_png_has_colors_and_transparency() {
    let palette = [250_u8, 20, 30, 40, 240, 60, 70, 80, 230, 0, 0, 0];
    // Eight and two bits per pixel: top left 0, top right 1, bottom left 2.
    let bytes = quadrants([[0], [1], [2]]);
    let pairs: Vec<u8> = bytes
        .chunks(4)
        .map(|indices| indices.iter().fold(0, |byte, index| byte << 2 | index))
        .collect();
    for (depth, samples) in [(BitDepth::Eight, bytes), (BitDepth::Two, pairs)] {
        let opaque = png(ColorType::Indexed, depth, &samples, |encoder| {
            encoder.set_palette(palette.to_vec());
        });
        let colors = [[250, 20, 30, 255], [40, 240, 60, 255], [70, 80, 230, 255]];
        assert_corners(&opaque, colors, 14, "palette");

        let transparent = png(ColorType::Indexed, depth, &samples, |encoder| {
            encoder.set_palette(palette.to_vec());
            encoder.set_trns(vec![255_u8, 128, 0]);
        });
        let found = corners(&transparent, Format::Png)[0];
        assert_eq!(found[..2], [[250, 20, 30, 255], [40, 240, 60, 128]]);
        assert_eq!(found[2][3], 0);
    }
}

#[test]
fn orientation_moves_the_corners() {
    let red = [255, 0, 0, 255];
    let green = [0, 255, 0, 255];
    let blue = [0, 0, 255, 255];
    // The fourth quadrant is red, too, so the stored corners are red, green, blue and red.
    let expected = [
        [red, green, blue],
        [green, red, red],
        [red, blue, green],
        [blue, red, red],
        [red, blue, green],
        [blue, red, red],
        [red, green, blue],
        [green, red, red],
    ];

    for (orientation, expected) in (1..).zip(expected) {
        for format in [Format::Jpeg, Format::Png, Format::WebP] {
            let picture = picture([[255, 0, 0], [0, 255, 0], [0, 0, 255]]);
            let file = files::turned(picture, orientation, &EncodeOptions::new(format, 100));
            assert_corners(&file, expected, 14, &format!("{orientation} {format:?}"));
        }
    }
}
