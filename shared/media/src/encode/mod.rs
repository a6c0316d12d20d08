//! Encoding: pixels to a file.

mod avif;
mod jpeg;
mod png;
mod webp;

use domain::Quality;

use crate::{
    Format, MediaError,
    pixels::{Pixels, guarded, within},
};

/// Quality by the longer side, in pixels, where none is asked for: a larger image is seen from
/// further away.
const QUALITY_BY_SIDE: [(u32, u8); 5] = [
    (1_000, 90),
    (2_500, 85),
    (5_000, 80),
    (7_500, 75),
    (10_000, 70),
];
/// Quality of images that are larger still.
const QUALITY_OF_THE_LARGEST: u8 = 60;

/// How pixels are encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding<'a> {
    /// JPEG, PNG, WebP or AVIF.
    pub format: Format,
    /// 1 to 100, of those formats that have one.
    pub quality: u8,
    /// Whether a JPEG shows coarsely first.
    pub progressive: bool,
    /// Whether a WebP keeps every pixel as it is.
    pub lossless: bool,
    /// Camera data that goes with the pixels.
    pub exif: Option<&'a [u8]>,
}

/// The quality that is meant for an image of these sides, in pixels.
pub fn quality(asked: Quality, width: u32, height: u32) -> u8 {
    match asked {
        Quality::Fixed(quality) => quality,
        Quality::Auto => {
            let side = width.max(height);
            let found = QUALITY_BY_SIDE.iter().find(|(most, _)| side <= *most);
            found.map_or(QUALITY_OF_THE_LARGEST, |(_, quality)| *quality)
        }
    }
}

/// Encodes pixels as a file. What is transparent is on white where the format cannot say so. Peak
/// memory beside the pixels and the file, as measured, in bytes a pixel: 6 for JPEG and 12 where
/// its colour is fine, nothing for PNG, 8 for WebP and 26 where it is lossless or transparent, 50
/// for AVIF and 180 where its quality is high; 3 more for grey that becomes WebP or AVIF.
pub fn encode(pixels: Pixels, encoding: &Encoding) -> Result<Vec<u8>, MediaError> {
    guarded(MediaError::encoding, || match encoding.format {
        Format::Jpeg => jpeg::encode(pixels, encoding),
        Format::Png => png::encode(&pixels, encoding),
        Format::WebP => webp::encode(&pixels, encoding),
        Format::Avif => avif::encode(&pixels, encoding),
        other => Err(MediaError::encoding(format!("{other:?} is not encoded"))),
    })
}

/// Refuses more pixels than a demanding encoder is given.
fn bearable(pixels: &Pixels, limit: u64) -> Result<(), MediaError> {
    within(u64::from(pixels.width) * u64::from(pixels.height), limit)
}

/// Refuses sides that a format cannot hold.
fn fits(pixels: &Pixels, format: Format, side: u32) -> Result<(), MediaError> {
    if pixels.width.max(pixels.height) > side {
        Err(MediaError::DoesNotFit {
            format,
            width: pixels.width,
            height: pixels.height,
        })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_falls_as_sides_grow() {
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
