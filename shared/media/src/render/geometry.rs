//! Sizes and crop rectangles of rendered images.
//!
//! Invariants:
//! - Lengths are rounded to whole pixels once, half up, and are at least 1 pixel.
//! - The crop rectangle lies inside the resized image.
//! - Only [`Resize::Scale`] enlarges.
//! - No output has more than [`MAX_OUTPUT_PIXELS`].

use domain::{Focus, Gravity, ImageSize, Resize, Sides, proportional};

use crate::{Dimensions, MediaError};

/// Maximum number of pixels of a rendered image.
pub const MAX_OUTPUT_PIXELS: u64 = 40_000_000;

/// Part of an image, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Distance from the left side of the image.
    pub left: u32,
    /// Distance from the top of the image.
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

/// How an image is resized and cropped: the whole image is resized, then a part of it is cut out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Size of the whole image after resizing.
    pub resized: Dimensions,
    /// Part of the resized image that is kept, which is the output. For [`Focus::Auto`] it is at the
    /// center, until [`render`](crate::render()) finds the most salient region.
    pub crop: Rectangle,
}

impl Geometry {
    /// Returns the size of the rendered image.
    pub fn output(&self) -> Dimensions {
        Dimensions {
            width: self.crop.width,
            height: self.crop.height,
        }
    }

    /// Whether the output completely shows a part of an image with this displayed size.
    pub(super) fn shows(&self, part: Rectangle, image: Dimensions) -> bool {
        let Rectangle {
            left,
            top,
            width,
            height,
        } = self.crop;
        let across = [left, left + width].map(|edge| scale(edge, image.width));
        let down = [top, top + height].map(|edge| scale(edge, image.height));
        let part_across =
            [part.left, part.left + part.width].map(|edge| scale(edge, self.resized.width));
        let part_down =
            [part.top, part.top + part.height].map(|edge| scale(edge, self.resized.height));

        let is_inside = |part: [u64; 2], kept: [u64; 2]| kept[0] <= part[0] && part[1] <= kept[1];
        is_inside(part_across, across) && is_inside(part_down, down)
    }

    /// Returns the geometry that keeps the part of a resized image that has this size and position.
    fn cropped(resized: Dimensions, kept: Dimensions, focus: Focus) -> Geometry {
        let gravity = match focus {
            Focus::At(gravity) => gravity,
            Focus::Auto => Gravity::Center,
        };
        Geometry {
            resized,
            crop: place(kept, resized, gravity),
        }
    }

    /// Returns the geometry of a resized image that is not cropped.
    fn whole(resized: Dimensions) -> Geometry {
        Geometry::cropped(resized, resized, Focus::At(Gravity::Center))
    }
}

/// Plans the rendering of an image with this displayed size; `None` keeps the size. Fails if the
/// output has more than [`MAX_OUTPUT_PIXELS`].
pub fn plan(image: Dimensions, resize: Option<Resize>) -> Result<Geometry, MediaError> {
    let geometry = match resize {
        None => Geometry::whole(image),
        Some(Resize::Scale(sides)) => Geometry::whole(scaled(image, sides)),
        Some(Resize::Fit(sides)) => {
            let limits = Dimensions {
                width: sides.width().unwrap_or(u32::MAX),
                height: sides.height().unwrap_or(u32::MAX),
            };
            Geometry::whole(fitted(image, limits))
        }
        Some(Resize::Fill {
            width,
            height,
            focus,
        }) => filled(image, Dimensions { width, height }, focus),
        Some(Resize::Crop { sides, focus }) => {
            let kept = Dimensions {
                width: sides.width().unwrap_or(u32::MAX).min(image.width),
                height: sides.height().unwrap_or(u32::MAX).min(image.height),
            };
            Geometry::cropped(image, kept, focus)
        }
    };

    let pixels = geometry.output().pixels();
    if pixels > MAX_OUTPUT_PIXELS {
        return Err(MediaError::OutputTooLarge {
            pixels,
            limit: MAX_OUTPUT_PIXELS,
        });
    }
    Ok(geometry)
}

/// Returns the size with exactly the given sides.
pub(super) fn scaled(image: Dimensions, sides: Sides) -> Dimensions {
    match sides {
        Sides::Both { width, height } => Dimensions { width, height },
        Sides::Width(width) => Dimensions {
            width,
            height: proportional(image.height, width, image.width),
        },
        Sides::Height(height) => Dimensions {
            width: proportional(image.width, height, image.height),
            height,
        },
    }
}

/// Returns the largest size inside the limits and the image that has the image's aspect ratio.
pub(super) fn fitted(image: Dimensions, limits: Dimensions) -> Dimensions {
    ImageSize::from(image).fitted(limits.into()).into()
}

/// Covers a size and crops the rest. Of an image that is too small, keeps the largest part with the
/// aspect ratio of the size.
fn filled(image: Dimensions, size: Dimensions, focus: Focus) -> Geometry {
    if size.width <= image.width && size.height <= image.height {
        let covering = if is_wider(image, size) {
            scaled(image, Sides::Height(size.height))
        } else {
            scaled(image, Sides::Width(size.width))
        };
        return Geometry::cropped(covering, size, focus);
    }

    let kept = if is_wider(image, size) {
        scaled(size, Sides::Height(image.height))
    } else {
        scaled(size, Sides::Width(image.width))
    };
    Geometry::cropped(image, kept, focus)
}

/// Whether an image is wider than a size, compared by aspect ratio.
fn is_wider(image: Dimensions, size: Dimensions) -> bool {
    ImageSize::from(image).is_wider(size.into())
}

/// Returns the product of two lengths.
fn scale(length: u32, factor: u32) -> u64 {
    u64::from(length) * u64::from(factor)
}

/// Places a size inside an outer size. Space is halved with the larger half, in whole pixels, at
/// the left and the top.
pub(super) fn place(size: Dimensions, outer: Dimensions, gravity: Gravity) -> Rectangle {
    let horizontal = outer.width - size.width;
    let vertical = outer.height - size.height;
    let left = match gravity {
        Gravity::Northwest | Gravity::West | Gravity::Southwest => 0,
        Gravity::North | Gravity::Center | Gravity::South => horizontal.div_ceil(2),
        Gravity::Northeast | Gravity::East | Gravity::Southeast => horizontal,
    };
    let top = match gravity {
        Gravity::Northwest | Gravity::North | Gravity::Northeast => 0,
        Gravity::West | Gravity::Center | Gravity::East => vertical.div_ceil(2),
        Gravity::Southwest | Gravity::South | Gravity::Southeast => vertical,
    };

    Rectangle {
        left,
        top,
        width: size.width,
        height: size.height,
    }
}
