//! WebP decoding of still images.

use std::io::{Cursor, ErrorKind};

use image_webp::{DecodingError, WebPDecoder};

use crate::{
    Format, ImageInfo, MediaError,
    pixels::{Channels, Pixels},
    require_complete,
};

use super::{WORKING_BYTES, require_probed_size};

/// Decodes a WebP.
pub(super) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    // The decoder would report a truncated file as malformed.
    require_complete(bytes)?;

    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(decode_error)?;
    decoder.set_memory_limit(WORKING_BYTES);

    let (width, height) = decoder.dimensions();
    require_probed_size(probed, width, height)?;
    if decoder.is_animated() {
        return Err(MediaError::UnsupportedFormat(Format::WebP));
    }

    let channels = if decoder.has_alpha() {
        Channels::Rgba
    } else {
        Channels::Rgb
    };
    let mut pixels = Pixels::zeroed(probed.stored(), channels);
    decoder
        .read_image(&mut pixels.samples)
        .map_err(decode_error)?;

    // A profile over the memory limit is ignored.
    pixels.profile = decoder.icc_profile().ok().flatten();

    Ok(pixels)
}

fn decode_error(error: DecodingError) -> MediaError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            MediaError::Truncated
        }
        error => MediaError::malformed(error),
    }
}
