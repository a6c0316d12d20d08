//! AVIF encoding with rav1e.

use ravif::{Encoder, Img};
use rgb::FromSlice;

use crate::{
    MediaError, color,
    pixels::{Channels, Pixels},
};

use super::EncodeOptions;

/// Maximum width and height, in pixels.
pub(super) const MAX_SIDE: u32 = 65_535;
/// Quality above which the pixel limits are halved: noise then takes twice the time, and 180 bytes
/// per pixel.
pub(crate) const FULL_LIMIT_QUALITY: u8 = 85;
/// Encoder speed, 1 (slowest) to 10; lower values exceed the time of a request.
const SPEED: u8 = 9;

pub(super) fn encode(pixels: &Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
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
