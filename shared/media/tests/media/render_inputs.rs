//! Rendering of all input and output formats, watermarks and automatic crops.

use domain::{
    renditions::{Focus, Quality, Resize, Sides},
    settings::Gravity,
};
use media::{
    decode::decode,
    encode::{EncodeOptions, encode},
    error::MediaError,
    format::Format,
    pixels::Channels,
    probe::probe,
    render::{RenderOptions, WatermarkLayer, render},
};

use crate::files::{
    self, assert_error, both, crop, fill, marked, painted, pixels, png, rendered, resized, solid,
    to,
};

const OUTPUTS: [Format; 5] = [
    Format::Jpeg,
    Format::Png,
    Format::WebP,
    Format::Avif,
    Format::Gif,
];

/// Returns a file written by the `image` crate.
fn uncommon(format: image::ImageFormat) -> Vec<u8> {
    let picture = files::picture(24, 16, Channels::Rgb);
    let picture = image::RgbImage::from_raw(24, 16, picture.samples).unwrap();
    let mut file = std::io::Cursor::new(Vec::new());
    let picture = image::DynamicImage::ImageRgb8(picture);
    if format == image::ImageFormat::Ico {
        picture.to_rgba8().write_to(&mut file, format).unwrap();
    } else {
        picture.write_to(&mut file, format).unwrap();
    }
    file.into_inner()
}

#[test]
fn bmp_tiff_and_ico_are_rendered() {
    let expected = files::picture(24, 16, Channels::Rgb);

    for format in [
        image::ImageFormat::Bmp,
        image::ImageFormat::Tiff,
        image::ImageFormat::Ico,
    ] {
        let file = uncommon(format);
        let found = rendered(&file, &to(Format::Png));
        let count = found.channels.count();
        let colors: Vec<u8> = found
            .samples
            .chunks(count)
            .flat_map(|pixel| pixel[..3].to_vec())
            .collect();
        assert!(colors == expected.samples, "{format:?}");

        // Uploads of these formats are not transformed.
        let decoded = decode(&file, &probe(&file).unwrap());
        assert_error!(decoded, MediaError::UnsupportedFormat(_));
    }
}

#[test]
fn every_output_format_is_written() {
    let file = files::file(Format::Png, 48, 32, Channels::Rgba);
    for format in OUTPUTS {
        let rendered = render(&file, &to(format)).unwrap();
        let probed = probe(&rendered.bytes).unwrap();
        assert_eq!([rendered.format, probed.format], [format; 2]);
        assert_eq!((probed.width, probed.height), (48, 32));
        assert_eq!(probed.progressive, format == Format::Jpeg);
    }
}

#[test]
fn gif_keeps_few_colors_and_transparency() {
    let mut picture = solid([200, 100, 50, 255], 8, 8);
    picture.samples[..4].copy_from_slice(&[9, 9, 9, 0]);
    let found = rendered(&png(picture), &to(Format::Gif));
    assert_eq!(found.samples[..8], [0, 0, 0, 0, 200, 100, 50, 255]);

    let photo = files::file(Format::Png, 200, 100, Channels::Rgb);
    let found = rendered(&photo, &to(Format::Gif));
    let expected = files::picture(200, 100, Channels::Rgb);
    assert_eq!(found.samples.len() / 4, expected.samples.len() / 3);
    let colors = found.samples.chunks(4).zip(expected.samples.chunks(3));
    let difference: u64 = colors.map(|(a, b)| u64::from(a[0].abs_diff(b[0]))).sum();
    assert!(difference / 20_000 < 12, "{difference}");
}

#[test]
fn output_has_no_metadata() {
    for (input, channels) in [
        (Format::Jpeg, Channels::Rgb),
        (Format::Png, Channels::Rgb),
        (Format::WebP, Channels::Rgba),
    ] {
        let file = files::with_exif(input, channels, &files::exif(6));

        for output in OUTPUTS {
            let rendered = render(&file, &to(output)).unwrap();
            assert!(
                !files::contains(&rendered.bytes, files::SECRET),
                "{input:?} {output:?}"
            );
            assert_eq!((rendered.width, rendered.height), (16, 24));
            assert_eq!(probe(&rendered.bytes).unwrap().orientation.to_exif(), 1);
        }
    }
}

#[test]
fn transparent_colors_do_not_bleed_when_resized() {
    // Invisible green next to opaque red.
    let mut picture = solid([255, 0, 0, 255], 40, 40);
    for pixel in picture.samples.chunks_mut(4).skip(800) {
        pixel.copy_from_slice(&[0, 255, 0, 0]);
    }
    let resize = Some(Resize::Fit(Sides::Width(13)));
    let found = rendered(&png(picture), &resized(to(Format::Png), resize));
    assert!(
        found
            .samples
            .chunks(4)
            .all(|pixel| pixel[3] == 0 || pixel[1] <= 1)
    );
}

#[test]
fn jpegs_are_downscaled_alike_with_every_sampling_and_output() {
    for side in [511_u32, 640] {
        let picture = files::picture(side, side - 100, Channels::Rgb);
        for quality in [80, 95] {
            let options = EncodeOptions::new(Format::Jpeg, quality);
            let file = encode(picture.clone(), &options).unwrap();

            for width in [40, 100, 250, 400] {
                let resize = Some(Resize::Fit(Sides::Width(width)));
                let reference = png(pixels(&file));
                let expected = rendered(&reference, &resized(to(Format::Png), resize));

                for format in [Format::Png, Format::Jpeg] {
                    let options = RenderOptions {
                        quality: Quality::Fixed(98),
                        ..resized(to(format), resize)
                    };
                    let found = rendered(&file, &options);
                    let most = files::largest_difference(&expected.samples, &found.samples);
                    assert!(most < 24, "{side} {quality} {width} {format:?} {most}");
                }
            }
        }
    }
}

#[test]
fn watermark_is_placed_inside_margins() {
    let red = png(solid([255, 0, 0, 255], 100, 50));

    for (gravity, left, top) in [
        (Gravity::Northwest, 4, 4),
        (Gravity::Center, 150, 75),
        (Gravity::Southeast, 296, 146),
    ] {
        for channels in [[0, 0, 0, 255], [0, 0, 0, 0]] {
            let layer = WatermarkLayer::decode(&red, gravity, 1.0).unwrap();
            let options = marked(to(Format::Png), &layer);
            let found = rendered(&png(solid(channels, 400, 200)), &options);

            let is_red = |x: u32, y: u32| {
                let at = (y * 400 + x) as usize * 4;
                found.samples[at..at + 4] == [255, 0, 0, 255]
            };
            let right = left + 99;
            let bottom = top + 49;

            assert!(is_red(left, top) && is_red(right, bottom), "{gravity:?}");
            assert!(
                !is_red(left - 1, top) && !is_red(left, top - 1),
                "{gravity:?}"
            );
        }
    }
}

#[test]
fn watermark_opacity_blends() {
    let white = png(solid([255; 4], 10, 10));
    let layer = WatermarkLayer::decode(&white, Gravity::Center, 0.5).unwrap();
    let options = marked(to(Format::Png), &layer);
    for black in [
        solid([0], 40, 40),
        solid([0; 3], 40, 40),
        solid([0, 0, 0, 255], 40, 40),
    ] {
        let found = rendered(&png(black), &options);
        let middle = (20 * 40 + 20) * found.channels.count();
        assert_eq!(found.samples[middle], 128);
    }
}

#[test]
fn automatic_crop_finds_the_detailed_region() {
    let picture = painted(400, 200, |x, y| match (x / 4 + y / 4) % 2 {
        _ if !(300..380).contains(&x) || !(60..140).contains(&y) => [90, 90, 90, 255],
        0 => [255, 0, 0, 255],
        _ => [0, 0, 255, 255],
    });
    let resize = fill(100, 100, Focus::Auto);
    let found = rendered(&png(picture), &resized(to(Format::Png), resize));
    let saturated = found
        .samples
        .chunks(4)
        .filter(|pixel| pixel[0].abs_diff(pixel[1]) > 30 || pixel[2].abs_diff(pixel[1]) > 30);
    assert!(saturated.count() > 1_300);
}

#[test]
fn automatic_crop_of_uniform_image_is_centered() {
    // The upper left pixel of the crop rectangle is marked too weakly to attract it.
    let mut picture = solid([90, 90, 90, 255], 400, 200);
    let at = (75 * 400 + 150) * 4;
    picture.samples[at..at + 4].copy_from_slice(&[91, 90, 90, 255]);
    let resize = crop(both(100, 50), Focus::Auto);
    let found = rendered(&png(picture), &resized(to(Format::Png), resize));

    assert_eq!((found.width, found.height), (100, 50));
    assert_eq!(found.samples[..4], [91, 90, 90, 255]);
    let others = found.samples[4..].chunks(4);
    assert!(others.into_iter().all(|pixel| pixel == [90, 90, 90, 255]));
}

#[test]
fn halved_chroma_is_where_full_chroma_is() {
    // Red decreases to the right, blue downwards.
    let slope = painted(100, 60, |x, y| {
        let [x, y] = [x, y].map(|at| u8::try_from(at).unwrap());
        [220 - 2 * x, 128, 200 - 2 * y]
    });
    let file = encode(slope, &files::plain(Format::Jpeg)).unwrap();

    for width in [41, 42] {
        let [full, half] = [95, 89].map(|quality| {
            let options = RenderOptions {
                quality: Quality::Fixed(quality),
                ..resized(to(Format::Jpeg), Resize::Scale(Sides::Width(width)))
            };
            let samples = rendered(&file, &options).samples;
            let pixels = samples.as_chunks::<3>().0;
            [0, 2].map(|channel| {
                let sum: usize = pixels.iter().map(|pixel| usize::from(pixel[channel])).sum();
                sum * 10 / pixels.len()
            })
        });

        // A pixel to the left red is 49 tenths more.
        assert!(
            full[0].abs_diff(half[0]) <= 8,
            "{width} wide: {full:?} {half:?}"
        );
        assert!(
            full[1].abs_diff(half[1]) <= 8,
            "{width} wide: {full:?} {half:?}"
        );
    }
}
