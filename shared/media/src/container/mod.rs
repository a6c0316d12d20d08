//! Container formats: segments of JPEG, chunks of PNG and WebP, blocks of GIF, images of icons,
//! boxes of HEIF and directories of TIFF. Pixels are not decoded.
//!
//! Invariants:
//! - Returned slices lie within the passed bytes.
//! - An iteration ends after at most one step per byte.

pub(crate) mod gif;
pub(crate) mod heif;
pub(crate) mod ico;
pub(crate) mod jpeg;
pub(crate) mod jpeg_scans;
pub(crate) mod png;
pub(crate) mod tiff;
pub(crate) mod vp8l;
pub(crate) mod webp;

use std::ops::Range;

use crate::{bytes::part, error::ProbeError};

/// Chunk of a PNG or WebP, or box of HEIF.
pub(crate) struct Chunk {
    pub(crate) kind: [u8; 4],
    /// Range of the data, which may exceed the available bytes.
    pub(crate) data: Range<usize>,
}

impl Chunk {
    pub(crate) fn data<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ProbeError> {
        part(bytes, self.data.start, self.data.len())
    }
}
