//! Step 3: select the part that is kept, by gravity or saliency. Nothing is copied.

use domain::Focus;

use crate::MediaError;

use super::{
    frame::Frame,
    geometry::{Geometry, Rectangle},
    saliency,
};

/// Returns the part of the resized image that is kept.
pub(super) fn select(
    frame: &Frame,
    geometry: &Geometry,
    focus: Option<Focus>,
) -> Result<Rectangle, MediaError> {
    if focus == Some(Focus::Auto) {
        saliency::salient_crop(frame, geometry)
    } else {
        Ok(geometry.crop)
    }
}
