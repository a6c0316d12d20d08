//! AVIF, by rav1e.

use ravif::{Encoder, Img};
use rgb::FromSlice;

use crate::{
    Format, MediaError, colour,
    pixels::{AVIF_PIXELS, Channels, Pixels},
};

use super::{Encoding, bearable, fits};

/// Most pixels of a side.
const SIDE: u32 = 65_535;
/// Quality above which only half as many pixels are taken: of noise they cost twice the time, and
/// 180 bytes each.
const QUALITY: u8 = 85;
/// How fast the encoder is, 1 to 10; slower ones exceed a request's time.
const SPEED: u8 = 9;

pub(super) fn encode(pixels: &Pixels, encoding: &Encoding) -> Result<Vec<u8>, MediaError> {
    fits(pixels, Format::Avif, SIDE)?;
    let limit = if encoding.quality > QUALITY {
        AVIF_PIXELS / 2
    } else {
        AVIF_PIXELS
    };
    bearable(pixels, limit)?;
    let mut encoder = Encoder::new()
        .with_quality(encoding.quality.into())
        .with_speed(SPEED);
    if let Some(exif) = encoding.exif {
        encoder = encoder.with_exif(exif);
    }
    let (width, height) = (pixels.width as usize, pixels.height as usize);
    // There is no place for a profile: colours that could not be converted are taken as sRGB.
    let (samples, channels) = colour::coloured(pixels);
    let file = match channels {
        Channels::Rgba => encoder.encode_rgba(Img::new(samples.as_rgba(), width, height)),
        Channels::Grey | Channels::Rgb => {
            encoder.encode_rgb(Img::new(samples.as_rgb(), width, height))
        }
    };
    file.map(|file| file.avif_file)
        .map_err(MediaError::encoding)
}
