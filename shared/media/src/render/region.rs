//! Parts of decoded images with fractional positions.

use domain::naming::ImageSize;

use crate::{orient::Orientation, pixels::Pixels};

use crate::pixels::Rectangle;

/// Part of an image, in pixels and fractions of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Region {
    /// Returns the region of a whole image.
    pub(super) fn whole(pixels: &Pixels) -> Region {
        Region {
            left: 0.0,
            top: 0.0,
            width: pixels.width.into(),
            height: pixels.height.into(),
        }
    }

    /// Returns the part that becomes a crop rectangle when the region is resized to a size.
    pub(super) fn part(self, resized: ImageSize, crop: Rectangle) -> Region {
        let across = |pixels: u32| f64::from(pixels) * self.width / f64::from(resized.width);
        let down = |pixels: u32| f64::from(pixels) * self.height / f64::from(resized.height);

        Region {
            left: self.left + across(crop.left),
            top: self.top + down(crop.top),
            width: across(crop.width),
            height: down(crop.height),
        }
    }

    /// Returns the region in an image of this size after the orientation is applied to the image.
    pub(super) fn oriented(self, pixels: &Pixels, orientation: Orientation) -> Region {
        let mirrored = Region {
            left: f64::from(pixels.width) - self.left - self.width,
            ..self
        };
        let flipped = |region: Region| Region {
            top: f64::from(pixels.height) - region.top - region.height,
            ..region
        };

        match orientation {
            Orientation::Normal => self,
            Orientation::Mirrored => mirrored,
            Orientation::HalfTurn => flipped(mirrored),
            Orientation::Flipped => flipped(self),
            Orientation::Transposed => self.transposed(),
            Orientation::QuarterTurn => flipped(self).transposed(),
            Orientation::Transversed => flipped(mirrored).transposed(),
            Orientation::QuarterTurnBack => mirrored.transposed(),
        }
    }

    fn transposed(self) -> Region {
        Region {
            left: self.top,
            top: self.left,
            width: self.height,
            height: self.width,
        }
    }
}
