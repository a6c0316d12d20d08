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
            for segment in jpeg::Segments::of(bytes) {
                segment?;
            }
        }
        Some(Format::Png) => {
            for chunk in png::Chunks::of(bytes) {
                png::full(bytes, &chunk?)?;
            }
        }
        Some(Format::Gif) => {
            for block in gif::Blocks::of(bytes)? {
                block?;
            }
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
