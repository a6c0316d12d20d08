//! The canvas on which the frames of an animation are composited.
//!
//! Invariant: nothing is drawn outside of the canvas.

use domain::naming::ImageSize;

use crate::{
    color::{over, with_alpha},
    pixels::{Channels, Pixels, Rectangle},
};

/// How a frame is removed before the next one is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disposal {
    Keep,
    /// Its area becomes transparent.
    Clear,
    /// Its area becomes what it was before the frame.
    Restore,
}

/// Pixels of an animation at one moment.
pub(super) struct Canvas {
    /// RGBA pixels, transparent at first.
    pub(super) pixels: Pixels,
    previous: Option<RemovableFrame>,
}

/// The area of a frame that is removed before the next one.
struct RemovableFrame {
    area: Rectangle,
    /// The pixels below it; `None` for transparent ones.
    below: Option<Pixels>,
}

impl Canvas {
    pub(super) fn new(size: ImageSize) -> Canvas {
        Canvas {
            pixels: Pixels::zeroed(size, Channels::Rgba),
            previous: None,
        }
    }

    /// Removes the previous frame, and prepares the part of an area that lies on the canvas for a
    /// frame. Returns this part, which may have no pixels.
    pub(super) fn begin_frame(&mut self, area: Rectangle, disposal: Disposal) -> Rectangle {
        if let Some(previous) = self.previous.take() {
            self.remove(&previous);
        }

        let area = self.pixels.shown(area);
        self.previous = match disposal {
            Disposal::Keep => None,
            Disposal::Clear => Some(RemovableFrame { area, below: None }),
            Disposal::Restore => Some(RemovableFrame {
                area,
                below: Some(self.pixels.part(area)),
            }),
        };
        area
    }

    fn remove(&mut self, frame: &RemovableFrame) {
        match &frame.below {
            None => self.pixels.clear(frame.area),
            Some(below) => {
                let lines = below.samples.as_chunks::<4>().0;
                let lines = lines.chunks_exact(below.width as usize);
                for (row, line) in self.rows_mut(frame.area).zip(lines) {
                    row.copy_from_slice(line);
                }
            }
        }
    }

    /// Returns the rows of an area, which must lie inside the canvas.
    pub(super) fn rows_mut(&mut self, area: Rectangle) -> impl Iterator<Item = &mut [[u8; 4]]> {
        let start = area.left as usize;
        let end = start + area.width as usize;
        let width = self.pixels.width as usize;
        let rows = self.pixels.samples.as_chunks_mut::<4>().0;
        rows.chunks_exact_mut(width)
            .skip(area.top as usize)
            .take(area.height as usize)
            .map(move |row| &mut row[start..end])
    }

    /// Draws pixels of an area's size: blended, or instead of those below.
    pub(super) fn draw(&mut self, area: Rectangle, pixels: Pixels, is_blended: bool) {
        let above = with_alpha(pixels);
        let lines = above.samples.as_chunks::<4>().0;
        let lines = lines.chunks_exact(area.width as usize);

        for (row, line) in self.rows_mut(area).zip(lines) {
            if is_blended {
                for (below, above) in row.iter_mut().zip(line) {
                    *below = over(*below, *above);
                }
            } else {
                row.copy_from_slice(line);
            }
        }
    }
}
