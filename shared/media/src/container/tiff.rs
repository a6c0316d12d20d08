//! Directories of TIFF files, which EXIF data also consists of.

use crate::{
    ProbeError,
    bytes::{be16, be32, le16, le32, length, part},
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
}

/// Value of an entry: its offset and field type.
struct Value {
    at: usize,
    field_type: u16,
}

/// Encoding of the number 1 as the value of an entry.
pub(crate) struct EncodedOne {
    /// Offset of the value.
    pub(crate) at: usize,
    /// Bytes of the number 1 in the value's type and byte order.
    pub(crate) bytes: &'static [u8],
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

    /// Whether numbers are big-endian.
    pub(crate) fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Iterates over the entries whose values lie within the file.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'a>> {
        let indices = 0..self.entries.min(MAX_FIELDS);
        indices.filter_map(|index| self.field(self.at + 2 + index * ENTRY).ok())
    }

    /// Reads the entry at an offset.
    fn field(&self, at: usize) -> Result<Field<'a>, ProbeError> {
        let kind = self.short(at + 2)?;
        let count = length(self.long(at + 4)?.into());
        let size = count.saturating_mul(type_bytes(kind));
        let value = if size <= 4 {
            at + 8
        } else {
            length(self.long(at + 8)?.into())
        };
        Ok(Field {
            tag: self.short(at)?,
            kind,
            value: part(self.bytes, value, size)?,
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

    /// Finds the value of a tag.
    fn value(&self, tag: u16) -> Result<Option<Value>, ProbeError> {
        for index in 0..self.entries {
            let entry = self.at + 2 + index * ENTRY;
            if self.short(entry)? == tag {
                return Ok(Some(Value {
                    at: entry + 8,
                    field_type: self.short(entry + 2)?,
                }));
            }
        }
        Ok(None)
    }

    /// Returns the value of a tag if it is an integer.
    pub(crate) fn number(&self, tag: u16) -> Result<Option<u32>, ProbeError> {
        let Some(value) = self.value(tag)? else {
            return Ok(None);
        };
        match value.field_type {
            SHORT => self.short(value.at).map(|number| Some(number.into())),
            LONG => self.long(value.at).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the value of a tag. Fails if the tag has several entries, because decoders differ in the one
    /// they use, or if its value is not one integer.
    pub(crate) fn single_number(&self, tag: u16) -> Result<Option<u32>, ProbeError> {
        let mut number = None;
        for index in 0..self.entries {
            let entry = self.at + 2 + index * ENTRY;
            if self.short(entry)? != tag {
                continue;
            }
            let is_single = self.long(entry + 4)? == 1;
            let value = match self.short(entry + 2)? {
                SHORT if is_single => self.short(entry + 8)?.into(),
                LONG if is_single => self.long(entry + 8)?,
                _ => return Err(ProbeError::Malformed("a TIFF field is not one integer")),
            };
            if number.replace(value).is_some() {
                return Err(ProbeError::Malformed("a TIFF field occurs twice"));
            }
        }
        Ok(number)
    }

    /// Returns the first value of a tag if it has 16-bit numbers.
    pub(crate) fn first_number(&self, tag: u16) -> Result<Option<u32>, ProbeError> {
        let Some(value) = self.value(tag)? else {
            return Ok(None);
        };
        if value.field_type != SHORT {
            return Ok(None);
        }
        // More than two numbers are stored elsewhere.
        let at = if self.long(value.at - 4)? > 2 {
            length(self.long(value.at)?.into())
        } else {
            value.at
        };
        self.short(at).map(|number| Some(number.into()))
    }

    /// Whether the directory has a tag.
    pub(crate) fn has(&self, tag: u16) -> Result<bool, ProbeError> {
        self.value(tag).map(|found| found.is_some())
    }

    /// Returns the bytes that set the value of a tag to 1, if the directory has the tag.
    pub(crate) fn encoded_one(&self, tag: u16) -> Result<Option<EncodedOne>, ProbeError> {
        let found = self.value(tag)?;
        Ok(found.map(|value| {
            let bytes: &[u8] = match (value.field_type, self.big_endian) {
                (LONG, true) => &[0, 0, 0, 1],
                (LONG, false) => &[1, 0, 0, 0],
                (_, true) => &[0, 1],
                (_, false) => &[1, 0],
            };
            EncodedOne {
                at: value.at,
                bytes,
            }
        }))
    }

    /// Returns the offset of the field that contains the next directory's offset.
    pub(crate) fn next_at(&self) -> usize {
        self.at + 2 + self.entries * ENTRY
    }
}
