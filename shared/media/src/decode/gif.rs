//! GIF decoding.

use std::{borrow::Cow, io::Cursor};

use ::gif::{ColorOutput, DecodeOptions, Decoder, DecodingError, DisposalMethod, Frame, Repeat};

use crate::{animation::Plays, container::gif, error::MediaError, pixels::Rectangle};

use super::canvas::{Canvas, Disposal};

const UNIT_MILLISECONDS: u32 = 10;
/// Index of pixels that were not read. Others with this index are transparent too in a frame whose
/// data ends early.
const MISSING: u8 = u8::MAX;
/// Error message of the decoder for a frame whose data ends before its pixels.
const ENDS_EARLY: &str = "image truncated";

/// The frames of a GIF.
pub(super) struct GifFrames<'a> {
    decoder: Decoder<Cursor<Cow<'a, [u8]>>>,
    global_palette: Option<Vec<u8>>,
}

impl<'a> GifFrames<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<GifFrames<'a>, MediaError> {
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::Indexed);
        options.allow_unknown_blocks(true);

        let repaired = gif::repaired(bytes)?;
        let decoder = options
            .read_info(Cursor::new(repaired))
            .map_err(decode_error)?;
        let global_palette = decoder.global_palette().map(<[u8]>::to_vec);
        Ok(GifFrames {
            decoder,
            global_palette,
        })
    }

    /// Draws the part of the next frame that lies on the canvas, and returns its duration in
    /// milliseconds. Pixels that the data of the frame lacks at its end are transparent, as in
    /// browsers.
    pub(super) fn draw_next(&mut self, canvas: &mut Canvas) -> Result<u32, MediaError> {
        let frame = self.decoder.next_frame_info().map_err(decode_error)?;
        let frame = frame.ok_or_else(|| MediaError::malformed("a GIF without a further frame"))?;
        let frame = Frame {
            buffer: Cow::Borrowed(&[]),
            ..frame.clone()
        };
        let pixels = u64::from(frame.width) * u64::from(frame.height);
        // So the memory and time of frames are those of their canvas.
        if pixels > canvas.pixels.size().pixels() {
            return Err(MediaError::malformed(
                "a frame has more pixels than the canvas",
            ));
        }

        let palette = frame.palette.as_ref().or(self.global_palette.as_ref());
        let palette = palette.ok_or_else(|| MediaError::malformed("a GIF without colors"))?;
        let palette = palette.as_chunks::<3>().0.to_vec();
        let mut indices = vec![MISSING; usize::from(frame.width) * usize::from(frame.height)];
        let is_complete = match self.decoder.read_into_buffer(&mut indices) {
            Ok(()) => true,
            Err(error) if error.to_string().contains(ENDS_EARLY) => false,
            Err(error) => return Err(decode_error(error)),
        };

        let area = Rectangle {
            left: frame.left.into(),
            top: frame.top.into(),
            width: frame.width.into(),
            height: frame.height.into(),
        };
        let shown = canvas.begin_frame(area, disposal(frame.dispose));
        let lines = indices.chunks_exact(usize::from(frame.width).max(1));
        for (line, row) in lines.zip(canvas.rows_mut(shown)) {
            for (index, target) in line.iter().zip(row) {
                // Indices beyond the palette are transparent, as in browsers.
                let color = palette.get(usize::from(*index));
                let is_transparent =
                    Some(*index) == frame.transparent || (!is_complete && *index == MISSING);
                if let Some([red, green, blue]) = color
                    && !is_transparent
                {
                    *target = [*red, *green, *blue, u8::MAX];
                }
            }
        }
        Ok(u32::from(frame.delay) * UNIT_MILLISECONDS)
    }

    /// Returns how often the animation is shown. The file contains the number of repetitions.
    pub(super) fn plays(&self) -> Plays {
        match self.decoder.repeat() {
            Repeat::Infinite => Plays::Forever,
            Repeat::Finite(repetitions) => Plays::Times(repetitions.saturating_add(1)),
        }
    }

    /// Returns the color profile of the file.
    pub(super) fn profile(&self) -> Option<Vec<u8>> {
        self.decoder.icc_profile().map(<[u8]>::to_vec)
    }
}

fn disposal(method: DisposalMethod) -> Disposal {
    match method {
        DisposalMethod::Any | DisposalMethod::Keep => Disposal::Keep,
        // Browsers clear frames to transparency instead of the background color.
        DisposalMethod::Background => Disposal::Clear,
        DisposalMethod::Previous => Disposal::Restore,
    }
}

fn decode_error(error: DecodingError) -> MediaError {
    match error {
        DecodingError::UnexpectedEof => MediaError::Truncated,
        error => MediaError::malformed(error),
    }
}
