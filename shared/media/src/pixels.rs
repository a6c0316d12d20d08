//! Pixels: an image decoded, 8 bits a channel, sRGB unless a profile stays beside it.
//!
//! Invariant: there are exactly width × height × channels samples, and never more pixels than
//! `PIXELS`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{MediaError, Probed};

/// Most pixels of an image that is decoded.
pub const PIXELS: u64 = 100_000_000;
/// Most pixels of what takes much time and memory to decode or encode: WebP that is lossless or
/// transparent.
pub const DEMANDING_PIXELS: u64 = 40_000_000;
/// Most pixels of an image that becomes AVIF: what telephones take. Of noise, the worst there is, a
/// million takes 2.2 s without assembler, which leaves it within a request's time.
pub const AVIF_PIXELS: u64 = 12_500_000;

/// What the samples of a pixel are, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// Grey.
    Grey,
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue and opacity, which the colours are not multiplied by.
    Rgba,
}

impl Channels {
    /// Samples of a pixel.
    pub fn count(self) -> usize {
        match self {
            Channels::Grey => 1,
            Channels::Rgb => 3,
            Channels::Rgba => 4,
        }
    }
}

/// An image's pixels, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What a pixel's samples are.
    pub channels: Channels,
    /// The samples, without gaps.
    pub samples: Vec<u8>,
    /// The colours' profile, where they could not be converted to sRGB.
    pub profile: Option<Vec<u8>>,
}

impl Pixels {
    /// An image of which nothing is drawn yet.
    pub(crate) fn blank(probed: &Probed, channels: Channels) -> Pixels {
        let (width, height) = (probed.width, probed.height);
        let samples = vec![0; width as usize * height as usize * channels.count()];
        Pixels {
            width,
            height,
            channels,
            samples,
            profile: None,
        }
    }

    /// Bytes of a row.
    pub(crate) fn row(&self) -> usize {
        self.width as usize * self.channels.count()
    }
}

/// Refuses more pixels than a limit.
pub(crate) fn within(pixels: u64, limit: u64) -> Result<(), MediaError> {
    if pixels > limit {
        Err(MediaError::TooManyPixels { pixels, limit })
    } else {
        Ok(())
    }
}

/// Runs a codec. One that unwinds, which is how libjpeg reports what it cannot read, gives an error
/// like any other.
pub(crate) fn guarded<T>(
    kind: fn(String) -> MediaError,
    work: impl FnOnce() -> Result<T, MediaError>,
) -> Result<T, MediaError> {
    // What the codec was at work on is dropped with it; nothing half-changed is seen afterwards.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| {
        let said = cause.downcast_ref::<String>().cloned();
        Err(kind(
            said.or_else(|| cause.downcast_ref::<&str>().map(ToString::to_string))
                .unwrap_or_default(),
        ))
    })
}
