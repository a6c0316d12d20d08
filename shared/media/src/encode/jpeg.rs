//! JPEG, by mozjpeg at the speed of libjpeg-turbo.

use mozjpeg::{ColorSpace, Compress, Marker};

use crate::{
    Format, MediaError, colour,
    container::jpeg::{EXIF_NAME, PROFILE_NAME},
    pixels::{Channels, Pixels},
};

use super::{Encoding, fits};

/// Most pixels of a side that libjpeg takes.
const SIDE: u32 = 65_500;
/// From this quality on colour is as fine as brightness; below, half as fine both ways.
const FULL_COLOUR: u8 = 90;
/// Most bytes of a segment.
const SEGMENT_BYTES: usize = 65_533;
/// Most bytes of camera data.
const EXIF_BYTES: usize = SEGMENT_BYTES - EXIF_NAME.len();
/// Most bytes of a colour profile in one segment, in which two more number it.
const PROFILE_BYTES: usize = SEGMENT_BYTES - PROFILE_NAME.len() - 2;

pub(super) fn encode(pixels: Pixels, encoding: &Encoding) -> Result<Vec<u8>, MediaError> {
    fits(&pixels, Format::Jpeg, SIDE)?;
    let pixels = colour::on_white(pixels);
    let is_grey = pixels.channels == Channels::Grey;
    let mut settings = Compress::new(if is_grey {
        ColorSpace::JCS_GRAYSCALE
    } else {
        ColorSpace::JCS_RGB
    });
    settings.set_fastest_defaults();
    settings.set_size(pixels.width as usize, pixels.height as usize);
    settings.set_quality(encoding.quality.into());
    settings.set_optimize_coding(true);
    if !is_grey {
        let size = if encoding.quality >= FULL_COLOUR {
            (1, 1)
        } else {
            (2, 2)
        };
        settings.set_chroma_sampling_pixel_sizes(size, size);
    }
    if encoding.progressive {
        settings.set_progressive_mode();
    }
    let mut started = settings
        .start_compress(Vec::new())
        .map_err(MediaError::encoding)?;
    if let Some(exif) = encoding.exif.filter(|exif| exif.len() <= EXIF_BYTES) {
        started.write_marker(Marker::APP(1), &[EXIF_NAME, exif].concat());
    }
    for segment in profile_segments(pixels.profile.as_deref().unwrap_or_default()) {
        started.write_marker(Marker::APP(2), &segment);
    }
    started
        .write_scanlines(&pixels.samples)
        .map_err(MediaError::encoding)?;
    started.finish().map_err(MediaError::encoding)
}

/// The segments of a colour profile, numbered from 1. One that needs more than can be numbered is
/// left out.
fn profile_segments(profile: &[u8]) -> Vec<Vec<u8>> {
    let parts = profile.chunks(PROFILE_BYTES);
    let Ok(count) = u8::try_from(parts.len()) else {
        return Vec::new();
    };
    parts
        .zip(1..=count)
        .map(|(part, number)| [PROFILE_NAME, &[number, count], part].concat())
        .collect()
}
