//! AVIF encoding with rav1e.

use ravif::{Encoder, Img};
use rgb::FromSlice;

use crate::{
    Format, MediaError, color,
    pixels::{Channels, MAX_AVIF_PIXELS, Pixels},
};

use super::{EncodeOptions, require_max_pixels, require_max_side};

/// Maximum width and height, in pixels.
const MAX_SIDE: u32 = 65_535;
/// Quality above which the pixel limit is halved: noise then takes twice the time, and 180 bytes
/// per pixel.
const FULL_LIMIT_QUALITY: u8 = 85;
/// Encoder speed, 1 (slowest) to 10; lower values exceed the time of a request.
const SPEED: u8 = 9;

/// Maximum number of pixels of an AVIF that a client accepts but does not insist on. A photo of this
/// size takes about a second without assembly code, noise about 4.5.
const MAX_NEGOTIATED_PIXELS: u64 = 2_000_000;

/// Whether an image of this size is encoded as AVIF within the time of a delivery. Larger images
/// should be negotiated to another format.
pub fn fits_avif(width: u32, height: u32) -> bool {
    let pixels = u64::from(width) * u64::from(height);
    width.max(height) <= MAX_SIDE && pixels <= MAX_NEGOTIATED_PIXELS
}

pub(super) fn encode(pixels: &Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    require_max_side(pixels, Format::Avif, MAX_SIDE)?;
    let limit = if encoding.quality > FULL_LIMIT_QUALITY {
        MAX_AVIF_PIXELS / 2
    } else {
        MAX_AVIF_PIXELS
    };
    require_max_pixels(pixels, limit)?;
    let mut encoder = Encoder::new()
        .with_quality(encoding.quality.into())
        .with_speed(SPEED);
    if let Some(exif) = encoding.exif {
        encoder = encoder.with_exif(exif);
    }
    let width = pixels.width as usize;
    let height = pixels.height as usize;

    // The encoder writes no profile: colors that could not be converted are treated as sRGB.
    let expanded = color::expand_gray(pixels);
    let samples = &expanded.samples;
    let file = match expanded.channels {
        Channels::Rgba => encoder.encode_rgba(Img::new(samples.as_rgba(), width, height)),
        Channels::Gray | Channels::Rgb => {
            encoder.encode_rgb(Img::new(samples.as_rgb(), width, height))
        }
    };
    file.map(|file| file.avif_file)
        .map_err(MediaError::encoding)
}
