//! Encoding of pixels to image files.

mod animation;
mod avif;
mod gif;
mod jpeg;
mod png;
mod webp;

pub(crate) use animation::{AnimationEncoder, AnimationOptions};
pub use avif::fits_avif;

use domain::Quality;

use crate::{
    Dimensions, Format, MediaError,
    pixels::{Pixels, catch_codec_panic, require_pixel_limit},
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

/// Options of [`encode`].
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
/// Measured peak memory in addition to pixels and file, in bytes per pixel: 6 for JPEG (12 without
/// chroma subsampling), 0 for PNG, 8 for WebP (26 if lossless or transparent), 50 for AVIF (180 at
/// high quality); 3 more for gray pixels in WebP or AVIF.
pub fn encode(pixels: Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    catch_codec_panic(MediaError::encoding, || match encoding.format {
        Format::Jpeg => jpeg::encode(pixels, encoding),
        Format::Png => png::encode(&pixels, encoding),
        Format::WebP => webp::encode(&pixels, encoding),
        Format::Avif => avif::encode(&pixels, encoding),
        Format::Gif => gif::encode(pixels),
        other => Err(MediaError::encoding(format!("{other:?} cannot be encoded"))),
    })
}

/// Encodes pixels whose three channels are luma, blue difference and red difference as a JPEG.
pub(crate) fn encode_ycc(pixels: &Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    catch_codec_panic(MediaError::encoding, || jpeg::encode_ycc(pixels, encoding))
}

/// Fails if an image has more pixels than an encoder's limit.
fn require_max_pixels(pixels: &Pixels, limit: u64) -> Result<(), MediaError> {
    require_pixel_limit(u64::from(pixels.width) * u64::from(pixels.height), limit)
}

/// Fails if a side of an image exceeds the format's maximum.
fn require_max_side(pixels: &Pixels, format: Format, max_side: u32) -> Result<(), MediaError> {
    require_max_sides(pixels.size(), format, max_side)
}

/// Fails if a side exceeds the format's maximum.
fn require_max_sides(size: Dimensions, format: Format, max_side: u32) -> Result<(), MediaError> {
    let Dimensions { width, height } = size;
    if width.max(height) > max_side {
        Err(MediaError::DimensionsTooLarge {
            format,
            width,
            height,
        })
    } else {
        Ok(())
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
