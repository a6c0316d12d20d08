//! Laws of rendered and transformed images.

use std::sync::LazyLock;

use domain::{naming::ImageSize, renditions::Quality, settings::Gravity};
use media::{
    completeness::require_complete,
    decode::decode,
    encode::{EncodeOptions, encode},
    error::MediaError,
    format::Format,
    orient::Orientation,
    pixels::{Channels, MAX_PIXELS, Pixels},
    probe::{Frames, ImageInfo, probe},
    render::{MAX_OUTPUT_PIXELS, RenderOptions, RenderedImage, WatermarkLayer, plan, render},
    transform::{TransformOutcome, transform},
};

use crate::{ImageInput, seeds::picture};

/// Maximum number of pixels of an image, and of its output. Images over the limits of `media`
/// are not skipped: they are rejected by their headers.
const MAX_FUZZED_PIXELS: u64 = 1 << 18;
/// Maximum number of pixels of an AVIF output, whose encoder is slow.
const MAX_FUZZED_AVIF_PIXELS: u64 = 32 * 32;

/// Watermark of rendered images.
static LAYER: LazyLock<WatermarkLayer> = LazyLock::new(|| {
    let file = png(picture(8, 6, Channels::Rgba));
    WatermarkLayer::decode(&file, Gravity::Southeast, 0.5).expect("a watermark")
});

/// Images that watermarks are composited over.
static BASES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    vec![
        png(picture(40, 30, Channels::Rgba)),
        png(picture(1, 9, Channels::Gray)),
        file(picture(64, 48, Channels::Rgb), Format::Jpeg),
    ]
});

fn png(pixels: Pixels) -> Vec<u8> {
    file(pixels, Format::Png)
}

fn file(pixels: Pixels, format: Format) -> Vec<u8> {
    let options = EncodeOptions::new(format, 80);
    encode(pixels, &options).expect("a picture")
}

/// Whether an image takes too long for a fuzz target.
fn is_slow(pixels: u64, limit: u64) -> bool {
    pixels > MAX_FUZZED_PIXELS && pixels <= limit
}

/// Renders the image of an input, and transforms it as an upload. Panics if a law is violated.
pub fn check_image(input: &ImageInput) {
    let probed = probe(input.file);
    if let Ok(probed) = probed
        && is_slow(probed.pixels(), MAX_PIXELS)
    {
        return;
    }

    check_render(input, probed.ok());
    if input.is_uploaded() {
        check_transform(input);
    }
}

fn check_render(input: &ImageInput, probed: Option<ImageInfo>) {
    let mut format = input.format();
    let mut expected = None;
    if let Some(probed) = probed
        && let Ok(geometry) = plan(probed.displayed(), input.resize())
    {
        let output = geometry.output();
        let resized = geometry.resized.pixels();
        if is_slow(output.pixels(), MAX_OUTPUT_PIXELS) || is_slow(resized, u64::MAX) {
            return;
        }
        if format == Format::Avif && output.pixels() > MAX_FUZZED_AVIF_PIXELS {
            format = Format::WebP;
        }
        expected = Some(output);
    }

    let options = RenderOptions {
        resize: input.resize(),
        format,
        quality: input.quality(),
        watermark: input.has_watermark().then(|| &*LAYER),
    };
    match render(input.file, &options) {
        Ok(rendered) => {
            check_rendered(&rendered, format, expected);
            if input.is_repeated() {
                assert_eq!(render(input.file, &options), Ok(rendered));
            }
        }
        Err(error) => require_caused_by_image(&error),
    }
}

fn check_rendered(rendered: &RenderedImage, format: Format, expected: Option<ImageSize>) {
    let size = ImageSize::new(rendered.width, rendered.height);
    assert_eq!(Some(size), expected);
    assert_eq!(rendered.format, format);

    let info = check_file(&rendered.bytes);
    assert_eq!(info.format, format);
    assert_eq!(info.stored(), size);
    assert_eq!(info.orientation, Orientation::Normal);
}

/// Checks that a written file is complete and can be decoded, all frames of an animation.
fn check_file(bytes: &[u8]) -> ImageInfo {
    let info = probe(bytes).expect("a written image has a header");
    assert_eq!(require_complete(bytes), Ok(()));

    if info.frames == Frames::Animated {
        let options = RenderOptions {
            resize: None,
            format: info.format,
            quality: Quality::Fixed(1),
            watermark: None,
        };
        let again = render(bytes, &options).expect("a written animation can be decoded");
        assert_eq!((again.width, again.height), (info.width, info.height));
    } else if info.format.is_decodable() {
        let pixels = decode(bytes, &info).expect("a written image can be decoded");
        assert_eq!((pixels.width, pixels.height), (info.width, info.height));
    }

    info
}

fn check_transform(input: &ImageInput) {
    let rules = input.rules();
    match transform(input.file, &rules) {
        Ok(TransformOutcome::Transformed(changed)) => {
            let info = probe(&changed.bytes).expect("a transformed image has a header");
            let displayed = info.displayed();
            assert_eq!(
                (displayed.width, displayed.height),
                (changed.width, changed.height)
            );

            let is_encoded = probe(input.file).is_ok_and(|probed| probed.format != info.format);
            if is_encoded {
                check_file(&changed.bytes);
            }
        }
        Ok(TransformOutcome::Unchanged) => {}
        Err(error) => require_caused_by_image(&error),
    }
}

/// Decodes the watermark of an input, and composites it. Panics if a law is violated.
pub fn check_watermark(input: &ImageInput) {
    if probe(input.file)
        .is_ok_and(|probed| is_slow(probed.pixels(), media::pixels::MAX_WATERMARK_PIXELS))
    {
        return;
    }
    let layer = match WatermarkLayer::decode(input.file, input.gravity(), input.opacity()) {
        Ok(layer) => layer,
        Err(error) => return require_caused_by_image(&error),
    };

    for base in &*BASES {
        let probed = probe(base).expect("a picture");
        let geometry = plan(probed.displayed(), input.resize()).expect("a small output");
        let mut format = input.format();
        if format == Format::Avif {
            format = Format::Png;
        }
        let options = RenderOptions {
            resize: input.resize(),
            format,
            quality: input.quality(),
            watermark: Some(&layer),
        };
        let rendered = render(base, &options).expect("a picture with a watermark");
        check_rendered(&rendered, format, Some(geometry.output()));
    }
}

/// Checks that a request fails with a client error: those of an encoder and of a missing decoder
/// are errors of the service.
fn require_caused_by_image(error: &MediaError) {
    assert!(
        !matches!(error, MediaError::Encoding(_) | MediaError::Decoder(_)),
        "{error}"
    );
}
