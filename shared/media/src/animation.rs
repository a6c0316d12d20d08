//! Frames of animations and their limits.
//!
//! Invariant: frames are counted, and checked against the limits, before a pixel is decoded.

use domain::ImageSize;

use crate::{
    Format, Frames, ImageInfo, MediaError, ProbeError,
    container::{gif, webp},
};

/// Maximum number of frames of a rendered animation.
pub const MAX_FRAMES: u32 = 3_000;
/// Maximum number of pixels of an animation in all frames.
pub const MAX_ANIMATION_PIXELS: u64 = 250_000_000;
/// Maximum number of pixels of a rendered WebP animation in all frames. Noise takes 0.25 s per
/// million pixels.
pub const MAX_ANIMATED_WEBP_PIXELS: u64 = 50_000_000;
/// Maximum number of pixels of a rendered GIF animation in all frames. Noise takes 0.55 s per million
/// pixels.
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
        Format::Gif => count_gif_frames(bytes)?,
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

/// Counts the frames of a GIF, at most one more than the maximum. Like browsers, accepts a file
/// without its end, and ignores unknown blocks after a frame.
fn count_gif_frames(bytes: &[u8]) -> Result<u32, MediaError> {
    let mut blocks = gif::Blocks::of(bytes)?;
    let mut frames = 0;
    while frames <= MAX_FRAMES {
        let is_end = blocks.at() >= bytes.len();
        let Some(block) = blocks.next() else { break };
        match block.map(|block| block.kind) {
            Ok(gif::BlockKind::Image) => frames += 1,
            Ok(_) => {}
            Err(ProbeError::NeedsMore { .. }) if is_end && frames > 0 => break,
            Err(ProbeError::Malformed(_)) if frames > 0 => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(frames)
}

/// Counts the frames of a WebP, at most one more than the maximum.
fn count_webp_frames(bytes: &[u8]) -> Result<u32, MediaError> {
    let mut chunks = webp::Chunks::of(bytes)?;
    let mut frames = 0;
    while frames <= MAX_FRAMES
        && let Some(chunk) = chunks.find(*b"ANMF")?
    {
        chunk.data(bytes)?;
        frames += 1;
    }
    Ok(frames)
}
