//! Encoding of pixels to image files.

mod animation;
mod avif;
mod gif;
mod jpeg;
mod png;
mod webp;

pub(crate) use animation::{AnimationEncoder, AnimationOptions};
pub(crate) use avif::FULL_CHROMA_QUALITY as AVIF_FULL_CHROMA_QUALITY;
pub(crate) use jpeg::FULL_CHROMA_QUALITY as JPEG_FULL_CHROMA_QUALITY;

use domain::{naming::ImageSize, renditions::Quality};

use crate::{
    error::MediaError,
    format::Format,
    pixels::{Channels, MAX_AVIF_PIXELS, MAX_LOSSLESS_PIXELS, Pixels, catch_codec_panic},
};

/// Automatic quality by the longer side in pixels: larger images are viewed from further away.
const QUALITY_BY_SIDE: [(u32, u8); 5] = [
    (1_000, 90),
    (2_500, 85),
    (5_000, 80),
    (7_500, 75),
    (10_000, 70),
];
/// Automatic quality of larger images.
const MIN_AUTO_QUALITY: u8 = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeOptions<'a> {
    /// Target format: JPEG, PNG, WebP, AVIF or GIF.
    pub format: Format,
    /// Quality from 1 to 100; ignored by lossless formats.
    pub quality: u8,
    /// Whether to write a progressive JPEG.
    pub progressive: bool,
    /// Whether to write a lossless WebP.
    pub lossless: bool,
    /// EXIF data to embed.
    pub exif: Option<&'a [u8]>,
}

impl EncodeOptions<'_> {
    /// Creates options for a file with one scan and loss, without EXIF data.
    pub const fn new(format: Format, quality: u8) -> EncodeOptions<'static> {
        EncodeOptions {
            format,
            quality,
            progressive: false,
            lossless: false,
            exif: None,
        }
    }
}

/// Resolves a quality for an image of this size in pixels.
pub fn quality(requested: Quality, width: u32, height: u32) -> u8 {
    match requested {
        Quality::Fixed(quality) => quality,
        Quality::Auto => {
            let side = width.max(height);
            let found = QUALITY_BY_SIDE
                .iter()
                .find(|(max_side, _)| side <= *max_side);
            found.map_or(MIN_AUTO_QUALITY, |(_, quality)| *quality)
        }
    }
}

/// Encodes pixels as a file. JPEG has no alpha channel: transparent pixels are flattened on white.
///
/// Fails if the image exceeds the maximum side or number of pixels of the format. The module
/// `estimate` contains the memory of each format.
pub fn encode(pixels: Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    let size = pixels.size();
    require_side_of_format(encoding.format, size)?;
    match encoding.format {
        Format::Avif => require_avif_limit(size)?,
        Format::WebP if encoding.lossless || pixels.channels == Channels::Rgba => {
            require_pixels_of_format(Format::WebP, size, MAX_LOSSLESS_PIXELS)?;
        }
        _ => {}
    }

    catch_codec_panic(MediaError::encoding, || match encoding.format {
        Format::Jpeg => jpeg::encode(pixels, encoding),
        Format::Png => png::encode(&pixels, encoding),
        Format::WebP => webp::encode(pixels, encoding),
        Format::Avif => avif::encode(&pixels, encoding),
        Format::Gif => gif::encode(pixels),
        other => Err(MediaError::encoding(format!("{other:?} cannot be encoded"))),
    })
}

/// Encodes pixels whose three channels are luma, blue difference and red difference as a JPEG.
pub(crate) fn encode_ycc(pixels: &Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    catch_codec_panic(MediaError::encoding, || jpeg::encode_ycc(pixels, encoding))
}

/// Whether a format supports images with sides of this length.
pub fn supports_sides(format: Format, size: ImageSize) -> bool {
    size.width.max(size.height) <= max_side(format)
}

/// Fails if a side exceeds the maximum of a format.
pub(crate) fn require_side_of_format(format: Format, size: ImageSize) -> Result<(), MediaError> {
    if supports_sides(format, size) {
        Ok(())
    } else {
        Err(MediaError::DimensionsTooLarge {
            format,
            width: size.width,
            height: size.height,
        })
    }
}

/// Fails if an AVIF exceeds its pixel limit.
pub(crate) fn require_avif_limit(size: ImageSize) -> Result<(), MediaError> {
    require_pixels_of_format(Format::Avif, size, MAX_AVIF_PIXELS)
}

fn require_pixels_of_format(format: Format, size: ImageSize, limit: u64) -> Result<(), MediaError> {
    let pixels = size.pixels();
    if pixels > limit {
        Err(MediaError::TooManyPixelsForFormat {
            format,
            pixels,
            limit,
        })
    } else {
        Ok(())
    }
}

/// Returns the maximum width and height of a format, in pixels.
fn max_side(format: Format) -> u32 {
    match format {
        Format::Jpeg => jpeg::MAX_SIDE,
        Format::WebP => webp::MAX_SIDE,
        Format::Avif => avif::MAX_SIDE,
        Format::Gif => gif::MAX_SIDE,
        Format::Png | Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_quality_decreases_with_size() {
        for (side, expected) in [
            (1, 90),
            (1_000, 90),
            (1_001, 85),
            (2_500, 85),
            (2_501, 80),
            (5_000, 80),
            (7_500, 75),
            (10_000, 70),
            (10_001, 60),
        ] {
            assert_eq!(quality(Quality::Auto, side, 1), expected, "{side} wide");
            assert_eq!(quality(Quality::Auto, 1, side), expected, "{side} high");
            assert_eq!(quality(Quality::Fixed(33), side, 1), 33);
        }
    }
}
