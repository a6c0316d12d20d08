//! JPEG encoding with mozjpeg in its fastest mode, as fast as libjpeg-turbo.

use mozjpeg::{ColorSpace, Compress, Marker};

use crate::{
    color,
    container::jpeg::{EXIF_NAME, PROFILE_NAME},
    error::MediaError,
    pixels::{Channels, Pixels},
};

use super::EncodeOptions;

/// Maximum width and height of libjpeg, in pixels.
pub(super) const MAX_SIDE: u32 = 65_500;
/// Minimum quality without chroma subsampling (4:4:4); lower qualities use 4:2:0.
pub(crate) const FULL_CHROMA_QUALITY: u8 = 90;
/// Maximum payload of a segment, in bytes.
const SEGMENT_BYTES: usize = 65_533;
/// Maximum size of EXIF data, in bytes.
const EXIF_BYTES: usize = SEGMENT_BYTES - EXIF_NAME.len();
/// Maximum part of a color profile in one segment, in bytes; two more bytes number the segment.
const PROFILE_BYTES: usize = SEGMENT_BYTES - PROFILE_NAME.len() - 2;

pub(super) fn encode(pixels: Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    let pixels = color::flatten_on_white(pixels);
    let colors = if pixels.channels == Channels::Gray {
        ColorSpace::JCS_GRAYSCALE
    } else {
        ColorSpace::JCS_RGB
    };
    encode_colors(&pixels, colors, encoding)
}

/// Encodes pixels whose three channels are luma and chroma.
pub(super) fn encode_ycc(pixels: &Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    encode_colors(pixels, ColorSpace::JCS_YCbCr, encoding)
}

fn encode_colors(
    pixels: &Pixels,
    colors: ColorSpace,
    encoding: &EncodeOptions,
) -> Result<Vec<u8>, MediaError> {
    let is_gray = colors == ColorSpace::JCS_GRAYSCALE;
    let mut settings = Compress::new(colors);
    settings.set_fastest_defaults();
    settings.set_size(pixels.width as usize, pixels.height as usize);
    settings.set_quality(encoding.quality.into());
    settings.set_optimize_coding(true);
    if !is_gray {
        let pixel_size = if encoding.quality >= FULL_CHROMA_QUALITY {
            (1, 1)
        } else {
            (2, 2)
        };
        settings.set_chroma_sampling_pixel_sizes(pixel_size, pixel_size);
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

/// Splits a color profile into segments numbered from 1. Returns none if it needs more than 255.
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
