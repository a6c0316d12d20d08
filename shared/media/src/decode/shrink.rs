//! Factors for shrinking JPEGs while they are decoded.

use domain::naming::ImageSize;

/// Shrinking to 1/1, 1/2, 1/4 or 1/8 of width and height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shrink {
    #[default]
    None,
    Half,
    Quarter,
    Eighth,
}

impl Shrink {
    /// Returns the largest factor that leaves more than that factor's whole ratio to the resizer,
    /// so that its filter decides about sharpness: a ratio of 2 is not shrunk, one of 3 is shrunk
    /// to 1/2.
    pub(crate) fn for_ratio(ratio: u32) -> Shrink {
        match ratio {
            9.. => Shrink::Eighth,
            5..=8 => Shrink::Quarter,
            3..=4 => Shrink::Half,
            0..=2 => Shrink::None,
        }
    }

    /// Returns the factor that sides are divided by.
    pub(crate) fn divisor(self) -> u32 {
        1 << self as u32
    }

    /// Returns the scale in eighths, as libjpeg expects it.
    pub(super) fn eighths(self) -> u8 {
        8 >> self as u8
    }

    /// Returns the size after shrinking. The last row and column may be incomplete pixels.
    pub(crate) fn size(self, full: ImageSize) -> ImageSize {
        ImageSize::new(
            full.width.div_ceil(self.divisor()),
            full.height.div_ceil(self.divisor()),
        )
    }
}
