//! WebP's chunks.

use std::ops::Range;

use crate::{
    ProbeError,
    bytes::{array, le24, le32, length, part},
};

/// Bytes before the first chunk.
pub(crate) const HEADER: usize = 12;

/// Flags of an extended file.
pub(crate) const ANIMATED: u8 = 0x02;
pub(crate) const HAS_XMP: u8 = 0x04;
pub(crate) const HAS_EXIF: u8 = 0x08;
pub(crate) const HAS_ALPHA: u8 = 0x10;
pub(crate) const HAS_PROFILE: u8 = 0x20;

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
}

/// The chunks of a WebP file.
pub(crate) struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Chunks<'a> {
    /// Those after the header, to where it says that the file ends.
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Chunks<'a>, ProbeError> {
        let end = length(u64::from(le32(bytes, 4)?) + 8);
        Ok(Chunks {
            bytes,
            at: HEADER,
            end,
        })
    }

    /// The next chunk, until there is none.
    pub(crate) fn next(&mut self) -> Result<Option<Chunk>, ProbeError> {
        // An odd byte at the end is padding that somebody forgot to count.
        if self.at + 8 > self.end {
            return Ok(None);
        }
        let kind = array(self.bytes, self.at)?;
        let data = length(le32(self.bytes, self.at + 4)?.into());
        let start = self.at + 8;
        if start + data > self.end {
            return Err(ProbeError::Malformed("a WebP chunk beyond the file's end"));
        }
        self.at = start + data + data % 2;
        Ok(Some(Chunk {
            kind,
            data: start..start + data,
        }))
    }

    /// The first chunk of a kind among those that are left.
    pub(crate) fn find(&mut self, kind: [u8; 4]) -> Result<Option<Chunk>, ProbeError> {
        while let Some(chunk) = self.next()? {
            if chunk.kind == kind {
                return Ok(Some(chunk));
            }
        }
        Ok(None)
    }
}

/// Width and height of an extended file's canvas.
pub(crate) fn canvas(bytes: &[u8], extended: &Chunk) -> Result<(u32, u32), ProbeError> {
    let start = extended.data.start;
    Ok((le24(bytes, start + 4)? + 1, le24(bytes, start + 7)? + 1))
}

/// Width and height as the pixels themselves say, and whether some may be transparent, of a `VP8 `
/// or `VP8L` chunk.
pub(crate) fn frame(bytes: &[u8], chunk: &Chunk) -> Result<(u32, u32, bool), ProbeError> {
    let start = chunk.data.start;
    if chunk.kind == *b"VP8L" {
        let [signature] = array(bytes, start)?;
        let header = le32(bytes, start + 1)?;
        if signature != 0x2F || header >> 29 != 0 {
            return Err(ProbeError::Malformed("not WebP's lossless pixels"));
        }
        return Ok((
            (header & 0x3FFF) + 1,
            (header >> 14 & 0x3FFF) + 1,
            header >> 28 & 1 == 1,
        ));
    }
    let header: [u8; 10] = array(bytes, start)?;
    if header[3..6] != [0x9D, 0x01, 0x2A] {
        return Err(ProbeError::Malformed("not WebP's lossy pixels"));
    }
    let side = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
    Ok((
        side(header[6], header[7]),
        side(header[8], header[9]),
        false,
    ))
}

/// Adds a chunk to a file's end.
pub(crate) fn push(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("chunks come from files that are shorter");
    file.extend_from_slice(&kind);
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(data);
    if data.len() % 2 == 1 {
        file.push(0);
    }
}

/// Begins a file, whose length is set by `end`.
pub(crate) fn begin() -> Vec<u8> {
    b"RIFF\0\0\0\0WEBP".to_vec()
}

/// Ends a file: its header says how long it is.
pub(crate) fn end(mut file: Vec<u8>) -> Vec<u8> {
    let length =
        u32::try_from(file.len() - 8).expect("a file made of one that is shorter than 4 GiB");
    file[4..8].copy_from_slice(&length.to_le_bytes());
    file
}
