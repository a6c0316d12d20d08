//! Detection of truncated files by their structure.
//!
//! What browsers show is complete: whatever is missing or damaged behind the pixels of the first
//! image does not matter.
//!
//! Invariant: nothing is decoded.

use std::borrow::Cow;

use crate::{
    container::{gif, jpeg, png, webp},
    error::MediaError,
    format::Format,
};

/// Fails if a JPEG, PNG, GIF or WebP is truncated before the end of its first image, as far as its
/// structure shows. Accepts all other files.
pub fn require_complete(bytes: &[u8]) -> Result<(), MediaError> {
    match Format::detect(bytes) {
        Some(Format::Jpeg) => {
            for segment in jpeg::Segments::of(bytes) {
                segment?;
            }
        }
        Some(Format::Png) => {
            png::whole_chunks(bytes).map(drop)?;
        }
        Some(Format::Gif) => {
            gif::whole_blocks(bytes).map(drop)?;
        }
        Some(Format::WebP) => {
            webp::whole_chunks(bytes).map(drop)?;
        }
        Some(Format::Avif | Format::Heic | Format::Bmp | Format::Tiff | Format::Ico) | None => {}
    }

    Ok(())
}

/// Whether a PNG is undamaged up to its end.
pub(crate) fn has_end(png: &[u8]) -> Result<bool, MediaError> {
    Ok(matches!(png::repaired(png)?, Cow::Borrowed(_)))
}
