//! Directories of TIFF files, which EXIF data also consists of.

use crate::{
    bytes::{be16, be32, le16, le32, length, part},
    error::ProbeError,
};

pub(crate) const WIDTH: u16 = 256;
pub(crate) const HEIGHT: u16 = 257;
pub(crate) const COMPRESSION: u16 = 259;
pub(crate) const ORIENTATION: u16 = 274;
pub(crate) const SAMPLES_PER_PIXEL: u16 = 277;
pub(crate) const TILE_WIDTH: u16 = 322;
pub(crate) const TILE_HEIGHT: u16 = 323;
pub(crate) const EXTRA_SAMPLES: u16 = 338;
pub(crate) const COLOR_PROFILE: u16 = 34675;

/// Field type of 16-bit numbers.
const SHORT: u16 = 3;
/// Field type of 32-bit numbers.
const LONG: u16 = 4;
/// Length of an entry, in bytes.
const ENTRY: usize = 12;

/// Maximum number of entries of a directory that are read as fields.
const MAX_FIELDS: usize = 512;

/// Entry of a directory with its value.
pub(crate) struct Field<'a> {
    pub(crate) tag: u16,
    /// Number of the field type.
    pub(crate) kind: u16,
    pub(crate) value: &'a [u8],
    is_big_endian: bool,
}

impl Field<'_> {
    /// Returns the bytes of a number of the value in big-endian order.
    pub(crate) fn big_endian<const SIZE: usize>(&self, mut bytes: [u8; SIZE]) -> [u8; SIZE] {
        if !self.is_big_endian {
            bytes.reverse();
        }
        bytes
    }
}

/// Entry of a directory.
#[derive(Clone, Copy)]
struct Entry {
    tag: u16,
    kind: u16,
    /// Number of values.
    count: usize,
    /// Offset of the value, or of the value's offset if it is long.
    at: usize,
}

/// Returns the size of a value of a field type, in bytes; 0 if the type is unknown.
fn type_bytes(field_type: u16) -> usize {
    match field_type {
        1 | 2 | 6 | 7 | 129 => 1,
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 => 8,
        _ => 0,
    }
}

/// Directory of a TIFF.
pub(crate) struct Directory<'a> {
    bytes: &'a [u8],
    big_endian: bool,
    at: usize,
    entries: usize,
}

impl<'a> Directory<'a> {
    /// Reads the first directory.
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

        let first = directory.long(4)?;
        directory.move_to(first)?;
        Ok(directory)
    }

    /// Reads the directory at an offset of the same file.
    pub(crate) fn at(&self, offset: u32) -> Result<Directory<'a>, ProbeError> {
        let mut directory = Directory { ..*self };
        directory.move_to(offset)?;
        Ok(directory)
    }

    fn move_to(&mut self, offset: u32) -> Result<(), ProbeError> {
        self.at = length(offset.into());
        self.entries = self.short(self.at)?.into();
        Ok(())
    }

    /// Returns the offset of the directory.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the offset of the next directory; 0 after the last one.
    pub(crate) fn next_offset(&self) -> Result<u32, ProbeError> {
        self.long(self.next_at())
    }

    fn entries(&self) -> impl Iterator<Item = Result<Entry, ProbeError>> {
        (0..self.entries).map(|index| {
            let at = self.at + 2 + index * ENTRY;
            Ok(Entry {
                tag: self.short(at)?,
                kind: self.short(at + 2)?,
                count: length(self.long(at + 4)?.into()),
                at: at + 8,
            })
        })
    }

    /// Iterates over the entries whose values lie within the file.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'a>> {
        let entries = self.entries().take(MAX_FIELDS);
        entries.filter_map(|entry| self.field(entry.ok()?).ok())
    }

    /// Reads the value of an entry.
    fn field(&self, entry: Entry) -> Result<Field<'a>, ProbeError> {
        let size = entry.count.saturating_mul(type_bytes(entry.kind));
        let value = if size <= 4 {
            entry.at
        } else {
            length(self.long(entry.at)?.into())
        };
        Ok(Field {
            tag: entry.tag,
            kind: entry.kind,
            value: part(self.bytes, value, size)?,
            is_big_endian: self.big_endian,
        })
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

    /// Returns the first entry of a tag.
    fn find(&self, tag: u16) -> Result<Option<Entry>, ProbeError> {
        let is_found = |entry: &Result<Entry, ProbeError>| {
            entry.as_ref().is_ok_and(|entry| entry.tag == tag) || entry.is_err()
        };
        self.entries().find(is_found).transpose()
    }

    /// Returns the value of an entry if it is an integer.
    fn integer(&self, entry: Entry) -> Result<Option<u32>, ProbeError> {
        match entry.kind {
            SHORT => self.short(entry.at).map(|number| Some(number.into())),
            LONG => self.long(entry.at).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the value of a tag if it is an integer.
    pub(crate) fn number(&self, tag: u16) -> Result<Option<u32>, ProbeError> {
        match self.find(tag)? {
            Some(entry) => self.integer(entry),
            None => Ok(None),
        }
    }

    /// Returns the value of a tag. Fails if the tag has several entries, because decoders differ in
    /// the one they use, or if its value is not one integer.
    pub(crate) fn single_number(&self, tag: u16) -> Result<Option<u32>, ProbeError> {
        let mut number = None;
        for entry in self.entries() {
            let entry = entry?;
            if entry.tag != tag {
                continue;
            }
            let value = self.integer(entry)?.filter(|_| entry.count == 1);
            let value = value.ok_or(ProbeError::Malformed("a TIFF field is not one integer"))?;
            if number.replace(value).is_some() {
                return Err(ProbeError::Malformed("a TIFF field occurs twice"));
            }
        }
        Ok(number)
    }

    /// Returns the first value of a tag if it has 16-bit numbers.
    pub(crate) fn first_number(&self, tag: u16) -> Result<Option<u32>, ProbeError> {
        let Some(entry) = self.find(tag)?.filter(|entry| entry.kind == SHORT) else {
            return Ok(None);
        };
        // More than two numbers are stored elsewhere.
        let at = if entry.count > 2 {
            length(self.long(entry.at)?.into())
        } else {
            entry.at
        };
        self.short(at).map(|number| Some(number.into()))
    }

    /// Whether the directory has a tag.
    pub(crate) fn has(&self, tag: u16) -> Result<bool, ProbeError> {
        self.find(tag).map(|found| found.is_some())
    }

    /// Returns where the value of a tag is, and the bytes of the number 1 in its type and byte
    /// order.
    pub(crate) fn encoded_one(
        &self,
        tag: u16,
    ) -> Result<Option<(usize, &'static [u8])>, ProbeError> {
        let found = self.find(tag)?;
        Ok(found.map(|entry| {
            let bytes: &[u8] = match (entry.kind, self.big_endian) {
                (LONG, true) => &[0, 0, 0, 1],
                (LONG, false) => &[1, 0, 0, 0],
                (_, true) => &[0, 1],
                (_, false) => &[1, 0],
            };
            (entry.at, bytes)
        }))
    }

    /// Returns the offset of the field that contains the next directory's offset.
    pub(crate) fn next_at(&self) -> usize {
        self.at + 2 + self.entries * ENTRY
    }
}
