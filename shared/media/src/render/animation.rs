//! Rendering of animations: each frame passes through the steps of a still image.
//!
//! Invariants:
//! - One frame at a time is in memory.
//! - All frames have the geometry, the crop rectangle and the watermark of the first one.

use crate::{
    Channels, ImageInfo, MediaError,
    color::SrgbConverter,
    decode::FrameDecoder,
    encode::{AnimationEncoder, AnimationOptions, quality},
};

use super::{
    RenderOptions, RenderedImage, crop, focus,
    frame::{ColorModel, Frame, Layer, Picture},
    geometry::{Geometry, Rectangle},
    orient,
    region::Region,
    resize,
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
    let mut pipeline = Pipeline::new(&decoder, geometry, options)?;

    for _ in 0..animation.frames {
        let milliseconds = decoder.draw_next()?;
        let frame = frame_of(&decoder);
        let picture = pipeline.apply(orient::apply(frame, animation.probed.orientation))?;
        encoder.push(picture.pixels, milliseconds)?;
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
struct Pipeline<'a> {
    geometry: &'a Geometry,
    options: &'a RenderOptions<'a>,
    /// Chosen from the first frame.
    crop: Option<Rectangle>,
    /// `None` for sRGB and for unusable profiles.
    converter: Option<SrgbConverter>,
    watermark: Option<FittedWatermark>,
}

impl<'a> Pipeline<'a> {
    fn new(
        decoder: &FrameDecoder,
        geometry: &'a Geometry,
        options: &'a RenderOptions,
    ) -> Result<Pipeline<'a>, MediaError> {
        let profile = decoder.profile();
        let converter = profile.and_then(|profile| SrgbConverter::new(&profile, Channels::Rgba));
        let fit = |watermark| FittedWatermark::new(watermark, geometry.output(), ColorModel::Rgb);
        Ok(Pipeline {
            geometry,
            options,
            crop: None,
            converter,
            watermark: options.watermark.map(fit).transpose()?,
        })
    }

    fn apply(&mut self, frame: Frame) -> Result<Picture, MediaError> {
        let crop = match self.crop {
            Some(crop) => crop,
            None => crop::select(&frame, self.geometry, focus(self.options.resize))?,
        };
        self.crop = Some(crop);

        let mut picture = resize::apply(frame, self.geometry.resized, crop)?;
        if let Some(converter) = &self.converter {
            converter.convert(&mut picture.pixels)?;
        }
        Ok(match &self.watermark {
            Some(watermark) => watermark.composite(picture),
            None => picture,
        })
    }
}
