//! AVIF encoding with rav1e.
//!
//! Images are encoded with 8 bits per channel. With 10 bits, files have 8 % fewer bytes at the same score
//! (SSIMULACRA2), but take two to three times the time with assembly code, and half as much memory again.

use ravif::{BitDepth, Encoder, Img};
use rgb::FromSlice;

use crate::{
    MediaError, color,
    pixels::{Channels, MAX_NEGOTIATED_AVIF_PIXELS, MAX_RENDERED_AVIF_PIXELS, Pixels},
};

use super::EncodeOptions;

/// Maximum width and height, in pixels: libavif rejects files with longer sides by default
/// (`AVIF_DEFAULT_IMAGE_DIMENSION_LIMIT` in avif.h).
pub(super) const MAX_SIDE: u32 = 32_768;
/// Quality above which the pixel limits are halved: noise then takes twice the time, and 180 bytes
/// per pixel.
pub(crate) const FULL_LIMIT_QUALITY: u8 = 85;
/// Maximum quality. The quality of alpha is between that of the colors and this one: errors of alpha show as
/// haze on every background.
const MAX_QUALITY: u8 = 100;
/// Encoder speed of small images, 1 (slowest) to 10. At 8, files are a quarter smaller than at 9 for the
/// same score, in more than twice the time. That is fast enough with assembly code only.
const SMALL_IMAGE_SPEED: u8 = if cfg!(any(target_arch = "aarch64", feature = "assembler")) {
    8
} else {
    LARGE_IMAGE_SPEED
};
/// Encoder speed of images above [`MAX_NEGOTIATED_AVIF_PIXELS`].
const LARGE_IMAGE_SPEED: u8 = 9;
/// Encoder speed of conversions that are larger than every rendering. It takes half the time, so that noise fits
/// into that of a request; files are up to a tenth larger.
const LARGEST_IMAGE_SPEED: u8 = 10;

/// Returns a pixel limit by quality.
pub(crate) fn pixel_limit(quality: u8, limit: u64) -> u64 {
    if quality > FULL_LIMIT_QUALITY {
        limit / 2
    } else {
        limit
    }
}

/// Whether an image of this size is encoded faster than a rendering.
pub(crate) fn is_largest(pixels: u64, quality: u8) -> bool {
    pixels > pixel_limit(quality, MAX_RENDERED_AVIF_PIXELS)
}

pub(super) fn encode(pixels: Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    let speed = match pixels.size().pixels() {
        count if is_largest(count, encoding.quality) => LARGEST_IMAGE_SPEED,
        count if count > MAX_NEGOTIATED_AVIF_PIXELS => LARGE_IMAGE_SPEED,
        _ => SMALL_IMAGE_SPEED,
    };
    let mut encoder = Encoder::new()
        .with_quality(encoding.quality.into())
        .with_alpha_quality(encoding.quality.midpoint(MAX_QUALITY).into())
        .with_speed(speed)
        .with_bit_depth(BitDepth::Eight);
    if let Some(exif) = encoding.exif {
        encoder = encoder.with_exif(exif);
    }
    let width = pixels.width as usize;
    let height = pixels.height as usize;

    // The encoder writes no profile: colors that could not be converted are treated as sRGB.
    let pixels = color::with_colors(pixels);
    let samples = &pixels.samples[..];
    let file = if pixels.channels == Channels::Rgba {
        encoder.encode_rgba(Img::new(samples.as_rgba(), width, height))
    } else {
        encoder.encode_rgb(Img::new(samples.as_rgb(), width, height))
    };
    file.map(|file| file.avif_file)
        .map_err(MediaError::encoding)
}
