//! Decoding of image files to pixels, with one decoder per format.
//!
//! Invariants:
//! - The pixel limit is checked against the probed dimensions before decoding.
//! - A decoder that reads other dimensions than the probe fails before it allocates pixels.

mod gif;
mod jpeg;
mod png;
mod webp;

use crate::{
    Format, ImageInfo, MediaError, color,
    pixels::{MAX_LOSSLESS_PIXELS, MAX_PIXELS, Pixels, catch_codec_panic, require_pixel_limit},
};

/// Memory limit of decoders that support one, in bytes, in addition to the pixels.
const WORKING_BYTES: usize = 64 << 20;

/// Decodes a complete image and converts its colors to sRGB. Does not apply the orientation.
///
/// Decodes the first frame of an animated GIF or PNG. Rejects animated WebP files, and JPEGs for
/// which libjpeg emits a warning, since it would invent pixels. Peak memory: up to 4 bytes per pixel,
/// plus 6 for a progressive JPEG or 4 for GIF, PNG and WebP. A malicious WebP that is lossless or
/// transparent can request 1.4 GB of Huffman tables.
pub fn decode(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    require_pixel_limit(probed.pixels(), pixel_limit(probed))?;
    let mut pixels = catch_codec_panic(MediaError::malformed, || match probed.format {
        Format::Jpeg => jpeg::read(bytes, probed),
        Format::Png => png::read(bytes, probed),
        Format::Gif => gif::read(bytes, probed),
        Format::WebP => webp::read(bytes, probed),
        other => Err(MediaError::UnsupportedFormat(other)),
    })?;
    color::to_srgb(&mut pixels);
    Ok(pixels)
}

/// Returns the maximum number of pixels of an image.
fn pixel_limit(probed: &ImageInfo) -> u64 {
    let has_huffman_tables = probed.lossless || probed.has_alpha;
    if probed.format == Format::WebP && has_huffman_tables {
        MAX_LOSSLESS_PIXELS
    } else {
        MAX_PIXELS
    }
}

/// Fails if a decoder reads other dimensions than the probe.
fn require_probed_size(
    probed: &ImageInfo,
    width: impl TryInto<u32>,
    height: impl TryInto<u32>,
) -> Result<(), MediaError> {
    if width.try_into().ok() == Some(probed.width) && height.try_into().ok() == Some(probed.height)
    {
        Ok(())
    } else {
        Err(MediaError::malformed(
            "the headers contain different dimensions",
        ))
    }
}
