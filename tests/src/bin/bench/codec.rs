//! The work of the codecs in the processing of an upload: what the workers `thumbnails` and `blurhash` do with an
//! image between its original and its results.

use domain::{Quality, Resize, Sides};
use media::{Format, MediaError, PlanOptions, RenderOptions, Source, decode, probe};

/// Side of the rendition that the blurhash is computed from, in pixels.
const PLACEHOLDER_SIDE: u32 = 64;
/// Sides of the thumbnails, in pixels.
const THUMBNAIL_SIDES: [u32; 3] = [160, 320, 640];

/// Decodes an image, renders its placeholder and its thumbnails, and computes its blurhash.
pub(crate) fn process(image: &[u8]) -> Result<String, MediaError> {
    let placeholder = output(PLACEHOLDER_SIDE, Format::Png);
    let thumbnails = THUMBNAIL_SIDES.map(|side| output(side, Format::WebP));
    let source = Source::read(image)?;
    let mut planned = vec![PlanOptions::from(&placeholder)];
    planned.extend(thumbnails.iter().map(PlanOptions::from));

    let plan = source.plan_shared(&planned)?;
    let mut decoded = source.decode(&plan)?;
    for thumbnail in &thumbnails {
        decoded.render(thumbnail)?;
    }

    let placeholder = decoded.render(&placeholder)?.bytes;
    let pixels = decode(&placeholder, &probe(&placeholder)?)?;
    media::dominant_color(&pixels);
    Ok(media::blurhash(&pixels))
}

fn output(side: u32, format: Format) -> RenderOptions<'static> {
    let sides = Sides::Both {
        width: side,
        height: side,
    };
    RenderOptions {
        resize: Some(Resize::Fit(sides)),
        format,
        quality: Quality::Auto,
        watermark: None,
    }
}
