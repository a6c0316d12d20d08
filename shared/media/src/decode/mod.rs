//! Decoding of image files to pixels, with one decoder per format.
//!
//! Invariants:
//! - The limits of sides and pixels are checked against the probed dimensions before decoding.
//! - A decoder that reads other dimensions than the probe fails before it allocates pixels.

mod canvas;
mod frames;
mod gif;
mod heif;
mod image;
mod jpeg;
mod layers;
mod png;
mod shrink;
mod webp;

pub(crate) use frames::FrameDecoder;
pub(crate) use heif::{AV1_PIXEL_BYTES, HEVC_PIXEL_BYTES, HeifImage};
pub(crate) use image::TiffTiles;
pub(crate) use layers::{DecodedLayer, DecodedLayers};
pub(crate) use shrink::Shrink;

use domain::naming::ImageSize;

use crate::{
    color,
    completeness::require_complete,
    error::MediaError,
    format::Format,
    pixels::{
        MAX_LOSSLESS_PIXELS, MAX_PIXELS, Pixels, catch_codec_panic, require_pixel_limit,
        require_side_limit,
    },
    probe::{Frames, ImageInfo},
};

/// Memory limit of decoders that support one, in bytes, in addition to the pixels.
const WORKING_BYTES: usize = 8 << 20;

/// Decodes a complete image and converts its colors to sRGB. Does not apply the orientation.
///
/// Decodes the first frame of an animation, and the primary image of a sequence in HEIC or AVIF.
/// Rejects JPEGs for which libjpeg emits a warning, since it would invent pixels. Fails if the code
/// tables of a WebP that is lossless or transparent take more than 128 MiB. Peak memory in
/// addition: up to 4 bytes per pixel, plus 6 for a progressive JPEG (8 with four components), 1 for
/// GIF, 8 for WebP, 14 for a HEIC of one picture, or 6 for an AVIF of one and [`av1::max_bytes`]
/// for its decoder.
pub fn decode(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    if !probed.format.is_decodable() {
        return Err(MediaError::UnsupportedFormat(probed.format));
    }

    let mut pixels = decode_shrunk(bytes, probed, Shrink::default())?;
    color::to_srgb(&mut pixels);
    Ok(pixels)
}

/// Decodes a complete image like [`decode`], also BMP, TIFF and ICO, without conversion of colors.
/// A JPEG is decoded in the shrunk size, which takes less time and memory; other formats are not
/// shrunk.
pub(crate) fn decode_shrunk(
    bytes: &[u8],
    probed: &ImageInfo,
    shrink: Shrink,
) -> Result<Pixels, MediaError> {
    require_decodable_size(probed)?;
    let decoded = catch_codec_panic(MediaError::malformed, || match probed.format {
        Format::Jpeg => jpeg::read(bytes, probed, shrink),
        Format::Png => png::read(bytes, probed),
        Format::Gif => frames::read_first(bytes, probed),
        Format::WebP if probed.frames == Frames::Animated => frames::read_first(bytes, probed),
        Format::WebP => webp::read(bytes, probed),
        Format::Bmp | Format::Tiff | Format::Ico => image::read(bytes, probed),
        Format::Heic | Format::Avif => heif::read(bytes, probed),
    });
    let mut pixels = decoded.map_err(|error| truncated_or(error, bytes, probed.format))?;
    pixels.profile = color::fitting_profile(pixels.profile, pixels.channels);
    Ok(pixels)
}

/// Decodes a JPEG in the shrunk size like [`decode_shrunk`], without conversion to RGB. Returns
/// `None` for images of other formats and color models.
pub(crate) fn decode_layers(
    bytes: &[u8],
    probed: &ImageInfo,
    shrink: Shrink,
) -> Result<Option<DecodedLayers>, MediaError> {
    if probed.format != Format::Jpeg {
        return Ok(None);
    }
    require_decodable_size(probed)?;
    let decoded = catch_codec_panic(MediaError::malformed, || {
        layers::read(bytes, probed, shrink)
    });
    decoded.map_err(|error| truncated_or(error, bytes, probed.format))
}

/// Returns the error of a JPEG as a truncation if the file has no end marker: libjpeg reports
/// missing and damaged data alike.
fn truncated_or(error: MediaError, bytes: &[u8], format: Format) -> MediaError {
    let is_malformed = matches!(error, MediaError::Malformed(_));
    if format == Format::Jpeg && is_malformed && require_complete(bytes).is_err() {
        MediaError::Truncated
    } else {
        error
    }
}

/// Fails if an image exceeds the maximum side or number of pixels of its format.
pub(crate) fn require_decodable_size(probed: &ImageInfo) -> Result<(), MediaError> {
    require_side_limit(probed.stored())?;
    require_pixel_limit(probed.pixels(), pixel_limit(probed))
}

/// Returns the maximum number of pixels of an image.
fn pixel_limit(probed: &ImageInfo) -> u64 {
    let is_animated = probed.frames == Frames::Animated;
    let has_huffman_tables = probed.lossless || probed.has_alpha || is_animated;
    match probed.format {
        Format::WebP if has_huffman_tables => MAX_LOSSLESS_PIXELS,
        Format::Bmp | Format::Tiff | Format::Ico => image::MAX_PIXELS,
        _ => MAX_PIXELS,
    }
}

/// Fails if a decoder reads other dimensions than expected.
fn require_size(
    expected: ImageSize,
    width: impl TryInto<u32>,
    height: impl TryInto<u32>,
) -> Result<(), MediaError> {
    let has_width = width.try_into().ok() == Some(expected.width);
    let has_height = height.try_into().ok() == Some(expected.height);
    if has_width && has_height {
        Ok(())
    } else {
        Err(MediaError::malformed(
            "the headers contain different dimensions",
        ))
    }
}
