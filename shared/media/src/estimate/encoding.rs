//! Memory of encoding.

use crate::{
    Channels, Dimensions, Format,
    encode::{AVIF_FULL_LIMIT_QUALITY, JPEG_FULL_CHROMA_QUALITY},
};

use super::area_bytes;

/// Memory of every encoder apart from pixels, in bytes.
const ENCODER_BYTES: u64 = 4 << 20;

/// Quality above which the encoder of WebP takes more memory and time, since it writes more.
pub(super) const WEBP_MEDIUM_QUALITY: u8 = 80;

/// Returns the memory of encoding an image and of the file, in bytes, in addition to its pixels.
pub(crate) fn encoding_bytes(
    format: Format,
    size: Dimensions,
    channels: Channels,
    quality: u8,
) -> u64 {
    area_bytes(size, pixel_bytes(format, channels, quality)).saturating_add(ENCODER_BYTES)
}

/// Returns the memory per pixel, in bytes. Measured with noise, whose files are the largest.
fn pixel_bytes(format: Format, channels: Channels, quality: u8) -> u64 {
    let gray_expansion = if channels == Channels::Gray { 3 } else { 0 };
    match format {
        Format::Jpeg if channels == Channels::Gray => 6,
        Format::Jpeg if quality >= JPEG_FULL_CHROMA_QUALITY => 16,
        Format::Jpeg => 8,
        Format::Png => 2 * channels.count() as u64,
        Format::WebP if channels == Channels::Rgba => 48,
        Format::WebP if quality > WEBP_MEDIUM_QUALITY => 34 + gray_expansion,
        Format::WebP => 24 + gray_expansion,
        Format::Avif if quality > AVIF_FULL_LIMIT_QUALITY => 230,
        Format::Avif => 66,
        // Without color there are at most as many different pixels as colors of a palette.
        Format::Gif if channels == Channels::Gray => 10,
        Format::Gif => 20,
        Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => 0,
    }
}
