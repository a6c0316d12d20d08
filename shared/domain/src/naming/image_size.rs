//! Sizes of images.

use serde::{Deserialize, Serialize};

/// Size of an image as it is displayed, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSize {
    pub width: u32,
    pub height: u32,
}

impl ImageSize {
    #[must_use]
    pub const fn new(width: u32, height: u32) -> ImageSize {
        ImageSize { width, height }
    }

    /// Returns the number of pixels.
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Returns the largest size inside the limits and this size that has the same aspect ratio.
    #[must_use]
    pub fn fitted(self, limits: ImageSize) -> ImageSize {
        let width = limits.width.min(self.width);
        let height = limits.height.min(self.height);

        if self.is_wider(ImageSize { width, height }) {
            ImageSize::new(width, proportional(self.height, width, self.width))
        } else {
            ImageSize::new(proportional(self.width, height, self.height), height)
        }
    }

    /// Whether it is wider than another size, compared by aspect ratio.
    pub fn is_wider(self, other: ImageSize) -> bool {
        u64::from(self.width) * u64::from(other.height)
            > u64::from(other.width) * u64::from(self.height)
    }
}

/// Returns `length * numerator / denominator`, rounded half up, at least 1.
pub fn proportional(length: u32, numerator: u32, denominator: u32) -> u32 {
    let product = u64::from(length) * u64::from(numerator);
    let denominator = u64::from(denominator);
    let rounded = (product + denominator / 2) / denominator;
    u32::try_from(rounded).unwrap_or(u32::MAX).max(1)
}
