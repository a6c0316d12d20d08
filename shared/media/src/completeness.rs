//! Detection of truncated files by their structure.
//!
//! Invariant: nothing is decoded or allocated.

use crate::{
    Format, MediaError,
    container::{gif, jpeg, png, webp},
};

/// Fails if a JPEG, PNG, GIF or WebP is truncated. Accepts all other files.
pub fn require_complete(bytes: &[u8]) -> Result<(), MediaError> {
    match Format::detect(bytes) {
        Some(Format::Jpeg) => {
            let mut segments = jpeg::Segments::of(bytes);
            while segments.next()?.marker != jpeg::END {}
        }
        Some(Format::Png) => {
            let mut chunks = png::Chunks::of(bytes);
            loop {
                let chunk = chunks.next()?;
                chunk.full(bytes)?;
                if chunk.kind == *b"IEND" {
                    break;
                }
            }
        }
        Some(Format::Gif) => {
            let mut blocks = gif::Blocks::of(bytes)?;
            while blocks.next()?.kind != gif::BlockKind::Trailer {}
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
