//! PNG.

use std::io::{Cursor, ErrorKind};

use png::{ColorType, Decoder, DecodingError, Limits, Transformations};

use crate::{
    MediaError, Probed,
    pixels::{Channels, Pixels},
};

use super::{WORKING_BYTES, agreed};

/// Decodes a PNG; 16 bits a channel become 8, palettes colours.
pub(super) fn read(bytes: &[u8], probed: &Probed) -> Result<Pixels, MediaError> {
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(bytes),
        Limits {
            bytes: WORKING_BYTES,
        },
    );
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(told)?;
    agreed(probed, reader.info().width, reader.info().height)?;
    let (kind, _) = reader.output_color_type();
    let channels = match kind {
        ColorType::Grayscale => Channels::Grey,
        ColorType::Rgb => Channels::Rgb,
        ColorType::Rgba | ColorType::GrayscaleAlpha => Channels::Rgba,
        ColorType::Indexed => {
            return Err(MediaError::malformed("a palette that was not looked up"));
        }
    };
    let mut pixels = Pixels::blank(probed, channels);
    if kind == ColorType::GrayscaleAlpha {
        // Two samples a pixel come in, four go out: they are spread from the end, where nothing is
        // overwritten unread.
        let half = pixels.samples.len() / 2;
        reader
            .next_frame(&mut pixels.samples[..half])
            .map_err(told)?;
        spread(&mut pixels.samples);
    } else {
        reader.next_frame(&mut pixels.samples).map_err(told)?;
    }
    pixels.profile = reader
        .info()
        .icc_profile
        .as_ref()
        .map(|profile| profile.to_vec());
    reader.finish().map_err(told)?;
    Ok(pixels)
}

fn spread(samples: &mut [u8]) {
    for pixel in (0..samples.len() / 4).rev() {
        let (grey, alpha) = (samples[pixel * 2], samples[pixel * 2 + 1]);
        samples[pixel * 4..pixel * 4 + 4].copy_from_slice(&[grey, grey, grey, alpha]);
    }
}

fn told(error: DecodingError) -> MediaError {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            MediaError::EndsEarly
        }
        error => MediaError::malformed(error),
    }
}
