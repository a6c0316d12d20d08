//! Whether a file has its end, told by how it is put together.
//!
//! Invariant: no pixel is decoded, and nothing is allocated.

use crate::{
    Format, MediaError,
    container::{gif, jpeg, png, webp},
};

/// Refuses a JPEG, PNG, GIF or WebP that stops before its end. Of other files it says nothing.
pub fn require_end(bytes: &[u8]) -> Result<(), MediaError> {
    match Format::of(bytes) {
        Some(Format::Jpeg) => {
            let mut segments = jpeg::Segments::of(bytes);
            while segments.next()?.marker != jpeg::END {}
        }
        Some(Format::Png) => {
            let mut chunks = png::Chunks::of(bytes);
            loop {
                let chunk = chunks.next()?;
                chunk.whole(bytes)?;
                if chunk.kind == *b"IEND" {
                    break;
                }
            }
        }
        Some(Format::Gif) => {
            let mut blocks = gif::Blocks::of(bytes)?;
            while blocks.next()?.0 != gif::Kind::Trailer {}
        }
        Some(Format::WebP) => {
            let mut chunks = webp::Chunks::of(bytes)?;
            while let Some(chunk) = chunks.next()? {
                chunk.data(bytes)?;
            }
        }
        Some(Format::Avif | Format::Heic | Format::Bmp | Format::Tiff | Format::Ico) | None => {}
    }
    Ok(())
}
