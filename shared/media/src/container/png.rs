//! Chunks of PNG files.

use std::ops::Range;

use crate::{
    ProbeError,
    bytes::{array, be32, length, part},
};

/// Length of the signature, in bytes.
pub(crate) const SIGNATURE: usize = 8;
/// Maximum length of a chunk, in bytes.
const MAX_LENGTH: u32 = i32::MAX as u32;

/// Chunk of a PNG.
pub(crate) struct Chunk {
    pub(crate) kind: [u8; 4],
    /// Range of the data, which may exceed the available bytes.
    pub(crate) data: Range<usize>,
}

impl Chunk {
    pub(crate) fn data<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ProbeError> {
        part(bytes, self.data.start, self.data.len())
    }

    /// Returns the chunk with length, kind and checksum.
    pub(crate) fn full<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ProbeError> {
        part(bytes, self.data.start - 8, self.data.len() + 12)
    }
}

/// Iterator over the chunks of a PNG.
pub(crate) struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Chunks<'a> {
    /// Starts after the signature.
    pub(crate) fn of(bytes: &'a [u8]) -> Chunks<'a> {
        Chunks {
            bytes,
            at: SIGNATURE,
        }
    }

    /// Returns the next chunk. Must not be called after `IEND`.
    pub(crate) fn next(&mut self) -> Result<Chunk, ProbeError> {
        let data_length = be32(self.bytes, self.at)?;
        if data_length > MAX_LENGTH {
            return Err(ProbeError::Malformed(
                "a PNG chunk exceeds the maximum length",
            ));
        }
        let kind = array(self.bytes, self.at + 4)?;
        let start = self.at + 8;
        let data = start..start + length(data_length.into());
        self.at = data.end + 4;
        Ok(Chunk { kind, data })
    }
}

pub(crate) fn encode_chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).expect("chunks are copied from smaller files");
    let mut chunk = length.to_be_bytes().to_vec();
    chunk.extend_from_slice(&kind);
    chunk.extend_from_slice(data);
    let checksum = crc32fast::hash(&chunk[4..]);
    chunk.extend_from_slice(&checksum.to_be_bytes());
    chunk
}
