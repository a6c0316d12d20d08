//! Bounds-checked reads from the first bytes of a file.
//!
//! Invariant: a read beyond the available bytes fails with the number of bytes that it needs.

use crate::error::ProbeError;

/// Returns `length` bytes at an offset.
pub(crate) fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], ProbeError> {
    let end = at.saturating_add(length);
    bytes
        .get(at..end)
        .ok_or(ProbeError::NeedsMore { bytes: end as u64 })
}

/// Returns an array of bytes at an offset.
pub(crate) fn array<const LENGTH: usize>(
    bytes: &[u8],
    at: usize,
) -> Result<[u8; LENGTH], ProbeError> {
    let needed = ProbeError::NeedsMore {
        bytes: at.saturating_add(LENGTH) as u64,
    };
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .ok_or(needed)
}

/// Reads a big-endian `u16`.
pub(crate) fn be16(bytes: &[u8], at: usize) -> Result<u16, ProbeError> {
    array(bytes, at).map(u16::from_be_bytes)
}

/// Reads a big-endian `u32`.
pub(crate) fn be32(bytes: &[u8], at: usize) -> Result<u32, ProbeError> {
    array(bytes, at).map(u32::from_be_bytes)
}

/// Reads a big-endian `u64`.
pub(crate) fn be64(bytes: &[u8], at: usize) -> Result<u64, ProbeError> {
    array(bytes, at).map(u64::from_be_bytes)
}

/// Reads a little-endian `u16`.
pub(crate) fn le16(bytes: &[u8], at: usize) -> Result<u16, ProbeError> {
    array(bytes, at).map(u16::from_le_bytes)
}

/// Reads a little-endian 24-bit number.
pub(crate) fn le24(bytes: &[u8], at: usize) -> Result<u32, ProbeError> {
    let [low, middle, high] = array(bytes, at)?;
    Ok(u32::from_le_bytes([low, middle, high, 0]))
}

/// Reads a little-endian `u32`.
pub(crate) fn le32(bytes: &[u8], at: usize) -> Result<u32, ProbeError> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// Reads a little-endian `u64`.
pub(crate) fn le64(bytes: &[u8], at: usize) -> Result<u64, ProbeError> {
    array(bytes, at).map(u64::from_le_bytes)
}

/// Converts a length from a file. Saturates on overflow, which exceeds every file.
pub(crate) fn length(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
