//! Step 4: composite the watermark over the image, before anything is cropped or resized.
//!
//! Invariants:
//! - The watermark has its place and its size in the image in full size, also if layers are decoded
//!   in a smaller one.
//! - A pixel of a layer is covered as much as the most covered pixel of the image that it shows, so
//!   that no edge is left out at another scale.
//!
//! The pixels of a JPEG's block influence each other if it is decoded in a smaller size: those
//! within 7 pixels of an edge of the watermark carry traces of covered ones, in the block's coarse
//! waves only.

use std::ops::Range;

use crate::{
    error::MediaError,
    pixels::{Channels, Pixels},
};
use domain::naming::ImageSize;

use super::{
    frame::{Frame, Layer},
    region::Region,
    watermark::{FittedWatermark, WatermarkLayer, blend},
};
use crate::pixels::Rectangle;

/// The pixels of a frame beneath the watermark, or in their place the covered ones.
pub(super) struct Cover {
    /// Where the watermark is in the image in full size.
    at: Rectangle,
    /// Parts of the layers, in their order.
    patches: Vec<Patch>,
}

struct Patch {
    pixels: Pixels,
    at: Rectangle,
}

impl Cover {
    /// Composites the watermark over copies of the pixels of a frame, which shows an image with
    /// this displayed size and is not gray.
    pub(super) fn new(
        watermark: &WatermarkLayer,
        frame: &Frame,
        image: ImageSize,
    ) -> Result<Cover, MediaError> {
        let profile = frame.profile.as_deref();
        let fitted = FittedWatermark::new(watermark, image, frame.model, profile)?;

        let patch = |(index, layer): (usize, &Layer)| {
            let is_full = layer.pixels.size() == image;
            let is_whole = layer.region == Region::whole(&layer.pixels);
            if is_full && is_whole {
                return Patch::new(layer, index, &fitted);
            }
            Patch::new(layer, index, &shrunk(&fitted, layer, image))
        };
        Ok(Cover {
            at: fitted.at,
            patches: frame.layers.iter().enumerate().map(patch).collect(),
        })
    }

    /// Returns where the watermark is in the image in full size.
    pub(super) fn at(&self) -> Rectangle {
        self.at
    }

    /// Exchanges the pixels of the frame with the covered ones, or back.
    pub(super) fn swap(&mut self, frame: &mut Frame) {
        for (layer, patch) in frame.layers.iter_mut().zip(&mut self.patches) {
            patch.swap(&mut layer.pixels);
        }
    }
}

impl Patch {
    /// Composites a watermark over a copy of a layer. If the layer has one channel, it is the one
    /// at `index`.
    fn new(layer: &Layer, index: usize, watermark: &FittedWatermark) -> Patch {
        let mut pixels = layer.pixels.part(watermark.at);
        let whole = Rectangle::whole(watermark.at.size());
        blend(&mut pixels, &watermark.pixels, whole, index);
        Patch {
            pixels,
            at: watermark.at,
        }
    }

    fn swap(&mut self, pixels: &mut Pixels) {
        let count = pixels.channels.count();
        let row = pixels.row_bytes();
        let start = self.at.left as usize * count;
        let end = start + self.at.width as usize * count;
        let rows = pixels.samples.chunks_exact_mut(row);
        let own_row = self.pixels.row_bytes();
        let own_rows = self.pixels.samples.chunks_exact_mut(own_row);

        for (row, own_row) in rows.skip(self.at.top as usize).zip(own_rows) {
            row[start..end].swap_with_slice(own_row);
        }
    }
}

/// A frame that shows the watermark until this is dropped.
pub(super) struct CoveredFrame<'a> {
    pub(super) frame: &'a mut Frame,
    cover: Cover,
}

impl<'a> CoveredFrame<'a> {
    pub(super) fn new(frame: &'a mut Frame, mut cover: Cover) -> CoveredFrame<'a> {
        cover.swap(frame);
        CoveredFrame { frame, cover }
    }
}

impl Drop for CoveredFrame<'_> {
    fn drop(&mut self) {
        self.cover.swap(self.frame);
    }
}

/// Returns a watermark of an image in the resolution of a layer.
fn shrunk(watermark: &FittedWatermark, layer: &Layer, image: ImageSize) -> FittedWatermark {
    let FittedWatermark { pixels, at } = watermark;
    let region = &layer.region;
    let horizontal = Side {
        start: region.left,
        scale: region.width / f64::from(image.width),
        length: layer.pixels.width,
    };
    let across = Windows::new(&horizontal, at.left..at.left + at.width);
    let vertical = Side {
        start: region.top,
        scale: region.height / f64::from(image.height),
        length: layer.pixels.height,
    };
    let down = Windows::new(&vertical, at.top..at.top + at.height);

    let at = Rectangle {
        left: across.first,
        top: down.first,
        width: across.length(),
        height: down.length(),
    };
    let mut shrunk = Pixels::zeroed(at.size(), Channels::Rgba);
    let rows: Vec<&[[u8; 4]]> = pixels
        .samples
        .chunks_exact(pixels.row_bytes())
        .map(|row| row.as_chunks::<4>().0)
        .collect();
    let shrunk_rows = shrunk.samples.chunks_exact_mut(at.width as usize * 4);
    for (shrunk_row, window) in shrunk_rows.zip(down.windows) {
        let rows = &rows[window];
        let shrunk_pixels = shrunk_row.as_chunks_mut::<4>().0.iter_mut();
        for (shrunk_pixel, window) in shrunk_pixels.zip(&across.windows) {
            *shrunk_pixel = joined(rows, window);
        }
    }
    FittedWatermark { pixels: shrunk, at }
}

/// Returns the mean color of pixels, weighted by alpha, with the highest alpha.
fn joined(rows: &[&[[u8; 4]]], columns: &Range<usize>) -> [u8; 4] {
    let mut sums = [0_u32; 3];
    let mut weight = 0_u32;
    let mut highest = 0;
    for row in rows {
        for [red, green, blue, alpha] in &row[columns.clone()] {
            for (sum, color) in sums.iter_mut().zip([*red, *green, *blue]) {
                *sum += u32::from(color) * u32::from(*alpha);
            }
            weight += u32::from(*alpha);
            highest = highest.max(*alpha);
        }
    }

    let mean = |sum: u32| {
        let mean = (sum + weight / 2).checked_div(weight);
        u8::try_from(mean.unwrap_or(0)).unwrap_or(u8::MAX)
    };
    let [red, green, blue] = sums.map(mean);
    [red, green, blue, highest]
}

/// A side of a layer.
struct Side {
    /// Where the image begins, in pixels of the layer.
    start: f64,
    /// Pixels of the layer per pixel of the image.
    scale: f64,
    /// Number of pixels of the layer.
    length: u32,
}

/// The pixels along the side of a layer that show a part of the image.
struct Windows {
    first: u32,
    /// What each pixel shows, in pixels of that part.
    windows: Vec<Range<usize>>,
}

impl Windows {
    /// Returns the pixels of a side that show a part of the image, rounded outwards.
    fn new(side: &Side, part: Range<u32>) -> Windows {
        let Side {
            start,
            scale,
            length,
        } = *side;
        let in_layer = |edge: u32| start + f64::from(edge) * scale;
        let in_image = |edge: u32| (f64::from(edge) - start) / scale;

        let first = pixels(in_layer(part.start).floor()).min(length - 1);
        let end = pixels(in_layer(part.end).ceil()).clamp(first + 1, length);
        let window = |pixel: u32| {
            let shown_from = pixels(in_image(pixel).floor()).clamp(part.start, part.end - 1);
            let shown_to = pixels(in_image(pixel + 1).ceil()).clamp(shown_from + 1, part.end);
            let [from, to] = [shown_from, shown_to].map(|edge| (edge - part.start) as usize);
            from..to
        };
        Windows {
            first,
            windows: (first..end).map(window).collect(),
        }
    }

    fn length(&self) -> u32 {
        u32::try_from(self.windows.len()).unwrap_or(u32::MAX)
    }
}

/// Returns a whole number of pixels, at least 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the length of a side, or slightly below 0"
)]
fn pixels(length: f64) -> u32 {
    length as u32
}
