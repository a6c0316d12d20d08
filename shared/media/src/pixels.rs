//! Decoded pixels with 8 bits per channel, in sRGB unless they have a profile.
//!
//! Invariants:
//! - There are exactly width × height × channels samples.
//! - Decoded images have at most `MAX_PIXELS` pixels.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::MediaError;
use domain::naming::ImageSize;

/// Maximum width and height of a decoded image, in pixels. Resizing takes memory in proportion to a
/// side, so the number of pixels alone does not limit it.
pub const MAX_SIDE: u32 = 65_535;
/// Maximum number of pixels of a decoded image.
pub const MAX_PIXELS: u64 = 100_000_000;
/// Maximum number of pixels of a lossless or transparent WebP, which takes more time and memory to
/// decode and encode.
pub const MAX_LOSSLESS_PIXELS: u64 = 40_000_000;
/// Maximum number of pixels of an encoded AVIF, as of phone cameras, so that noise takes less than
/// the time of a rendering.
pub const MAX_AVIF_PIXELS: u64 = 12_500_000;
/// Maximum number of pixels of an AVIF that a client did not request explicitly. Files up to this
/// size are encoded more slowly and become smaller.
pub const MAX_NEGOTIATED_AVIF_PIXELS: u64 = 2_000_000;

/// Maximum width and height of the saliency map, in pixels.
pub(crate) const MAP_SIDE: u32 = 128;
/// Maximum number of pixels of a watermark image.
pub const MAX_WATERMARK_PIXELS: u64 = 4_000_000;

/// Part of an image, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Distance from the left side of the image.
    pub left: u32,
    /// Distance from the top of the image.
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

impl Rectangle {
    /// Returns the rectangle of a whole image.
    pub(crate) const fn whole(size: ImageSize) -> Rectangle {
        Rectangle {
            left: 0,
            top: 0,
            width: size.width,
            height: size.height,
        }
    }

    pub const fn size(self) -> ImageSize {
        ImageSize::new(self.width, self.height)
    }
}

/// Channels of a pixel, in the order of its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    Gray,
    Rgb,
    /// Red, green, blue and alpha, not premultiplied.
    Rgba,
}

impl Channels {
    /// Returns the number of samples per pixel.
    pub fn count(self) -> usize {
        match self {
            Channels::Gray => 1,
            Channels::Rgb => 3,
            Channels::Rgba => 4,
        }
    }
}

/// Pixels of an image, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub channels: Channels,
    /// Samples without padding.
    pub samples: Vec<u8>,
    /// Color profile for these channels, if the colors could not be converted to sRGB.
    pub profile: Option<Vec<u8>>,
}

impl Pixels {
    /// Creates pixels without a profile.
    pub fn new(size: ImageSize, channels: Channels, samples: Vec<u8>) -> Pixels {
        Pixels {
            width: size.width,
            height: size.height,
            channels,
            samples,
            profile: None,
        }
    }

    /// Creates pixels with all samples 0.
    pub(crate) fn zeroed(size: ImageSize, channels: Channels) -> Pixels {
        let count = size.width as usize * size.height as usize;
        Pixels::new(size, channels, vec![0; count * channels.count()])
    }

    /// Returns width and height.
    pub(crate) fn size(&self) -> ImageSize {
        ImageSize::new(self.width, self.height)
    }

    /// Returns the length of a row, in bytes.
    pub(crate) fn row_bytes(&self) -> usize {
        self.width as usize * self.channels.count()
    }

    /// Returns the part of a rectangle that lies inside the image; without pixels if there is none.
    pub(crate) fn shown(&self, rectangle: Rectangle) -> Rectangle {
        let clipped = |start: u32, length: u32, side: u32| {
            let start = start.min(side);
            (start, length.min(side - start))
        };
        let (left, width) = clipped(rectangle.left, rectangle.width, self.width);
        let (top, height) = clipped(rectangle.top, rectangle.height, self.height);
        Rectangle {
            left,
            top,
            width,
            height,
        }
    }

    /// Makes a part of the image transparent, which must be RGBA and contain it.
    pub(crate) fn clear(&mut self, rectangle: Rectangle) {
        let row = self.width as usize;
        let start = rectangle.left as usize;
        let end = start + rectangle.width as usize;
        let rows = self.samples.as_chunks_mut::<4>().0.chunks_exact_mut(row);
        for row in rows
            .skip(rectangle.top as usize)
            .take(rectangle.height as usize)
        {
            row[start..end].fill([0; 4]);
        }
    }

    /// Returns a copy of a part of the image, which must lie inside it, without the profile.
    pub(crate) fn part(&self, rectangle: Rectangle) -> Pixels {
        let count = self.channels.count();
        let start = rectangle.left as usize * count;
        let length = rectangle.width as usize * count;
        let rows = self.samples.chunks_exact(self.row_bytes());
        let rows = rows
            .skip(rectangle.top as usize)
            .take(rectangle.height as usize);

        let mut samples = Vec::with_capacity(length * rectangle.height as usize);
        for row in rows {
            samples.extend_from_slice(&row[start..start + length]);
        }
        Pixels::new(rectangle.size(), self.channels, samples)
    }
}

/// Fails if a side is longer than [`MAX_SIDE`].
pub(crate) fn require_side_limit(size: ImageSize) -> Result<(), MediaError> {
    if size.width.max(size.height) > MAX_SIDE {
        Err(MediaError::SideTooLarge {
            width: size.width,
            height: size.height,
            limit: MAX_SIDE,
        })
    } else {
        Ok(())
    }
}

/// Fails if there are more pixels than a limit.
pub(crate) fn require_pixel_limit(pixels: u64, limit: u64) -> Result<(), MediaError> {
    if pixels > limit {
        Err(MediaError::TooManyPixels { pixels, limit })
    } else {
        Ok(())
    }
}

/// Runs a codec and converts its panics to errors: libjpeg reports errors by unwinding.
pub(crate) fn catch_codec_panic<T>(
    to_error: fn(String) -> MediaError,
    work: impl FnOnce() -> Result<T, MediaError>,
) -> Result<T, MediaError> {
    // The state of the codec is dropped with it, so no inconsistent value is visible afterwards.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| {
        let message = cause.downcast_ref::<String>().cloned();
        Err(to_error(
            message
                .or_else(|| cause.downcast_ref::<&str>().map(ToString::to_string))
                .unwrap_or_default(),
        ))
    })
}
