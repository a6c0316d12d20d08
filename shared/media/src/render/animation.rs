//! Rendering of animations: each frame passes through the steps of a still image.
//!
//! Invariants:
//! - One frame at a time is in memory.
//! - All frames have the geometry, the crop rectangle and the watermark of the first one.

use crate::{
    color::SrgbConverter,
    decode::FrameDecoder,
    encode::{AnimationEncoder, AnimationOptions, quality},
    error::MediaError,
    pixels::Channels,
    probe::ImageInfo,
};

use super::{
    RenderOptions, RenderedImage, focus,
    frame::{ColorModel, Frame, Layer, Picture},
    geometry::Geometry,
    region::Region,
    resize::{self, Chroma},
    saliency,
    watermark::FittedWatermark,
};

/// An animation to render.
pub(super) struct Animation<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) probed: &'a ImageInfo,
    /// Number of frames, within the limits.
    pub(super) frames: u32,
}

/// Renders all frames of a GIF or WebP as GIF or WebP.
pub(super) fn render(
    animation: &Animation,
    geometry: &Geometry,
    options: &RenderOptions,
) -> Result<RenderedImage, MediaError> {
    let mut decoder = FrameDecoder::open(animation.bytes, animation.probed)?;
    let output = geometry.output();
    let mut encoder = AnimationEncoder::new(&AnimationOptions {
        format: options.format,
        size: output,
        quality: quality(options.quality, output.width, output.height),
        plays: decoder.plays(),
    })?;
    let mut pipeline = None;
    for _ in 0..animation.frames {
        let milliseconds = match decoder.draw_next() {
            Ok(milliseconds) => milliseconds,
            // A damaged later frame ends the animation.
            Err(MediaError::Malformed(_) | MediaError::Truncated) if pipeline.is_some() => break,
            Err(error) => return Err(error),
        };
        let frame = frame_of(&decoder).oriented(animation.probed.orientation);
        let pipeline = match &pipeline {
            Some(pipeline) => pipeline,
            None => pipeline.insert(Pipeline::new(&frame, &decoder, geometry, options)?),
        };
        encoder.push(pipeline.apply(frame)?.pixels, milliseconds)?;
    }

    Ok(RenderedImage {
        bytes: encoder.finish()?,
        format: options.format,
        width: output.width,
        height: output.height,
    })
}

/// Returns the current frame of an animation, without its profile.
fn frame_of(decoder: &FrameDecoder) -> Frame {
    let pixels = decoder.pixels().clone();
    let region = Region::whole(&pixels);
    Frame {
        layers: vec![Layer { pixels, region }],
        model: ColorModel::Rgb,
        profile: None,
    }
}

/// The steps between decoding and encoding, with everything that all frames share.
struct Pipeline {
    /// With the part that is kept of the first frame.
    geometry: Geometry,
    /// `None` for sRGB and for unusable profiles.
    converter: Option<SrgbConverter>,
    /// The watermark on the frames before they are resized.
    cover: Option<FittedWatermark>,
    /// The watermark to composite again.
    repeated: Option<FittedWatermark>,
}

impl Pipeline {
    fn new(
        first: &Frame,
        decoder: &FrameDecoder,
        geometry: &Geometry,
        options: &RenderOptions,
    ) -> Result<Pipeline, MediaError> {
        let geometry = saliency::select(first, geometry, focus(options.resize))?;
        let image = first.layers[0].pixels.size();
        let profile = decoder.profile();
        let profile = profile.as_deref();
        let fit = |watermark| FittedWatermark::new(watermark, image, ColorModel::Rgb, profile);
        let repeat =
            |watermark| FittedWatermark::new(watermark, geometry.output(), ColorModel::Rgb, None);
        let cover = options.watermark.map(fit).transpose()?;
        let is_shown = |cover: &FittedWatermark| geometry.shows(cover.at, image);
        let repeated = options
            .watermark
            .filter(|_| !cover.as_ref().is_some_and(is_shown));

        Ok(Pipeline {
            geometry,
            converter: profile.and_then(|profile| SrgbConverter::new(profile, Channels::Rgba)),
            repeated: repeated.map(repeat).transpose()?,
            cover,
        })
    }

    fn apply(&self, mut frame: Frame) -> Result<Picture, MediaError> {
        if let Some(cover) = &self.cover {
            for layer in &mut frame.layers {
                cover.composite(&mut layer.pixels);
            }
        }
        let mut picture = resize::apply(frame, self.geometry, Chroma::Full)?;
        if let Some(converter) = &self.converter {
            converter.convert(&mut picture.pixels)?;
        }
        if let Some(repeated) = &self.repeated {
            repeated.composite(&mut picture.pixels);
        }
        Ok(picture)
    }
}
