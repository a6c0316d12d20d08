//! Time of a rendering. The factors are measured on one core of a server without assembly code for
//! AVIF, with noise, the worst case. `bench estimates` of the example `bench` compares them with a release
//! build.

use crate::{
    Dimensions, Format, ImageInfo,
    encode::{AVIF_FULL_LIMIT_QUALITY, JPEG_FULL_CHROMA_QUALITY},
};

use super::{Coding, encoding::WEBP_MEDIUM_QUALITY};

/// Maximum estimated time of a rendering, in milliseconds. The rest of the time until the response is
/// for reading and storing files, and for waiting for memory.
pub const MAX_RENDERING_MILLISECONDS: u64 = 16_000;

/// Nanoseconds of a millisecond.
const NANOSECONDS: u64 = 1_000_000;
/// Time to decode a pixel, in nanoseconds.
const DECODED_PIXEL: u64 = 30;
/// Time to decode a pixel of a WebP, in nanoseconds.
const WEBP_PIXEL: u64 = 110;
/// Time to decode a sample of a JPEG, in nanoseconds.
const JPEG_SAMPLE: u64 = 8;
/// Time to decode a byte of a JPEG, in nanoseconds.
const JPEG_BYTE: u64 = 25;
/// Time of a further scan per sample of a JPEG, in nanoseconds.
const SCAN_SAMPLE: u64 = 1;
/// Time to resize a pixel of the source or of the output, in nanoseconds.
const RESIZED_PIXEL: u64 = 15;

/// Work of a rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) output: Dimensions,
    pub(crate) format: Format,
    pub(crate) quality: u8,
    pub(crate) has_alpha: bool,
}

/// Returns the time of decoding a file of this length, in milliseconds.
pub(crate) fn decoding_time(probed: &ImageInfo, coding: &Coding, file_bytes: u64) -> u64 {
    let nanoseconds = match coding {
        Coding::Jpeg(coding) => {
            let samples = coding.components.iter().map(|blocks| blocks.samples());
            let samples = samples.fold(0, u64::saturating_add);
            let sample_time = coding
                .scans
                .saturating_mul(SCAN_SAMPLE)
                .saturating_add(JPEG_SAMPLE);
            samples
                .saturating_mul(sample_time)
                .saturating_add(file_bytes.saturating_mul(JPEG_BYTE))
        }
        Coding::WebP { .. } => nanoseconds_of(probed.stored(), WEBP_PIXEL),
        Coding::Tiff(coding) => nanoseconds_of(coding.padded, DECODED_PIXEL),
        Coding::Other { .. } => nanoseconds_of(probed.stored(), DECODED_PIXEL),
    };
    nanoseconds / NANOSECONDS
}

/// Returns the time of resizing and encoding this number of frames, in milliseconds.
pub(crate) fn rendering_time(probed: &ImageInfo, work: Work, frames: u32) -> u64 {
    let resizing = nanoseconds_of(probed.stored(), RESIZED_PIXEL);
    let encoding = nanoseconds_of(work.output, RESIZED_PIXEL + encoded_pixel(work));
    resizing
        .saturating_add(encoding)
        .saturating_mul(frames.into())
        / NANOSECONDS
}

/// Returns the time to encode a pixel, in nanoseconds.
fn encoded_pixel(work: Work) -> u64 {
    match work.format {
        Format::Jpeg if work.quality >= JPEG_FULL_CHROMA_QUALITY => 250,
        Format::Jpeg => 80,
        Format::Png => 100,
        Format::WebP if work.has_alpha || work.quality > WEBP_MEDIUM_QUALITY => 420,
        Format::WebP => 300,
        Format::Avif if work.quality > AVIF_FULL_LIMIT_QUALITY => 4_500,
        Format::Avif if work.has_alpha => 3_000,
        Format::Avif => 2_200,
        Format::Gif => 150,
        Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => 0,
    }
}

/// Returns the time of all pixels, in nanoseconds.
fn nanoseconds_of(size: Dimensions, per_pixel: u64) -> u64 {
    size.pixels().saturating_mul(per_pixel)
}
