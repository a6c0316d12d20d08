//! The `meta` box of HEIF files (AVIF and HEIC): items, their data, references and properties
//! (ISO/IEC 14496-12, 8.11, and 23008-12, clauses 6, 9 and annex A).
//!
//! Invariants:
//! - A box is read only by the function that needs it, so damage elsewhere does not matter.
//! - Numbers of boxes, items, extents and references are limited by constants, and the data of an
//!   item by the size of the file.

mod items;
mod properties;

pub(crate) use items::Items;
pub(crate) use properties::{Colors, Properties};

use std::{borrow::Cow, ops::Range};

use crate::{
    bytes::{array, be16, be32, length, part},
    error::ProbeError,
};

use super::Chunk;

/// Maximum number of boxes that are read of a parent.
const MAX_BOXES: usize = 4_096;

/// Type of a reference from an auxiliary image to its image.
const AUXILIARY: [u8; 4] = *b"auxl";

/// The content of a complete `meta` box.
#[derive(Clone, Copy)]
pub(crate) struct Meta<'a> {
    file: &'a [u8],
    content: &'a [u8],
}

impl<'a> Meta<'a> {
    /// Finds the box. Needs the file up to its end.
    pub(crate) fn of(file: &'a [u8]) -> Result<Meta<'a>, ProbeError> {
        let found = find(file, 0..usize::MAX, *b"meta")?;
        let found = found.ok_or(ProbeError::Malformed("no meta box"))?;
        let content = found.data(file)?;
        Ok(Meta { file, content })
    }

    /// Returns the id of the primary item.
    pub(crate) fn primary(&self) -> Result<u32, ProbeError> {
        let found = self.child(*b"pitm")?;
        let start = found
            .ok_or(ProbeError::Malformed("no primary image"))?
            .start;
        let [version] = closed(array(self.content, start))?;
        let mut reader = self.reader(start + 4);
        reader.id(version > 0)
    }

    /// Returns the id of the image with the alpha of an image.
    pub(crate) fn alpha_of(&self, image: u32) -> Result<Option<u32>, ProbeError> {
        let references = self.references()?;
        let auxiliaries = references
            .iter()
            .filter(|reference| reference.kind == AUXILIARY && reference.to.contains(&image));
        for auxiliary in auxiliaries {
            if self.properties(auxiliary.from)?.is_alpha {
                return Ok(Some(auxiliary.from));
            }
        }
        Ok(None)
    }

    /// Returns the EXIF data of the file as a TIFF structure. Needs the file up to the end of this
    /// data.
    pub(crate) fn exif(&self) -> Result<Option<Cow<'a, [u8]>>, ProbeError> {
        let items = self.items()?;
        let Some(item) = items.first_of(*b"Exif") else {
            return Ok(None);
        };
        let data = items.data(item)?;
        // The data starts with the distance from its length field to the TIFF header.
        let start = length(be32(&data, 0)?.into()).saturating_add(4);
        Ok(match data {
            Cow::Borrowed(data) => data.get(start..).map(Cow::Borrowed),
            Cow::Owned(data) => data.get(start..).map(|exif| Cow::Owned(exif.to_vec())),
        })
    }

    /// Returns the content of the first child of a kind, as a range of the content of this box.
    fn child(&self, kind: [u8; 4]) -> Result<Option<Range<usize>>, ProbeError> {
        // Version and flags precede the boxes.
        let found = closed(find(self.content, 4..self.content.len(), kind))?;
        found.map(|found| self.inside(found.data)).transpose()
    }

    /// Returns the boxes of a range, up to [`MAX_BOXES`].
    fn boxes(&self, range: Range<usize>) -> Result<Vec<Chunk>, ProbeError> {
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end && found.len() < MAX_BOXES {
            let next = closed(read_box(self.content, at))?;
            let data = self.inside(next.data)?;
            at = data.end;
            found.push(Chunk {
                kind: next.kind,
                data,
            });
        }
        Ok(found)
    }

    /// Returns the range of a box, cut to the content of this one if it extends to the end of the
    /// file.
    fn inside(&self, range: Range<usize>) -> Result<Range<usize>, ProbeError> {
        let end = match range.end {
            usize::MAX => self.content.len(),
            end => end,
        };
        if range.start > end || end > self.content.len() {
            return Err(EXCEEDING);
        }
        Ok(range.start..end)
    }

    /// Returns a reader of numbers from an offset of the content.
    fn reader(&self, at: usize) -> Reader<'a> {
        Reader {
            bytes: self.content,
            at,
        }
    }
}

/// A box that is larger than its parent.
const EXCEEDING: ProbeError = ProbeError::Malformed("a box exceeds its parent");

/// Converts the error of a read beyond the end of a complete box: it is no truncation.
fn closed<T>(read: Result<T, ProbeError>) -> Result<T, ProbeError> {
    read.map_err(|error| match error {
        ProbeError::NeedsMore { .. } => EXCEEDING,
        error => error,
    })
}

/// Reads the box at an offset.
fn read_box(bytes: &[u8], at: usize) -> Result<Chunk, ProbeError> {
    let kind = array(bytes, at.saturating_add(4))?;
    let (header, size) = match be32(bytes, at)? {
        0 => (8, usize::MAX),
        1 => (
            16,
            length(u64::from_be_bytes(array(bytes, at.saturating_add(8))?)),
        ),
        size => (8, length(size.into())),
    };

    if size < header {
        return Err(ProbeError::Malformed("a box smaller than its header"));
    }

    Ok(Chunk {
        kind,
        data: at.saturating_add(header)..at.saturating_add(size),
    })
}

/// Returns the first box of a kind in a range.
fn find(bytes: &[u8], range: Range<usize>, kind: [u8; 4]) -> Result<Option<Chunk>, ProbeError> {
    let mut at = range.start;
    while at < range.end {
        let found = read_box(bytes, at)?;
        if found.kind == kind {
            return Ok(Some(found));
        }
        at = found.data.end;
    }
    Ok(None)
}

/// Reader of big-endian numbers of a complete box.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// Reads a number of up to 8 bytes; 0 if it has no bytes.
    fn number(&mut self, size: u8) -> Result<u64, ProbeError> {
        let data = closed(part(self.bytes, self.at, size.min(8).into()))?;
        self.at += data.len();
        Ok(data
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads the id of an item, of 4 bytes or 2.
    fn id(&mut self, is_long: bool) -> Result<u32, ProbeError> {
        let id = if is_long {
            be32(self.bytes, self.at)
        } else {
            be16(self.bytes, self.at).map(u32::from)
        };
        self.at += if is_long { 4 } else { 2 };
        closed(id)
    }
}
