//! PNG's chunks.

use std::ops::Range;

use crate::{
    ProbeError,
    bytes::{array, be32, length, part},
};

/// Bytes of the signature.
pub(crate) const SIGNATURE: usize = 8;
/// Most that a chunk's length may be.
const LENGTH: u32 = i32::MAX as u32;

/// A chunk.
pub(crate) struct Chunk {
    pub(crate) kind: [u8; 4],
    /// Where its data is, which may be beyond the bytes given.
    pub(crate) data: Range<usize>,
}

impl Chunk {
    /// Its data.
    pub(crate) fn data<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ProbeError> {
        part(bytes, self.data.start, self.data.len())
    }

    /// All of it, with length, kind and checksum.
    pub(crate) fn whole<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ProbeError> {
        part(bytes, self.data.start - 8, self.data.len() + 12)
    }
}

/// The chunks of a PNG.
pub(crate) struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Chunks<'a> {
    /// Those after the signature.
    pub(crate) fn of(bytes: &'a [u8]) -> Chunks<'a> {
        Chunks {
            bytes,
            at: SIGNATURE,
        }
    }

    /// The next chunk; past `IEND` there is none.
    pub(crate) fn next(&mut self) -> Result<Chunk, ProbeError> {
        let named = be32(self.bytes, self.at)?;
        if named > LENGTH {
            return Err(ProbeError::Malformed(
                "a PNG chunk longer than there may be",
            ));
        }
        let kind = array(self.bytes, self.at + 4)?;
        let start = self.at + 8;
        let data = start..start + length(named.into());
        self.at = data.end + 4;
        Ok(Chunk { kind, data })
    }
}

/// A chunk as it is written.
pub(crate) fn written(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).expect("chunks come from files that are shorter");
    let mut chunk = length.to_be_bytes().to_vec();
    chunk.extend_from_slice(&kind);
    chunk.extend_from_slice(data);
    let checksum = crc32fast::hash(&chunk[4..]);
    chunk.extend_from_slice(&checksum.to_be_bytes());
    chunk
}
