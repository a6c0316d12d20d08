//! How an image is resized and cropped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AUTO, CROP, GRAVITY, HEIGHT, WIDTH};
use crate::settings::Gravity;

/// How an image is resized to a width and a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Crop {
    /// Resize to exactly this size, ignoring the aspect ratio.
    Scale,
    /// Resize to fit inside the size, keeping the aspect ratio.
    Fit,
    /// Resize to cover the size, keeping the aspect ratio, and crop the rest.
    Fill,
    /// Crop to the size without resizing.
    Crop,
    /// Like `fill`, around the most salient region.
    Thumb,
}

/// Requested width or height or both, in pixels, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sides {
    /// The height follows from the aspect ratio of the image.
    Width(u32),
    /// The width follows from the aspect ratio of the image.
    Height(u32),
    Both {
        width: u32,
        height: u32,
    },
}

impl Sides {
    /// Returns the sides that are given, `None` if there are none.
    pub fn of(width: Option<u32>, height: Option<u32>) -> Option<Sides> {
        match (width, height) {
            (Some(width), Some(height)) => Some(Sides::Both { width, height }),
            (Some(width), None) => Some(Sides::Width(width)),
            (None, Some(height)) => Some(Sides::Height(height)),
            (None, None) => None,
        }
    }

    /// Returns the width, if it is given.
    pub fn width(self) -> Option<u32> {
        match self {
            Sides::Width(width) | Sides::Both { width, .. } => Some(width),
            Sides::Height(_) => None,
        }
    }

    /// Returns the height, if it is given.
    pub fn height(self) -> Option<u32> {
        match self {
            Sides::Height(height) | Sides::Both { height, .. } => Some(height),
            Sides::Width(_) => None,
        }
    }
}

/// The part of an image that a crop keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Focus {
    At(Gravity),
    /// The most salient region.
    Auto,
}

/// How an image is resized. Only [`Resize::Scale`] enlarges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resize {
    /// To exactly the sides, ignoring the aspect ratio of the image if both are given.
    Scale(Sides),
    /// To the largest size inside the sides, keeping the aspect ratio.
    Fit(Sides),
    /// To cover width and height, keeping the aspect ratio. The rest is cropped. Of an image that
    /// is too small, the largest part with the requested aspect ratio is kept.
    Fill {
        /// Width of the output.
        width: u32,
        /// Height of the output.
        height: u32,
        /// The part of the image that is kept.
        focus: Focus,
    },
    /// Cut out of the image without resizing.
    Crop {
        /// Maximum sides of the output.
        sides: Sides,
        /// The part of the image that is kept.
        focus: Focus,
    },
}

impl Resize {
    /// Returns the operation that parameters request. Filling a width or height alone crops
    /// nothing, so it equals fitting.
    pub(super) fn new(sides: Sides, crop: Option<Crop>, focus: Option<Focus>) -> Resize {
        let crop = crop.unwrap_or(Crop::Fit);
        let default_focus = if crop == Crop::Thumb {
            Focus::Auto
        } else {
            Focus::At(Gravity::Center)
        };
        let focus = focus.unwrap_or(default_focus);

        match (crop, sides) {
            (Crop::Scale, _) => Resize::Scale(sides),
            (Crop::Crop, _) => Resize::Crop { sides, focus },
            (Crop::Fill | Crop::Thumb, Sides::Both { width, height }) => Resize::Fill {
                width,
                height,
                focus,
            },
            (Crop::Fit | Crop::Fill | Crop::Thumb, _) => Resize::Fit(sides),
        }
    }

    /// Returns the canonical parameters.
    pub(super) fn parameters(self) -> Vec<String> {
        let (sides, crop, focus) = match self {
            Resize::Scale(sides) => (sides, Some("scale"), None),
            Resize::Fit(sides) => (sides, None, None),
            Resize::Fill {
                width,
                height,
                focus,
            } => (Sides::Both { width, height }, Some("fill"), Some(focus)),
            Resize::Crop { sides, focus } => (sides, Some("crop"), Some(focus)),
        };
        let gravity = focus.and_then(|focus| match focus {
            Focus::Auto => Some(AUTO),
            Focus::At(Gravity::Center) => None,
            Focus::At(gravity) => Some(gravity.name()),
        });

        let width = sides.width().map(|width| format!("{WIDTH}={width}"));
        let height = sides.height().map(|height| format!("{HEIGHT}={height}"));
        let crop = crop.map(|crop| format!("{CROP}={crop}"));
        let gravity = gravity.map(|gravity| format!("{GRAVITY}={gravity}"));
        [width, height, crop, gravity]
            .into_iter()
            .flatten()
            .collect()
    }
}
