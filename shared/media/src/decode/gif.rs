//! GIF decoding.

use std::num::NonZeroU64;

use gif::{
    ColorOutput, DecodeOptions, Decoder, DecodingError, DisposalMethod, MemoryLimit, Repeat,
};

use crate::{ImageInfo, MediaError, Rectangle, animation::Plays, pixels::MAX_PIXELS};

use super::{
    canvas::{Canvas, Disposal},
    require_size,
};

/// Maximum size of a frame with one byte per pixel, in bytes.
const FRAME_BYTES: NonZeroU64 = NonZeroU64::new(MAX_PIXELS).expect("the limit is not 0");
const UNIT_MILLISECONDS: u32 = 10;

/// The frames of a GIF.
pub(super) struct GifFrames<'a> {
    decoder: Decoder<&'a [u8]>,
    global_palette: Option<Vec<u8>>,
}

impl<'a> GifFrames<'a> {
    pub(super) fn open(bytes: &'a [u8], probed: &ImageInfo) -> Result<GifFrames<'a>, MediaError> {
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::Indexed);
        options.set_memory_limit(MemoryLimit::Bytes(FRAME_BYTES));
        options.allow_unknown_blocks(true);
        // A frame larger than the screen could exceed the pixel limit.
        options.check_frame_consistency(true);

        let decoder = options.read_info(bytes).map_err(decode_error)?;
        require_size(probed.stored(), decoder.width(), decoder.height())?;
        let global_palette = decoder.global_palette().map(<[u8]>::to_vec);
        Ok(GifFrames {
            decoder,
            global_palette,
        })
    }

    /// Draws the next frame, and returns its duration in milliseconds.
    pub(super) fn draw_next(&mut self, canvas: &mut Canvas) -> Result<u32, MediaError> {
        let frame = self
            .decoder
            .read_next_frame()
            .map_err(decode_error)?
            .ok_or_else(|| MediaError::malformed("a GIF without a further frame"))?;
        let palette = frame.palette.as_ref().or(self.global_palette.as_ref());
        let palette = palette.ok_or_else(|| MediaError::malformed("a GIF without colors"))?;
        let palette = palette.as_chunks::<3>().0;

        let area = Rectangle {
            left: frame.left.into(),
            top: frame.top.into(),
            width: frame.width.into(),
            height: frame.height.into(),
        };
        canvas.begin_frame(area, disposal(frame.dispose))?;
        let lines = frame.buffer.chunks_exact(usize::from(frame.width).max(1));
        for (line, row) in lines.zip(canvas.rows_mut(area)) {
            for (index, target) in line.iter().zip(row) {
                // Indices beyond the palette are transparent, as in browsers.
                let color = palette.get(usize::from(*index));
                if let Some([red, green, blue]) = color
                    && Some(*index) != frame.transparent
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
