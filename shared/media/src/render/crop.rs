//! Step 3: select the part that is kept, by gravity or saliency. Nothing is copied.

use domain::Focus;

use crate::MediaError;

use super::{frame::Frame, geometry::Geometry, saliency};

/// Returns the geometry with the part of the resized image that is kept.
pub(super) fn select(
    frame: &Frame,
    geometry: &Geometry,
    focus: Option<Focus>,
) -> Result<Geometry, MediaError> {
    let crop = if focus == Some(Focus::Auto) {
        saliency::salient_crop(frame, geometry)?
    } else {
        geometry.crop
    };
    Ok(Geometry { crop, ..*geometry })
}
