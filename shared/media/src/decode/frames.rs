//! Decoding of animations, one frame at a time.
//!
//! Invariant: memory is bounded by one canvas and one frame, however many frames there are.

use crate::{
    animation::Plays,
    color::fitting_profile,
    error::MediaError,
    format::Format,
    pixels::{Channels, Pixels, catch_codec_panic, require_pixel_limit},
    probe::ImageInfo,
};

use super::{canvas::Canvas, gif::GifFrames, pixel_limit, webp::WebPFrames};

/// Decoder of the frames of a GIF or an animated WebP.
pub(crate) struct FrameDecoder<'a> {
    canvas: Canvas,
    source: Source<'a>,
}

enum Source<'a> {
    Gif(Box<GifFrames<'a>>),
    WebP(WebPFrames<'a>),
}

impl<'a> FrameDecoder<'a> {
    /// Reads the header. Fails if the canvas exceeds the pixel limit.
    pub(crate) fn open(
        bytes: &'a [u8],
        probed: &ImageInfo,
    ) -> Result<FrameDecoder<'a>, MediaError> {
        require_pixel_limit(probed.pixels(), pixel_limit(probed))?;
        let source = match probed.format {
            Format::Gif => Source::Gif(Box::new(GifFrames::open(bytes)?)),
            Format::WebP => Source::WebP(WebPFrames::open(bytes)?),
            other => return Err(MediaError::UnsupportedFormat(other)),
        };
        Ok(FrameDecoder {
            canvas: Canvas::new(probed.stored()),
            source,
        })
    }

    /// Draws the next frame, and returns its duration in milliseconds. Fails if there is none.
    pub(crate) fn draw_next(&mut self) -> Result<u32, MediaError> {
        let canvas = &mut self.canvas;
        catch_codec_panic(MediaError::malformed, || match &mut self.source {
            Source::Gif(frames) => frames.draw_next(canvas),
            Source::WebP(frames) => frames.draw_next(canvas),
        })
    }

    /// Returns the pixels after the last frame that was drawn.
    pub(crate) fn pixels(&self) -> &Pixels {
        &self.canvas.pixels
    }

    /// Returns how often the animation is shown.
    pub(crate) fn plays(&self) -> Plays {
        match &self.source {
            Source::Gif(frames) => frames.plays(),
            Source::WebP(frames) => frames.plays(),
        }
    }

    /// Returns the color profile of the file, if it describes RGB.
    pub(crate) fn profile(&self) -> Option<Vec<u8>> {
        let profile = match &self.source {
            Source::Gif(frames) => frames.profile(),
            Source::WebP(frames) => frames.profile(),
        };
        fitting_profile(profile, Channels::Rgba)
    }
}

/// Decodes the first frame of an animation on its canvas. The rest of the canvas is transparent.
pub(super) fn read_first(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    let mut decoder = FrameDecoder::open(bytes, probed)?;
    decoder.draw_next()?;
    let profile = decoder.profile();
    Ok(Pixels {
        profile,
        ..decoder.canvas.pixels
    })
}
