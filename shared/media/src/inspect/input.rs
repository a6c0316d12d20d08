//! Bounded reads at offsets of a file.

use std::io::{self, Read, Seek, SeekFrom};

/// Maximum number of reads of a file.
const MAX_READS: u32 = 20_000;
/// Maximum number of bytes that are read of a file, also repeatedly.
const MAX_READ_BYTES: usize = 32 << 20;

/// Error of an inspection.
#[derive(Debug)]
pub(super) enum InspectError {
    Io(io::Error),
    /// The file is truncated, contradicts its format, or exceeds a bound.
    Invalid,
}

impl From<io::Error> for InspectError {
    fn from(error: io::Error) -> InspectError {
        InspectError::Io(error)
    }
}

/// A file whose reads are counted.
pub(super) struct Input<R> {
    reader: R,
    length: u64,
    reads_left: u32,
    bytes_left: usize,
}

impl<R: Read + Seek> Input<R> {
    pub(super) fn new(mut reader: R) -> Result<Input<R>, InspectError> {
        let length = reader.seek(SeekFrom::End(0))?;
        Ok(Input {
            reader,
            length,
            reads_left: MAX_READS,
            bytes_left: MAX_READ_BYTES,
        })
    }

    /// Returns the length of the file, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Reads up to a number of bytes at an offset; fewer only at the end of the file.
    pub(super) fn read_up_to(&mut self, at: u64, length: usize) -> Result<Vec<u8>, InspectError> {
        let available = self.length.saturating_sub(at);
        let length = usize::try_from(available).map_or(length, |available| available.min(length));
        self.reads_left = self
            .reads_left
            .checked_sub(1)
            .ok_or(InspectError::Invalid)?;
        let bytes_left = self.bytes_left.checked_sub(length);
        self.bytes_left = bytes_left.ok_or(InspectError::Invalid)?;

        let mut bytes = vec![0; length];
        if length > 0 {
            self.reader.seek(SeekFrom::Start(at))?;
            self.reader.read_exact(&mut bytes)?;
        }
        Ok(bytes)
    }

    /// Reads bytes at an offset. Fails if the file ends before.
    pub(super) fn array<const LENGTH: usize>(
        &mut self,
        at: u64,
    ) -> Result<[u8; LENGTH], InspectError> {
        let bytes = self.read_up_to(at, LENGTH)?;
        bytes.try_into().map_err(|_| InspectError::Invalid)
    }
}

/// Returns an array of bytes at an offset.
pub(super) fn part<const LENGTH: usize>(
    bytes: &[u8],
    at: usize,
) -> Result<[u8; LENGTH], InspectError> {
    let rest = bytes.get(at..).ok_or(InspectError::Invalid)?;
    rest.first_chunk().copied().ok_or(InspectError::Invalid)
}

/// Reads a big-endian `u32`.
pub(super) fn be32(bytes: &[u8], at: usize) -> Result<u32, InspectError> {
    part(bytes, at).map(u32::from_be_bytes)
}

/// Reads a big-endian `u64`.
pub(super) fn be64(bytes: &[u8], at: usize) -> Result<u64, InspectError> {
    part(bytes, at).map(u64::from_be_bytes)
}

/// Reads a little-endian `u32`.
pub(super) fn le32(bytes: &[u8], at: usize) -> Result<u32, InspectError> {
    part(bytes, at).map(u32::from_le_bytes)
}

/// Reads a little-endian `u64`.
pub(super) fn le64(bytes: &[u8], at: usize) -> Result<u64, InspectError> {
    part(bytes, at).map(u64::from_le_bytes)
}
