//! Step 2: apply the EXIF orientation.

use crate::Orientation;

use super::frame::Frame;

/// Rotates and mirrors the pixels for display.
pub(super) fn apply(frame: Frame, orientation: Orientation) -> Frame {
    let layers = frame.layers.into_iter();
    Frame {
        layers: layers.map(|layer| layer.oriented(orientation)).collect(),
        ..frame
    }
}
