//! Inspection of files while only some of their parts are in memory.
//!
//! Invariant: an inspection that is repeated with the chunks that it needs ends after at most
//! [`MAX_SPARSE_CHUNKS`] chunks.

use std::io::{self, Read, Seek, SeekFrom};

use thiserror::Error;

use super::{MediaProperties, inspect};

/// Length of the chunks that should be added to a [`SparseReader`], in bytes.
pub const SPARSE_CHUNK_BYTES: usize = 256 << 10;
/// Maximum number of chunks of a [`SparseReader`].
pub const MAX_SPARSE_CHUNKS: usize = 64;

/// Cause of the `io::Error` of a read outside of the chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bytes from {offset} on are not available")]
pub struct MissingBytes {
    /// Offset of the first missing byte.
    pub offset: u64,
}

/// Part of a file.
#[derive(Clone, Debug)]
struct Chunk {
    offset: u64,
    bytes: Vec<u8>,
}

/// Reader of a file while only some of its chunks are in memory. A read of other bytes fails with
/// [`MissingBytes`].
#[derive(Clone, Debug)]
pub struct SparseReader {
    length: u64,
    position: u64,
    chunks: Vec<Chunk>,
}

impl SparseReader {
    /// Creates a reader without chunks of a file with this length in bytes.
    pub fn new(length: u64) -> SparseReader {
        SparseReader {
            length,
            position: 0,
            chunks: Vec::new(),
        }
    }

    /// Adds the bytes at an offset. Ignores empty chunks, and those after [`MAX_SPARSE_CHUNKS`].
    pub fn add(&mut self, offset: u64, bytes: Vec<u8>) {
        if !bytes.is_empty() && !self.is_full() {
            self.chunks.push(Chunk { offset, bytes });
        }
    }

    /// Whether the maximum number of chunks is reached.
    pub fn is_full(&self) -> bool {
        self.chunks.len() >= MAX_SPARSE_CHUNKS
    }

    /// Returns the available bytes from the position on; empty if there are none.
    fn available(&self) -> &[u8] {
        let parts = self.chunks.iter().filter_map(|chunk| {
            let distance = self.position.checked_sub(chunk.offset)?;
            chunk.bytes.get(usize::try_from(distance).ok()?..)
        });
        parts.max_by_key(|part| part.len()).unwrap_or_default()
    }
}

impl Read for SparseReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(self.position);
        let wanted = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if wanted == 0 {
            return Ok(0);
        }
        let available = self.available();
        if available.is_empty() {
            return Err(io::Error::other(MissingBytes {
                offset: self.position,
            }));
        }

        let length = available.len().min(wanted);
        buffer[..length].copy_from_slice(&available[..length]);
        self.position += length as u64;
        Ok(length)
    }
}

impl Seek for SparseReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(distance) => self.length.checked_add_signed(distance),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inspection {
    Done(MediaProperties),
    /// The bytes at this offset are needed. Add up to [`SPARSE_CHUNK_BYTES`] from there on, and
    /// inspect again.
    Needs(u64),
}

/// Reads the properties of a file like [`inspect`], as far as its chunks are available. Returns no
/// properties if all [`MAX_SPARSE_CHUNKS`] are not enough.
pub fn inspect_sparse(reader: &mut SparseReader) -> Inspection {
    match inspect(&mut *reader) {
        Ok(properties) => Inspection::Done(properties),
        Err(error) => {
            let missing = error.get_ref().and_then(|cause| cause.downcast_ref());
            match missing {
                Some(MissingBytes { offset }) if !reader.is_full() => Inspection::Needs(*offset),
                _ => Inspection::Done(MediaProperties::default()),
            }
        }
    }
}
