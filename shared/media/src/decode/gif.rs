//! GIF: the first frame, drawn on the whole screen.

use std::num::NonZeroU64;

use gif::{ColorOutput, DecodeOptions, DecodingError, MemoryLimit};

use crate::{
    MediaError, Probed,
    pixels::{Channels, PIXELS, Pixels},
};

use super::agreed;

/// Most bytes of a frame, of one byte a pixel.
const FRAME_BYTES: NonZeroU64 = NonZeroU64::new(PIXELS).expect("more than none");

/// Decodes the first frame of a GIF; what it leaves out of the screen is transparent.
pub(super) fn read(bytes: &[u8], probed: &Probed) -> Result<Pixels, MediaError> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.set_memory_limit(MemoryLimit::Bytes(FRAME_BYTES));
    // A frame beyond the screen would not be within the budget.
    options.check_frame_consistency(true);
    let mut decoder = options.read_info(bytes).map_err(told)?;
    agreed(probed, decoder.width(), decoder.height())?;
    let global = decoder.global_palette().map(<[u8]>::to_vec);
    let frame = decoder
        .read_next_frame()
        .map_err(told)?
        .ok_or_else(|| MediaError::malformed("a GIF without frames"))?;
    let palette = frame.palette.as_ref().or(global.as_ref());
    let palette = palette.ok_or_else(|| MediaError::malformed("a GIF without colours"))?;

    let mut pixels = Pixels::blank(probed, Channels::Rgba);
    let (left, row) = (usize::from(frame.left) * 4, pixels.row());
    let lines = frame.buffer.chunks_exact(usize::from(frame.width).max(1));
    for (line, onto) in lines.zip(pixels.samples.chunks_exact_mut(row).skip(frame.top.into())) {
        for (index, onto) in line.iter().zip(onto[left..].chunks_exact_mut(4)) {
            // Numbers beyond the palette draw nothing, as in browsers.
            let colour = palette.as_chunks::<3>().0.get(usize::from(*index));
            if let Some([red, green, blue]) = colour
                && Some(*index) != frame.transparent
            {
                onto.copy_from_slice(&[*red, *green, *blue, u8::MAX]);
            }
        }
    }
    pixels.profile = decoder.icc_profile().map(<[u8]>::to_vec);
    Ok(pixels)
}

fn told(error: DecodingError) -> MediaError {
    match error {
        DecodingError::UnexpectedEof => MediaError::EndsEarly,
        error => MediaError::malformed(error),
    }
}
