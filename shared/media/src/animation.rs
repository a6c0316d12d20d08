//! Frames of animations and their limits.
//!
//! Invariant: frames are counted, and checked against the limits, before a pixel is decoded.

use domain::naming::ImageSize;

use crate::{
    container::{gif, webp},
    error::MediaError,
    format::Format,
    probe::{Frames, ImageInfo},
};

/// Maximum number of frames of a rendered animation.
pub const MAX_FRAMES: u32 = 3_000;
/// Maximum number of pixels of an animation in all frames.
pub const MAX_ANIMATION_PIXELS: u64 = 250_000_000;
/// Maximum number of pixels of a rendered WebP animation in all frames. Noise takes 0.25 s per
/// million pixels.
pub const MAX_ANIMATED_WEBP_PIXELS: u64 = 50_000_000;
/// Maximum number of pixels of a rendered GIF animation in all frames. Noise takes 0.55 s per
/// million pixels.
pub const MAX_ANIMATED_GIF_PIXELS: u64 = 25_000_000;

/// How often an animation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plays {
    Forever,
    /// This number of times, at least 1.
    Times(u16),
}

/// Returns the number of frames that an image has after it is rendered in a format and size: 1 for
/// still images, and unless both formats can be animated, which are GIF and WebP.
///
/// Fails if an animation is truncated, or exceeds a limit.
pub(crate) fn rendered_frames(
    bytes: &[u8],
    probed: &ImageInfo,
    format: Format,
    output: ImageSize,
) -> Result<u32, MediaError> {
    if !matches!(format, Format::Gif | Format::WebP) || probed.frames == Frames::Still {
        return Ok(1);
    }
    let frames = match probed.format {
        Format::Gif => gif::count_frames(bytes)?,
        Format::WebP => count_webp_frames(bytes)?,
        _ => 1,
    };

    if frames > 1 {
        let output_limit = if format == Format::Gif {
            MAX_ANIMATED_GIF_PIXELS
        } else {
            MAX_ANIMATED_WEBP_PIXELS
        };
        require_source_limits(frames, probed)?;
        require_output_limit(frames, output, output_limit)?;
    }
    Ok(frames)
}

fn require_source_limits(frames: u32, probed: &ImageInfo) -> Result<(), MediaError> {
    let pixels = probed.pixels().saturating_mul(frames.into());
    if frames > MAX_FRAMES || pixels > MAX_ANIMATION_PIXELS {
        return Err(MediaError::AnimationTooLarge);
    }
    Ok(())
}

fn require_output_limit(frames: u32, output: ImageSize, limit: u64) -> Result<(), MediaError> {
    let pixels = output.pixels().saturating_mul(frames.into());
    if pixels > limit {
        return Err(MediaError::AnimatedOutputTooLarge { pixels, limit });
    }
    Ok(())
}

/// Counts the undamaged frames of a WebP.
pub(crate) fn count_webp_frames(bytes: &[u8]) -> Result<u32, MediaError> {
    let chunks = webp::whole_chunks(bytes)?;
    Ok(count(chunks.filter(|chunk| chunk.kind == *b"ANMF")))
}

fn count<T>(frames: impl Iterator<Item = T>) -> u32 {
    u32::try_from(frames.count()).unwrap_or(u32::MAX)
}
