//! Memory of the code tables of lossless and transparent WebP files. Some kilobytes of a file can ask
//! for megabytes of tables, and a file for gigabytes.

use crate::{
    MediaError,
    container::{
        vp8l::{PrefixCode, visit_codes},
        webp::{self, Chunks},
    },
};

/// Maximum memory of the code tables of an image, in bytes. The usual encoder uses at most 2,600
/// groups of five codes, of about 5 KB.
pub(crate) const MAX_TABLE_BYTES: u64 = 128 << 20;
/// Maximum number of bits that the decoder finds with one table; it follows a tree for the others.
const TABLE_BITS: usize = 10;
/// Size of an entry of the table, in bytes.
const ENTRY_BYTES: u64 = 4;
/// Size of the tree per code that is longer than the table, in bytes: two nodes.
const LONG_CODE_BYTES: u64 = 32;
/// Memory of every code, in bytes: its structure in a growing list, and the overhead of two
/// allocations.
const CODE_BYTES: u64 = 176;
/// Length of the header before the transforms of a lossless image, in bytes.
const LOSSLESS_HEADER: usize = 5;
/// Length of the header of transparency, in bytes.
const ALPHA_HEADER: usize = 1;

/// Fails if the tables of an image or a frame of a WebP need more memory than a limit, in bytes.
pub(crate) fn require_table_limit(bytes: &[u8], limit: u64) -> Result<(), MediaError> {
    let mut chunks = Chunks::of(bytes)?;
    let mut size = None;
    while let Some(chunk) = chunks.next()? {
        let data = chunk.data(bytes)?;
        let stream = match &chunk.kind {
            b"VP8X" => {
                size = Some(webp::canvas(bytes, &chunk)?);
                continue;
            }
            b"VP8L" => {
                size = Some(webp::frame(bytes, &chunk)?.dimensions);
                data.get(LOSSLESS_HEADER..)
            }
            // The lowest bits are the compression.
            b"ALPH" if data.first().is_some_and(|flags| flags & 3 == 1) => data.get(ALPHA_HEADER..),
            _ => continue,
        };
        if let Some(size) = size {
            let mut tables = Tables { bytes: 0, limit };
            visit_codes(stream.unwrap_or_default(), size, |code| tables.add(code))?;
        }
    }
    Ok(())
}

/// Memory of the tables of an image.
struct Tables {
    bytes: u64,
    /// Maximum.
    limit: u64,
}

impl Tables {
    fn add(&mut self, code: &PrefixCode) -> Result<(), MediaError> {
        let entries = 1_u64 << code.max_bits().min(TABLE_BITS);
        let tree = code.longer_than(TABLE_BITS) * LONG_CODE_BYTES;
        self.bytes += CODE_BYTES + entries * ENTRY_BYTES + tree;
        if self.bytes > self.limit {
            return Err(MediaError::TooManyCodes {
                bytes: self.bytes,
                limit: self.limit,
            });
        }
        Ok(())
    }
}
