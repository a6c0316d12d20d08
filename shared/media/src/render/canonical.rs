//! Canonical form of resizes: equal for all requests with the same output.
//!
//! Invariant: the canonical form of a resize has the same geometry as the resize.

use domain::{
    naming::ImageSize,
    renditions::{Focus, Resize, Sides},
    settings::Gravity,
};

use crate::error::MediaError;

use super::{
    Geometry, focus,
    geometry::{place, plan, scaled},
};

/// All positions, the default one first.
const GRAVITIES: [Gravity; 9] = [
    Gravity::Center,
    Gravity::North,
    Gravity::Northeast,
    Gravity::East,
    Gravity::Southeast,
    Gravity::South,
    Gravity::Southwest,
    Gravity::West,
    Gravity::Northwest,
];

/// Returns the canonical form of a resize of an image with this displayed size; `None` if the
/// output is the whole image in its size. Unless `may_enlarge`, no side of the output is longer
/// than that of the image.
///
/// Fails like [`plan`].
pub fn canonical_resize(
    image: ImageSize,
    resize: Option<Resize>,
    may_enlarge: bool,
) -> Result<Option<Resize>, MediaError> {
    let resize = match resize {
        Some(Resize::Scale(sides)) if !may_enlarge => {
            let ImageSize { width, height } = scaled(image, sides);
            Some(Resize::Scale(Sides::Both {
                width: width.min(image.width),
                height: height.min(image.height),
            }))
        }
        resize => resize,
    };
    let geometry = plan(image, resize)?;
    Ok(of_geometry(image, &geometry, focus(resize)))
}

fn of_geometry(image: ImageSize, geometry: &Geometry, focus: Option<Focus>) -> Option<Resize> {
    let resized = geometry.resized;
    let output = geometry.output();
    let ImageSize { width, height } = output;
    let focus = focus.filter(|_| output != resized);

    match focus {
        None if output == image => None,
        None => Some(Resize::Scale(Sides::Both { width, height })),
        Some(focus) => {
            let focus = canonical_focus(focus, geometry);
            Some(if resized == image {
                let sides = Sides::Both { width, height };
                Resize::Crop { sides, focus }
            } else {
                Resize::Fill {
                    width,
                    height,
                    focus,
                }
            })
        }
    }
}

/// Returns the first of all positions that keep the same part.
fn canonical_focus(focus: Focus, geometry: &Geometry) -> Focus {
    if focus == Focus::Auto {
        return focus;
    }
    let keeps_same =
        |gravity: &Gravity| place(geometry.output(), geometry.resized, *gravity) == geometry.crop;
    let gravity = GRAVITIES.into_iter().find(keeps_same);
    gravity.map_or(focus, Focus::At)
}
