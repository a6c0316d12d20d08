//! Encoding of animated GIFs, with a palette per frame.
//!
//! A frame is written when the next one is there. If pixels become transparent, it is cleared
//! before the next one; otherwise it stays, and the next one is transparent where nothing changes.
//! A frame that is cleared has a transparent color if its palette has space: without one, some
//! decoders clear to an opaque color.

use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::{
    animation::Plays,
    encode::{
        gif::{quantize, without_partial_transparency},
        require_side_of_format,
    },
    error::MediaError,
    format::Format,
    pixels::{Channels, Pixels, Rectangle},
};

use super::{
    AnimationOptions,
    difference::{NO_DIFFERENCE, area, union},
};

const UNIT_MILLISECONDS: u32 = 10;
/// Minimum delay of frames that take longer than a unit: browsers show shorter delays for 100 ms.
const MIN_DELAY: u32 = 2;

/// Encoder of an animated GIF.
pub(crate) struct GifAnimation {
    encoder: Encoder<Vec<u8>>,
    /// What a decoder shows after the frames that are written.
    shown: Pixels,
    pending: Option<PendingFrame>,
    is_first: bool,
}

/// A frame that is not written.
struct PendingFrame {
    /// Opaque and transparent pixels.
    pixels: Pixels,
    /// In hundredths of a second.
    delay: u16,
}

impl GifAnimation {
    pub(super) fn new(options: &AnimationOptions) -> Result<GifAnimation, MediaError> {
        require_side_of_format(Format::Gif, options.size)?;
        let width = side(options.size.width)?;
        let height = side(options.size.height)?;
        let mut encoder =
            Encoder::new(Vec::new(), width, height, &[]).map_err(MediaError::encoding)?;

        // The file contains the number of repetitions.
        let repeat = match options.plays {
            Plays::Forever => Repeat::Infinite,
            Plays::Times(times) => Repeat::Finite(times.saturating_sub(1)),
        };
        encoder.set_repeat(repeat).map_err(MediaError::encoding)?;
        Ok(GifAnimation {
            encoder,
            shown: Pixels::zeroed(options.size, Channels::Rgba),
            pending: None,
            is_first: true,
        })
    }

    pub(super) fn push(&mut self, pixels: Pixels, milliseconds: u32) -> Result<(), MediaError> {
        let next = PendingFrame {
            pixels: without_partial_transparency(pixels),
            delay: delay(milliseconds),
        };
        if let Some(pending) = self.pending.take() {
            self.write(pending, Some(&next.pixels))?;
        }
        self.pending = Some(next);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Vec<u8>, MediaError> {
        if let Some(pending) = self.pending.take() {
            self.write(pending, None)?;
        }
        self.encoder.into_inner().map_err(MediaError::encoding)
    }

    fn write(&mut self, frame: PendingFrame, next: Option<&Pixels>) -> Result<(), MediaError> {
        let PendingFrame { pixels, delay } = frame;
        let uncovered = next.and_then(|next| {
            area(&pixels, next, |before, after| {
                before[3] != 0 && after[3] == 0
            })
        });
        let area = self.area_of(&pixels, uncovered);
        let part = self.changes(&pixels, area);

        let mut quantized = quantize(part);
        if uncovered.is_some() {
            quantized.ensure_transparent_color();
        }
        let written = Frame {
            left: side(area.left)?,
            top: side(area.top)?,
            width: side(area.width)?,
            height: side(area.height)?,
            delay,
            dispose: if uncovered.is_some() {
                DisposalMethod::Background
            } else {
                DisposalMethod::Keep
            },
            palette: Some(quantized.palette),
            transparent: quantized.transparent,
            buffer: Cow::Owned(quantized.indices),
            ..Frame::default()
        };
        self.encoder
            .write_frame(&written)
            .map_err(MediaError::encoding)?;

        self.shown = pixels;
        self.is_first = false;
        if uncovered.is_some() {
            self.shown.clear(area);
        }
        Ok(())
    }

    /// Returns the area of a frame: of its changes, and of the pixels to be cleared.
    fn area_of(&self, pixels: &Pixels, uncovered: Option<Rectangle>) -> Rectangle {
        if self.is_first {
            return Rectangle::whole(pixels.size());
        }
        let changed = area(&self.shown, pixels, |before, after| before != after);
        match (changed, uncovered) {
            (Some(changed), Some(uncovered)) => union(changed, uncovered),
            (Some(area), None) | (None, Some(area)) => area,
            (None, None) => NO_DIFFERENCE,
        }
    }

    /// Returns the pixels of an area, transparent where they are shown already.
    fn changes(&self, pixels: &Pixels, area: Rectangle) -> Pixels {
        let mut part = pixels.part(area);
        let shown = self.shown.part(area);
        let shown = shown.samples.as_chunks::<4>().0;
        for (pixel, shown) in part.samples.as_chunks_mut::<4>().0.iter_mut().zip(shown) {
            if pixel == shown {
                *pixel = [0; 4];
            }
        }
        part
    }
}

/// Converts a duration to hundredths of a second.
fn delay(milliseconds: u32) -> u16 {
    let hundredths = milliseconds.saturating_add(UNIT_MILLISECONDS / 2) / UNIT_MILLISECONDS;
    let min = if milliseconds > UNIT_MILLISECONDS {
        MIN_DELAY
    } else {
        0
    };
    u16::try_from(hundredths.max(min)).unwrap_or(u16::MAX)
}

fn side(pixels: u32) -> Result<u16, MediaError> {
    u16::try_from(pixels).map_err(MediaError::encoding)
}
