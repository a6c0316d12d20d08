//! Areas in which frames differ.

use domain::naming::ImageSize;

use crate::pixels::{Pixels, Rectangle};

/// Area of a frame that equals the previous one: an animation has no empty frames.
pub(super) const NO_DIFFERENCE: Rectangle = Rectangle::whole(ImageSize::new(1, 1));

/// Returns the smallest rectangle with all pixels of two RGBA images of one size for which
/// `differs` holds; `None` if there are none.
pub(super) fn area(
    before: &Pixels,
    after: &Pixels,
    differs: impl Fn([u8; 4], [u8; 4]) -> bool,
) -> Option<Rectangle> {
    let width = after.width as usize;
    let before = before.samples.as_chunks::<4>().0.chunks_exact(width);
    let after = after.samples.as_chunks::<4>().0.chunks_exact(width);
    let mut found: Option<Rectangle> = None;

    for (top, (before, after)) in (0..).zip(before.zip(after)) {
        let is_different = |(before, after): (&[u8; 4], &[u8; 4])| differs(*before, *after);
        let mut pixels = before.iter().zip(after);
        let Some(first) = pixels.clone().position(is_different) else {
            continue;
        };
        let last = pixels.rposition(is_different).unwrap_or(first);

        let row = Rectangle {
            left: u32::try_from(first).unwrap_or(0),
            top,
            width: u32::try_from(last + 1 - first).unwrap_or(1),
            height: 1,
        };
        found = Some(found.map_or(row, |area| union(area, row)));
    }
    found
}

/// Returns the smallest rectangle that contains two others.
pub(super) fn union(first: Rectangle, second: Rectangle) -> Rectangle {
    let left = first.left.min(second.left);
    let top = first.top.min(second.top);
    let right = (first.left + first.width).max(second.left + second.width);
    let bottom = (first.top + first.height).max(second.top + second.height);
    Rectangle {
        left,
        top,
        width: right - left,
        height: bottom - top,
    }
}
