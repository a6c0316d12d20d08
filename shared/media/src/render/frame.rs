//! Images between the steps of a rendering.

use crate::{
    orient::{Orientation, orient},
    pixels::Pixels,
};

use super::region::Region;

/// Color model of three channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColorModel {
    /// Red, green and blue, or gray.
    Rgb,
    /// Luma, blue difference and red difference, as in JPEG files.
    Ycc,
}

/// A decoded image: one layer with all channels, or one layer per channel.
pub(super) struct Frame {
    pub(super) layers: Vec<Layer>,
    pub(super) model: ColorModel,
    /// Color profile of the file.
    pub(super) profile: Option<Vec<u8>>,
}

impl Frame {
    /// Rotates and mirrors the pixels for display.
    pub(super) fn oriented(self, orientation: Orientation) -> Frame {
        let layers = self.layers.into_iter();
        Frame {
            layers: layers.map(|layer| layer.oriented(orientation)).collect(),
            ..self
        }
    }
}

/// Pixels, and their part that shows the whole image. The layers of an image may differ in
/// resolution.
pub(super) struct Layer {
    pub(super) pixels: Pixels,
    /// The whole image, without the part of the last row and column that exceeds it.
    pub(super) region: Region,
}

impl Layer {
    fn oriented(self, orientation: Orientation) -> Layer {
        Layer {
            region: self.region.oriented(&self.pixels, orientation),
            pixels: orient(self.pixels, orientation),
        }
    }
}

/// An image of the output size.
pub(super) struct Picture {
    pub(super) pixels: Pixels,
    pub(super) model: ColorModel,
}
