//! Decoding: a file to pixels, by one decoder for each format that is decoded.
//!
//! Invariant: the pixel budget has been checked against the header that was probed, and a decoder
//! that reads other dimensions than those is stopped before it allocates.

mod gif;
mod jpeg;
mod png;
mod webp;

use crate::{
    Format, MediaError, Probed, colour,
    pixels::{DEMANDING_PIXELS, PIXELS, Pixels, guarded, within},
};

/// Most bytes that a decoder may hold beside the pixels, for those that count them.
const WORKING_BYTES: usize = 64 << 20;

/// Decodes an image that was probed whole and converts its colours to sRGB. It is not turned yet.
/// Of an animated GIF or PNG this is the first frame; an animated WebP is refused. Peak memory: the
/// pixels, up to 4 bytes each, and up to 6 bytes a pixel while a progressive JPEG is read, 4 while
/// a GIF, PNG or WebP is; a WebP that is lossless or transparent, and made to that end, can name
/// 1.4 GB of code tables. A JPEG that libjpeg only warns of is refused: its pixels would be made
/// up.
pub fn decode(bytes: &[u8], probed: &Probed) -> Result<Pixels, MediaError> {
    within(probed.pixels(), budget(probed))?;
    let mut pixels = guarded(MediaError::malformed, || match probed.format {
        Format::Jpeg => jpeg::read(bytes, probed),
        Format::Png => png::read(bytes, probed),
        Format::Gif => gif::read(bytes, probed),
        Format::WebP => webp::read(bytes, probed),
        other => Err(MediaError::NotDecoded(other)),
    })?;
    colour::to_srgb(&mut pixels);
    Ok(pixels)
}

/// Most pixels of such an image.
fn budget(probed: &Probed) -> u64 {
    let has_code_tables = probed.lossless || probed.has_alpha;
    if probed.format == Format::WebP && has_code_tables {
        DEMANDING_PIXELS
    } else {
        PIXELS
    }
}

/// Stops where a decoder and the probe read different dimensions.
fn agreed(
    probed: &Probed,
    width: impl TryInto<u32>,
    height: impl TryInto<u32>,
) -> Result<(), MediaError> {
    if width.try_into().ok() == Some(probed.width) && height.try_into().ok() == Some(probed.height)
    {
        Ok(())
    } else {
        Err(MediaError::malformed(
            "its headers disagree about its dimensions",
        ))
    }
}
