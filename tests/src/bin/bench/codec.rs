//! The work of the codecs in the processing of an upload: what the worker `processing` does with an
//! image between its original and its results.

use domain::renditions::{Quality, Resize, Sides};
use media::{
    decode::decode,
    error::MediaError,
    format::Format,
    probe::probe,
    render::{PlanOptions, RenderOptions, Source},
};

/// Side of the square that the placeholder fits into, in pixels.
const PLACEHOLDER_SIDE: u32 = 64;

/// Decodes an image, renders its placeholder, and computes its blurhash.
pub(crate) fn process(image: &[u8]) -> Result<String, MediaError> {
    let sides = Sides::Both {
        width: PLACEHOLDER_SIDE,
        height: PLACEHOLDER_SIDE,
    };
    let options = RenderOptions {
        resize: Some(Resize::Fit(sides)),
        format: Format::Png,
        quality: Quality::Auto,
        watermark: None,
    };
    let source = Source::read(image)?;
    let plan = source.plan_shared(&[PlanOptions::from(&options)])?;
    let placeholder = source.decode(&plan)?.render(&options)?.bytes;

    let pixels = decode(&placeholder, &probe(&placeholder)?)?;
    media::dominant_color::dominant_color(&pixels);
    Ok(media::blurhash::blurhash(&pixels))
}
