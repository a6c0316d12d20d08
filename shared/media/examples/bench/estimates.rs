//! Comparison of estimated and measured times of renderings of noise, the worst case.

#![expect(clippy::cast_precision_loss, reason = "durations are approximate")]

use domain::{Quality, Resize, Sides};
use media::{Channels, EncodeOptions, Format, PlanOptions, RenderOptions, Source, encode, render};

use crate::{images::noise_image, measure};

/// Width and height of sources, in pixels.
const SOURCE: [u32; 2] = [4_000, 3_000];
/// Width of small outputs, in pixels. Their time is that of decoding.
const SMALL: u32 = 200;
/// Width of large outputs, in pixels.
const LARGE: u32 = 2_000;

/// Prints a row per rendering: its estimate and its CPU time in milliseconds, and their ratio, which must
/// not exceed 1.
pub(crate) fn compare() {
    for (name, file) in sources() {
        row(
            &format!("{name} to small JPEG"),
            &file,
            SMALL,
            Format::Jpeg,
            80,
        );
    }

    let opaque = encoded(Channels::Rgb, Format::Png, false, 0);
    let transparent = encoded(Channels::Rgba, Format::Png, false, 0);
    let outputs = [
        (Format::Jpeg, [80, 95]),
        (Format::WebP, [80, 95]),
        (Format::Avif, [60, 90]),
        (Format::Png, [80, 80]),
        (Format::Gif, [80, 80]),
    ];
    for (format, qualities) in outputs {
        for quality in qualities {
            row(
                &format!("opaque to {format:?} {quality}"),
                &opaque,
                LARGE,
                format,
                quality,
            );
            row(
                &format!("transparent to {format:?} {quality}"),
                &transparent,
                LARGE,
                format,
                quality,
            );
        }
    }
}

/// Returns noise in each format and coding that is decoded differently.
fn sources() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("JPEG", encoded(Channels::Rgb, Format::Jpeg, false, 80)),
        (
            "full chroma JPEG",
            encoded(Channels::Rgb, Format::Jpeg, false, 95),
        ),
        (
            "progressive JPEG",
            encoded(Channels::Rgb, Format::Jpeg, true, 95),
        ),
        ("opaque PNG", encoded(Channels::Rgb, Format::Png, false, 0)),
        (
            "transparent PNG",
            encoded(Channels::Rgba, Format::Png, false, 0),
        ),
        (
            "opaque WebP",
            encoded(Channels::Rgb, Format::WebP, false, 95),
        ),
        (
            "transparent WebP",
            encoded(Channels::Rgba, Format::WebP, false, 95),
        ),
        ("GIF", encoded(Channels::Rgb, Format::Gif, false, 0)),
    ]
}

fn encoded(channels: Channels, format: Format, progressive: bool, quality: u8) -> Vec<u8> {
    let [width, height] = SOURCE;
    let options = EncodeOptions {
        format,
        quality,
        progressive,
        lossless: false,
        exif: None,
    };
    encode(noise_image(width, height, channels), &options).unwrap()
}

/// Prints the row of a rendering that fits into a width.
fn row(name: &str, file: &[u8], width: u32, format: Format, quality: u8) {
    let options = RenderOptions {
        resize: Some(Resize::Fit(Sides::Width(width))),
        format,
        quality: Quality::Fixed(quality),
        watermark: None,
    };
    let source = Source::read(file).unwrap();
    let estimate = match source.plan(&PlanOptions::from(&options)) {
        Ok(plan) => plan.milliseconds,
        Err(error) => return println!("{name:<32} {error}"),
    };

    let nanoseconds = measure::repeat(1, || drop(render(file, &options).unwrap()));
    let measured = nanoseconds as f64 / 1e6;
    println!(
        "{name:<32} {estimate:>6} {measured:>8.0} {:>6.2}",
        measured / estimate as f64
    );
}
