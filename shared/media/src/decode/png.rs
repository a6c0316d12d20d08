//! PNG decoding.

use std::io::{BufRead, Cursor, ErrorKind, Seek};

use ::png::{ColorType, Decoder, DecodingError, Limits, Reader, Transformations};

use crate::{
    color,
    container::png,
    error::MediaError,
    pixels::{Channels, Pixels},
    probe::ImageInfo,
};

use super::{WORKING_BYTES, require_size};

/// Decodes a PNG to 8 bits per channel, with palettes expanded.
pub(super) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(png::repaired(bytes)?),
        Limits {
            bytes: WORKING_BYTES,
        },
    );
    decoder.set_ignore_text_chunk(true);
    // As browsers, which show the pixels as they are.
    decoder.ignore_checksums(true);
    decoder.set_transformations(Transformations::normalize_to_color8());

    let mut reader = decoder.read_info().map_err(decode_error)?;
    require_size(probed.stored(), reader.info().width, reader.info().height)?;

    let color_type = reader.output_color_type().0;
    let channels = match color_type {
        ColorType::Grayscale => Channels::Gray,
        ColorType::Rgb => Channels::Rgb,
        ColorType::Rgba | ColorType::GrayscaleAlpha => Channels::Rgba,
        ColorType::Indexed => {
            return Err(MediaError::malformed("the palette was not expanded"));
        }
    };
    let mut pixels = Pixels::zeroed(probed.stored(), channels);

    if color_type == ColorType::GrayscaleAlpha {
        // Two samples per pixel are expanded to four in place, from the end, so that no sample is
        // overwritten before it is read.
        let half = pixels.samples.len() / 2;
        reader
            .next_frame(&mut pixels.samples[..half])
            .map_err(decode_error)?;
        let grays = pixels.samples[..half].as_chunks_mut().0;
        color::grays_to_srgb(grays, profile(&reader));
        expand_gray_alpha(&mut pixels.samples);
    } else {
        reader
            .next_frame(&mut pixels.samples)
            .map_err(decode_error)?;
        pixels.profile = profile(&reader);
    }

    Ok(pixels)
}

/// Returns the color profile of the file.
fn profile(reader: &Reader<impl BufRead + Seek>) -> Option<Vec<u8>> {
    let profile = reader.info().icc_profile.as_ref();
    profile.map(|profile| profile.to_vec())
}

fn expand_gray_alpha(samples: &mut [u8]) {
    for pixel in (0..samples.len() / 4).rev() {
        let gray = samples[pixel * 2];
        let alpha = samples[pixel * 2 + 1];
        samples[pixel * 4..pixel * 4 + 4].copy_from_slice(&[gray, gray, gray, alpha]);
    }
}

fn decode_error(error: DecodingError) -> MediaError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            MediaError::Truncated
        }
        error => MediaError::malformed(error),
    }
}
