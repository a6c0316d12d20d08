//! Copies bytes to a new file while it computes their digests.

use std::io::{self, Read};

use bytes::Bytes;

use super::{blob::BlobWriter, checksum::Hasher};

/// Bytes that are copied at once.
const CHUNK_BYTES: u64 = 1024 * 1024;

/// Copies all bytes of `source`. Blocks.
pub(super) fn hashing_copy(
    mut source: impl Read,
    hasher: &mut Hasher,
    writer: &mut BlobWriter,
) -> io::Result<()> {
    loop {
        let mut chunk = Vec::new();
        let read_bytes = source.by_ref().take(CHUNK_BYTES).read_to_end(&mut chunk)?;
        if read_bytes == 0 {
            return Ok(());
        }
        hasher.update(&chunk);
        writer.write(&[Bytes::from(chunk)])?;
    }
}
