//! TIFF's directories, which camera data in other formats is kept in too.

use crate::{
    ProbeError,
    bytes::{be16, be32, le16, le32, length},
};

pub(crate) const WIDTH: u16 = 256;
pub(crate) const HEIGHT: u16 = 257;
pub(crate) const ORIENTATION: u16 = 274;
pub(crate) const EXTRA_SAMPLES: u16 = 338;

/// The type of a two-byte number.
const SHORT: u16 = 3;
/// The type of a four-byte number.
const LONG: u16 = 4;
/// Bytes of an entry.
const ENTRY: usize = 12;

/// The first directory of a TIFF.
pub(crate) struct Directory<'a> {
    bytes: &'a [u8],
    big_endian: bool,
    at: usize,
    entries: usize,
}

impl<'a> Directory<'a> {
    /// The first directory.
    pub(crate) fn first(bytes: &'a [u8]) -> Result<Directory<'a>, ProbeError> {
        let big_endian = match bytes.first_chunk() {
            Some(b"II*\0") => false,
            Some(b"MM\0*") => true,
            Some(_) => return Err(ProbeError::Malformed("not a TIFF")),
            None => return Err(ProbeError::NeedsMore { bytes: 4 }),
        };
        let mut directory = Directory {
            bytes,
            big_endian,
            at: 0,
            entries: 0,
        };
        directory.at = length(directory.long(4)?.into());
        directory.entries = directory.short(directory.at)?.into();
        Ok(directory)
    }

    fn short(&self, at: usize) -> Result<u16, ProbeError> {
        if self.big_endian {
            be16(self.bytes, at)
        } else {
            le16(self.bytes, at)
        }
    }

    fn long(&self, at: usize) -> Result<u32, ProbeError> {
        if self.big_endian {
            be32(self.bytes, at)
        } else {
            le32(self.bytes, at)
        }
    }

    /// Where a tag's value stands, and its type.
    fn value_at(&self, tag: u16) -> Result<Option<(usize, u16)>, ProbeError> {
        for index in 0..self.entries {
            let entry = self.at + 2 + index * ENTRY;
            if self.short(entry)? == tag {
                return Ok(Some((entry + 8, self.short(entry + 2)?)));
            }
        }
        Ok(None)
    }

    /// A tag's value, where it is one whole number.
    pub(crate) fn number(&self, tag: u16) -> Result<Option<u32>, ProbeError> {
        match self.value_at(tag)? {
            Some((at, SHORT)) => self.short(at).map(|value| Some(value.into())),
            Some((at, LONG)) => self.long(at).map(Some),
            _ => Ok(None),
        }
    }

    /// Whether it has a tag.
    pub(crate) fn has(&self, tag: u16) -> Result<bool, ProbeError> {
        self.value_at(tag).map(|found| found.is_some())
    }

    /// Where a tag's value stands if it has the tag, and that value's bytes for it to be 1.
    pub(crate) fn one(&self, tag: u16) -> Result<Option<(usize, &'static [u8])>, ProbeError> {
        let found = self.value_at(tag)?;
        Ok(found.map(|(at, kind)| {
            let one: &[u8] = match (kind, self.big_endian) {
                (LONG, true) => &[0, 0, 0, 1],
                (LONG, false) => &[1, 0, 0, 0],
                (_, true) => &[0, 1],
                (_, false) => &[1, 0],
            };
            (at, one)
        }))
    }

    /// Where the place of the next directory stands.
    pub(crate) fn next_at(&self) -> usize {
        self.at + 2 + self.entries * ENTRY
    }
}
