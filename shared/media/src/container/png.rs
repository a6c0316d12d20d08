//! Chunks of PNG files.

use std::borrow::Cow;

use crate::{
    bytes::{array, be32, length, part},
    error::ProbeError,
};

use super::Chunk;

/// Length of the signature, in bytes.
pub(crate) const SIGNATURE: usize = 8;
/// Kind of the last chunk.
const END: [u8; 4] = *b"IEND";
/// Maximum length of a chunk, in bytes.
const MAX_LENGTH: u32 = i32::MAX as u32;

/// Returns a chunk with length, kind and checksum.
pub(crate) fn full<'a>(bytes: &'a [u8], chunk: &Chunk) -> Result<&'a [u8], ProbeError> {
    part(bytes, chunk.data.start - 8, chunk.data.len() + 12)
}

/// Iterator over the chunks of a PNG, up to `IEND`.
pub(crate) struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
    has_ended: bool,
}

impl<'a> Chunks<'a> {
    /// Starts after the signature.
    pub(crate) fn of(bytes: &'a [u8]) -> Chunks<'a> {
        Chunks {
            bytes,
            at: SIGNATURE,
            has_ended: false,
        }
    }

    /// Returns the next chunk. Must not be called after `IEND`.
    pub(crate) fn read(&mut self) -> Result<Chunk, ProbeError> {
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
        self.has_ended = kind == END;
        Ok(Chunk { kind, data })
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk, ProbeError>;

    fn next(&mut self) -> Option<Result<Chunk, ProbeError>> {
        (!self.has_ended).then(|| self.read())
    }
}

/// Iterates over the chunks of a whole file, up to its end or its damaged part; the checksum of the
/// last one may be missing. Fails if they contain no complete chunk of pixels.
pub(crate) fn whole_chunks(bytes: &[u8]) -> Result<impl Iterator<Item = Chunk>, ProbeError> {
    let is_whole = |chunk: &Chunk| chunk.data(bytes).is_ok();
    for chunk in Chunks::of(bytes) {
        let chunk = chunk?;
        chunk.data(bytes)?;
        if chunk.kind == *b"IDAT" {
            let chunks = Chunks::of(bytes).map_while(Result::ok);
            return Ok(chunks.take_while(is_whole));
        }
    }
    Err(ProbeError::Malformed("a PNG without pixels"))
}

/// Returns a whole file with its undamaged chunks alone, and with an end.
pub(crate) fn repaired(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ProbeError> {
    let last = whole_chunks(bytes)?.last();
    if last.is_some_and(|last| last.kind == END && full(bytes, &last).is_ok()) {
        return Ok(Cow::Borrowed(bytes));
    }

    let mut repaired = bytes[..SIGNATURE].to_vec();
    for chunk in whole_chunks(bytes)?.filter(|chunk| chunk.kind != END) {
        repaired.extend(encode_chunk(chunk.kind, chunk.data(bytes)?));
    }
    repaired.extend(encode_chunk(END, &[]));
    Ok(Cow::Owned(repaired))
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
