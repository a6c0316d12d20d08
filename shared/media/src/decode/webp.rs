//! WebP, still ones.

use std::io::{Cursor, ErrorKind};

use image_webp::{DecodingError, WebPDecoder};

use crate::{
    Format, MediaError, Probed,
    pixels::{Channels, Pixels},
    require_end,
};

use super::{WORKING_BYTES, agreed};

/// Decodes a WebP.
pub(super) fn read(bytes: &[u8], probed: &Probed) -> Result<Pixels, MediaError> {
    // The decoder would find the bits of a stump corrupt.
    require_end(bytes)?;
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(told)?;
    decoder.set_memory_limit(WORKING_BYTES);
    let (width, height) = decoder.dimensions();
    agreed(probed, width, height)?;
    if decoder.is_animated() {
        return Err(MediaError::NotDecoded(Format::WebP));
    }
    let channels = if decoder.has_alpha() {
        Channels::Rgba
    } else {
        Channels::Rgb
    };
    let mut pixels = Pixels::blank(probed, channels);
    decoder.read_image(&mut pixels.samples).map_err(told)?;
    // One beyond the limit is none.
    pixels.profile = decoder.icc_profile().ok().flatten();
    Ok(pixels)
}

fn told(error: DecodingError) -> MediaError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            MediaError::EndsEarly
        }
        error => MediaError::malformed(error),
    }
}
