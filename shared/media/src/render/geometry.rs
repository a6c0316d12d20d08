//! Sizes and crop rectangles of rendered images.
//!
//! Invariants:
//! - Lengths are rounded to whole pixels once, half up, and are at least 1 pixel.
//! - The crop rectangle lies inside the resized image.
//! - Only [`Resize::Scale`] enlarges.
//! - No output has more than [`MAX_OUTPUT_PIXELS`].

use domain::{
    naming::{ImageSize, proportional},
    renditions::{Focus, Resize, Sides},
    settings::Gravity,
};

use crate::{error::MediaError, pixels::Rectangle};

/// Maximum number of pixels of a rendered image.
pub const MAX_OUTPUT_PIXELS: u64 = 40_000_000;

/// How an image is resized and cropped: the whole image is resized, then a part of it is cut out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Size of the whole image after resizing.
    pub resized: ImageSize,
    /// Part of the resized image that is kept, which is the output. For [`Focus::Auto`] it is at
    /// the center, until [`render`](crate::render::render()) finds the most salient region.
    pub crop: Rectangle,
}

impl Geometry {
    /// Returns the size of the rendered image.
    pub fn output(&self) -> ImageSize {
        self.crop.size()
    }

    /// Whether the output completely shows a part of an image with this displayed size.
    pub(super) fn shows(&self, part: Rectangle, image: ImageSize) -> bool {
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
    fn cropped(resized: ImageSize, kept: ImageSize, focus: Focus) -> Geometry {
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
    fn whole(resized: ImageSize) -> Geometry {
        Geometry::cropped(resized, resized, Focus::At(Gravity::Center))
    }
}

/// Plans the rendering of an image with this displayed size; `None` keeps the size. Fails if the
/// output has more than [`MAX_OUTPUT_PIXELS`].
pub fn plan(image: ImageSize, resize: Option<Resize>) -> Result<Geometry, MediaError> {
    let geometry = match resize {
        None => Geometry::whole(image),
        Some(Resize::Scale(sides)) => Geometry::whole(scaled(image, sides)),
        Some(Resize::Fit(sides)) => {
            let limits = ImageSize::new(
                sides.width().unwrap_or(u32::MAX),
                sides.height().unwrap_or(u32::MAX),
            );
            Geometry::whole(fitted(image, limits))
        }
        Some(Resize::Fill {
            width,
            height,
            focus,
        }) => filled(image, ImageSize { width, height }, focus),
        Some(Resize::Crop { sides, focus }) => {
            let kept = ImageSize::new(
                sides.width().unwrap_or(u32::MAX).min(image.width),
                sides.height().unwrap_or(u32::MAX).min(image.height),
            );
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
pub(super) fn scaled(image: ImageSize, sides: Sides) -> ImageSize {
    match sides {
        Sides::Both { width, height } => ImageSize { width, height },
        Sides::Width(width) => {
            ImageSize::new(width, proportional(image.height, width, image.width))
        }
        Sides::Height(height) => {
            ImageSize::new(proportional(image.width, height, image.height), height)
        }
    }
}

/// Returns the largest size inside the limits and the image that has the image's aspect ratio.
pub(super) fn fitted(image: ImageSize, limits: ImageSize) -> ImageSize {
    image.fitted(limits)
}

/// Covers a size and crops the rest. Of an image that is too small, keeps the largest part with the
/// aspect ratio of the size.
fn filled(image: ImageSize, size: ImageSize, focus: Focus) -> Geometry {
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
fn is_wider(image: ImageSize, size: ImageSize) -> bool {
    image.is_wider(size)
}

/// Returns the product of two lengths.
fn scale(length: u32, factor: u32) -> u64 {
    u64::from(length) * u64::from(factor)
}

/// Places a size inside an outer size. Space is halved with the larger half, in whole pixels, at
/// the left and the top.
pub(super) fn place(size: ImageSize, outer: ImageSize, gravity: Gravity) -> Rectangle {
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
