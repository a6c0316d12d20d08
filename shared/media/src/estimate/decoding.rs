//! Memory of decoding and of decoded pixels.

use crate::{Channels, Dimensions, Format, Frames, ImageInfo, decode::Shrink};

use super::{
    Coding, area_bytes,
    source::{JpegCoding, TiffCoding},
};

/// Memory of every decoder apart from pixels, in bytes: buffers of rows, code tables, and metadata.
const DECODER_BYTES: u64 = 12 << 20;
/// Size of a coefficient of a JPEG, in bytes.
const COEFFICIENT_BYTES: u64 = 2;
/// Memory of a GIF's indices per pixel, in bytes.
const INDEX_BYTES: u64 = 1;
/// Memory of a lossy WebP per pixel in addition to its pixels, in bytes: luma and chroma.
const WEBP_PLANES_BYTES: u64 = 3;
/// Memory of a transparent WebP per pixel in addition to its pixels, in bytes: luma, chroma, alpha, and
/// the pixels that alpha is decoded from.
const WEBP_ALPHA_BYTES: u64 = 8;
/// Memory of a lossless WebP per pixel in addition to its pixels, in bytes: pixels with alpha, and
/// the data of transforms.
const WEBP_LOSSLESS_BYTES: u64 = 5;

/// Memory of an animated WebP per pixel in addition to its canvas, in bytes: a frame with alpha, and the data
/// of its decoder. The header of the file does not state how its frames are coded.
const WEBP_FRAME_BYTES: u64 = 4 + WEBP_ALPHA_BYTES;

/// Decoded pixels of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DecodedPlane {
    pub(crate) size: Dimensions,
    pub(crate) channels: Channels,
    /// Allocated memory, in bytes.
    pub(crate) bytes: u64,
}

impl DecodedPlane {
    /// Creates a layer without padding.
    fn new(size: Dimensions, channels: Channels) -> DecodedPlane {
        DecodedPlane {
            size,
            channels,
            bytes: area_bytes(size, channels.count() as u64),
        }
    }
}

/// A decoded image before it is rotated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodedImage {
    pub(crate) planes: Vec<DecodedPlane>,
    /// Memory of the decoder until it ends, in bytes.
    pub(crate) working_bytes: u64,
}

impl DecodedImage {
    /// Estimates an image that is decoded in a shrunk size, or in separate layers if it is
    /// downscaled.
    pub(crate) fn new(
        probed: &ImageInfo,
        coding: &Coding,
        shrink: Shrink,
        is_downscaled: bool,
    ) -> DecodedImage {
        let size = probed.stored();
        match coding {
            Coding::Jpeg(coding) => {
                // A profile is joined from its segments, and read again.
                let profile = coding.profile_bytes.saturating_mul(2);
                let working = coefficient_bytes(coding).saturating_add(profile);
                DecodedImage::with_working_bytes(
                    jpeg_planes(size, coding, shrink, is_downscaled),
                    working,
                )
            }
            Coding::Tiff(coding) => tiff_image(size, *coding),
            Coding::WebP { table_bytes } => {
                let channels = if probed.has_alpha || probed.frames != Frames::Still {
                    Channels::Rgba
                } else {
                    Channels::Rgb
                };
                let working = area_bytes(size, webp_pixel_bytes(probed));
                DecodedImage::with_working_bytes(
                    vec![DecodedPlane::new(size, channels)],
                    working.saturating_add(*table_bytes),
                )
            }
            Coding::Other { channels } => {
                let working = if probed.format == Format::Gif {
                    area_bytes(size, INDEX_BYTES)
                } else {
                    0
                };
                DecodedImage::with_working_bytes(vec![DecodedPlane::new(size, *channels)], working)
            }
        }
    }

    fn with_working_bytes(planes: Vec<DecodedPlane>, bytes: u64) -> DecodedImage {
        DecodedImage {
            planes,
            working_bytes: DECODER_BYTES.saturating_add(bytes),
        }
    }

    /// Returns the image with gray pixels expanded to RGB.
    pub(crate) fn colored(mut self) -> DecodedImage {
        if let [plane] = &mut self.planes[..]
            && plane.channels == Channels::Gray
        {
            self.working_bytes = self.working_bytes.max(plane.bytes);
            *plane = DecodedPlane::new(plane.size, Channels::Rgb);
        }
        self
    }

    /// Returns the memory of all pixels, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = self.planes.iter().map(|plane| plane.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns the memory of the largest layer, in bytes.
    pub(crate) fn largest_bytes(&self) -> u64 {
        let bytes = self.planes.iter().map(|plane| plane.bytes);
        bytes.max().unwrap_or_default()
    }

    /// Returns the channels of all layers together.
    pub(crate) fn channels(&self) -> Channels {
        match &self.planes[..] {
            [plane] => plane.channels,
            _ => Channels::Rgb,
        }
    }
}

fn jpeg_planes(
    full: Dimensions,
    coding: &JpegCoding,
    shrink: Shrink,
    is_downscaled: bool,
) -> Vec<DecodedPlane> {
    if is_downscaled && shrink == Shrink::None && coding.is_separable {
        let planes = coding.components.iter().map(|blocks| DecodedPlane {
            // Without the padding, the first component has the full size.
            size: Dimensions {
                width: full.width.min(blocks.across.saturating_mul(8)),
                height: full.height.min(blocks.down.saturating_mul(8)),
            },
            channels: Channels::Gray,
            bytes: blocks.samples(),
        });
        return planes.collect();
    }

    let channels = if coding.components.len() == 1 {
        Channels::Gray
    } else {
        Channels::Rgb
    };
    vec![DecodedPlane::new(shrink.size(full), channels)]
}

fn tiff_image(size: Dimensions, coding: TiffCoding) -> DecodedImage {
    let converted = DecodedPlane::new(size, coding.channels);
    let read = area_bytes(size, coding.pixel_bytes);
    let row = Dimensions {
        height: 1,
        ..coding.padded
    };
    // The decoder copies its samples, which are then converted.
    let peak = read
        .saturating_add(read.max(converted.bytes))
        .saturating_add(area_bytes(row, coding.pixel_bytes));
    DecodedImage::with_working_bytes(vec![converted], peak.saturating_sub(converted.bytes))
}

/// Returns the memory of decoding a WebP per pixel in addition to its pixels, in bytes.
fn webp_pixel_bytes(probed: &ImageInfo) -> u64 {
    if probed.frames != Frames::Still {
        WEBP_FRAME_BYTES
    } else if probed.lossless {
        WEBP_LOSSLESS_BYTES
    } else if probed.has_alpha {
        WEBP_ALPHA_BYTES
    } else {
        WEBP_PLANES_BYTES
    }
}

/// Returns the memory of the coefficients that a decoder keeps, in bytes.
fn coefficient_bytes(coding: &JpegCoding) -> u64 {
    if !coding.is_buffered {
        return 0;
    }
    let samples = coding.components.iter().map(|blocks| blocks.samples());
    samples
        .fold(0, u64::saturating_add)
        .saturating_mul(COEFFICIENT_BYTES)
}
