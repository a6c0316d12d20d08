//! GIF decoding: the first frame on its logical screen.

use std::num::NonZeroU64;

use gif::{ColorOutput, DecodeOptions, DecodingError, MemoryLimit};

use crate::{
    ImageInfo, MediaError,
    pixels::{Channels, MAX_PIXELS, Pixels},
};

use super::require_probed_size;

/// Maximum size of a frame with one byte per pixel, in bytes.
const FRAME_BYTES: NonZeroU64 = NonZeroU64::new(MAX_PIXELS).expect("the limit is not 0");

/// Decodes the first frame of a GIF. The rest of the logical screen is transparent.
pub(super) fn read(bytes: &[u8], probed: &ImageInfo) -> Result<Pixels, MediaError> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.set_memory_limit(MemoryLimit::Bytes(FRAME_BYTES));
    // A frame larger than the screen could exceed the pixel limit.
    options.check_frame_consistency(true);
    let mut decoder = options.read_info(bytes).map_err(decode_error)?;
    require_probed_size(probed, decoder.width(), decoder.height())?;
    let global = decoder.global_palette().map(<[u8]>::to_vec);
    let frame = decoder
        .read_next_frame()
        .map_err(decode_error)?
        .ok_or_else(|| MediaError::malformed("a GIF without frames"))?;
    let palette = frame.palette.as_ref().or(global.as_ref());
    let palette = palette.ok_or_else(|| MediaError::malformed("a GIF without colors"))?;

    let mut pixels = Pixels::zeroed(probed.stored(), Channels::Rgba);
    let left = usize::from(frame.left) * 4;
    let row = pixels.row_bytes();
    let lines = frame.buffer.chunks_exact(usize::from(frame.width).max(1));
    for (line, target_row) in lines.zip(pixels.samples.chunks_exact_mut(row).skip(frame.top.into()))
    {
        for (index, target) in line.iter().zip(target_row[left..].chunks_exact_mut(4)) {
            // Indices beyond the palette are transparent, as in browsers.
            let color = palette.as_chunks::<3>().0.get(usize::from(*index));
            if let Some([red, green, blue]) = color
                && Some(*index) != frame.transparent
            {
                target.copy_from_slice(&[*red, *green, *blue, u8::MAX]);
            }
        }
    }
    pixels.profile = decoder.icc_profile().map(<[u8]>::to_vec);
    Ok(pixels)
}

fn decode_error(error: DecodingError) -> MediaError {
    match error {
        DecodingError::UnexpectedEof => MediaError::Truncated,
        error => MediaError::malformed(error),
    }
}
