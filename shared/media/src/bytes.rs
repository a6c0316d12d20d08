//! Numbers and parts read from the beginning of a file, of which more may follow than is there.
//!
//! Invariant: no read goes beyond the bytes given; one that would says how many are needed.

use crate::ProbeError;

/// `length` bytes from `at` on.
pub(crate) fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], ProbeError> {
    let end = at.saturating_add(length);
    bytes
        .get(at..end)
        .ok_or(ProbeError::NeedsMore { bytes: end as u64 })
}

/// As many bytes from `at` on as an array holds.
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

/// Two bytes, the most significant first.
pub(crate) fn be16(bytes: &[u8], at: usize) -> Result<u16, ProbeError> {
    array(bytes, at).map(u16::from_be_bytes)
}

/// Four bytes, the most significant first.
pub(crate) fn be32(bytes: &[u8], at: usize) -> Result<u32, ProbeError> {
    array(bytes, at).map(u32::from_be_bytes)
}

/// Two bytes, the least significant first.
pub(crate) fn le16(bytes: &[u8], at: usize) -> Result<u16, ProbeError> {
    array(bytes, at).map(u16::from_le_bytes)
}

/// Three bytes, the least significant first.
pub(crate) fn le24(bytes: &[u8], at: usize) -> Result<u32, ProbeError> {
    let [low, middle, high] = array(bytes, at)?;
    Ok(u32::from_le_bytes([low, middle, high, 0]))
}

/// Four bytes, the least significant first.
pub(crate) fn le32(bytes: &[u8], at: usize) -> Result<u32, ProbeError> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// A length that a file names, as one of ours: beyond any file where it is beyond our numbers.
pub(crate) fn length(named: u64) -> usize {
    usize::try_from(named).unwrap_or(usize::MAX)
}
