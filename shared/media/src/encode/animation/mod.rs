//! Encoding of animations, one frame at a time.
//!
//! Invariants:
//! - All frames are written, with their durations, also equal ones.
//! - A frame contains only the area that differs from the previous one.
//! - Memory in addition to the file is bounded by a few frames.

mod difference;
mod gif;
mod webp;

use domain::naming::ImageSize;

use crate::{
    animation::Plays,
    error::MediaError,
    format::Format,
    pixels::{Pixels, catch_codec_panic},
};

use self::{gif::GifAnimation, webp::WebPAnimation};

/// Options of an [`AnimationEncoder`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnimationOptions {
    /// GIF or WebP.
    pub(crate) format: Format,
    /// Size of all frames.
    pub(crate) size: ImageSize,
    /// Quality from 1 to 100; ignored by GIF.
    pub(crate) quality: u8,
    /// How often the animation is shown.
    pub(crate) plays: Plays,
}

/// Encoder of an animated GIF or WebP.
pub(crate) enum AnimationEncoder {
    Gif(Box<GifAnimation>),
    WebP(WebPAnimation),
}

impl AnimationEncoder {
    /// Fails if the format has no animations, or not of this size.
    pub(crate) fn new(options: &AnimationOptions) -> Result<AnimationEncoder, MediaError> {
        match options.format {
            Format::Gif => Ok(AnimationEncoder::Gif(Box::new(GifAnimation::new(options)?))),
            Format::WebP => Ok(AnimationEncoder::WebP(WebPAnimation::new(options)?)),
            other => Err(MediaError::encoding(format!("{other:?} has no animations"))),
        }
    }

    /// Appends a frame of RGBA pixels with its duration.
    pub(crate) fn push(&mut self, pixels: Pixels, milliseconds: u32) -> Result<(), MediaError> {
        catch_codec_panic(MediaError::encoding, || match self {
            AnimationEncoder::Gif(encoder) => encoder.push(pixels, milliseconds),
            AnimationEncoder::WebP(encoder) => encoder.push(pixels, milliseconds),
        })
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>, MediaError> {
        catch_codec_panic(MediaError::encoding, || match self {
            AnimationEncoder::Gif(encoder) => encoder.finish(),
            AnimationEncoder::WebP(encoder) => Ok(encoder.finish()),
        })
    }
}
