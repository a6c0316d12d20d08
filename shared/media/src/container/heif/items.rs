//! Items of HEIF files: kinds (`iinf`), places of their data (`iloc`, `idat`) and references
//! (`iref`).

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use crate::{
    bytes::{array, length, part},
    error::ProbeError,
};

use super::{Meta, closed};

/// Maximum number of items of a file. The largest photos of phones have about 200 tiles.
const MAX_ITEMS: usize = 4_096;
/// Maximum number of extents of all items, and of references between them.
const MAX_EXTENTS: usize = 16_384;
const MAX_REFERENCES: usize = 16_384;

/// References from an item to others.
pub(super) struct Reference {
    pub(super) kind: [u8; 4],
    pub(super) from: u32,
    pub(super) to: Vec<u32>,
}

/// Where the data of an item is.
struct Location {
    /// Whether the extents are parts of the `idat` box instead of the file.
    is_in_meta: bool,
    extents: Vec<Range<usize>>,
}

/// The items of a file.
pub(crate) struct Items<'a> {
    meta: Meta<'a>,
    kinds: BTreeMap<u32, [u8; 4]>,
    /// In file order.
    order: Vec<u32>,
    locations: BTreeMap<u32, Location>,
    references: Vec<Reference>,
}

impl<'a> Meta<'a> {
    /// Reads all items. Without a box of items or of their places, there are none.
    pub(crate) fn items(&self) -> Result<Items<'a>, ProbeError> {
        let mut items = Items {
            meta: *self,
            kinds: BTreeMap::new(),
            order: Vec::new(),
            locations: BTreeMap::new(),
            references: Vec::new(),
        };

        if let Some(information) = self.child(*b"iinf")?
            && let Some(locations) = self.child(*b"iloc")?
        {
            items.read_kinds(information)?;
            items.read_locations(locations.start)?;
            items.references = self.references()?;
        }

        Ok(items)
    }

    /// Reads the references between items (ISO/IEC 14496-12, 8.11.12), up to [`MAX_REFERENCES`].
    pub(super) fn references(&self) -> Result<Vec<Reference>, ProbeError> {
        let Some(range) = self.child(*b"iref")? else {
            return Ok(Vec::new());
        };
        let [version] = closed(array(self.content, range.start))?;
        let mut references = Vec::new();
        let mut count = 0;

        for found in self.boxes(range.start.saturating_add(4)..range.end)? {
            let mut reader = self.reader(found.data.start);
            let from = reader.id(version > 0)?;
            let targets = length(reader.number(2)?);
            count += targets;
            if count > MAX_REFERENCES {
                return Err(ProbeError::Malformed("too many references between items"));
            }
            let to = (0..targets).map(|_| reader.id(version > 0));
            references.push(Reference {
                kind: found.kind,
                from,
                to: to.collect::<Result<_, _>>()?,
            });
        }
        Ok(references)
    }
}

impl<'a> Items<'a> {
    /// Returns the type of an item.
    pub(crate) fn kind(&self, item: u32) -> Option<[u8; 4]> {
        self.kinds.get(&item).copied()
    }

    /// Returns the first item of a type.
    pub(super) fn first_of(&self, kind: [u8; 4]) -> Option<u32> {
        let mut items = self.order.iter().copied();
        items.find(|item| self.kind(*item) == Some(kind))
    }

    /// Returns the items that an item refers to by references of a kind.
    pub(crate) fn targets(&self, item: u32, kind: [u8; 4]) -> &[u32] {
        let mut references = self.references.iter();
        let found = references.find(|found| found.from == item && found.kind == kind);
        found.map_or(&[], |found| &found.to)
    }

    /// Returns the data of an item, copied only if it has several parts. Fails if they are larger
    /// than the file, or if the data is not in this file or is constructed from other items.
    pub(crate) fn data(&self, item: u32) -> Result<Cow<'a, [u8]>, ProbeError> {
        let location = self.locations.get(&item);
        let location = location.ok_or(ProbeError::Malformed("an item without data"))?;
        let source = if location.is_in_meta {
            let range = self.meta.child(*b"idat")?;
            let range = range.ok_or(ProbeError::Malformed("no box of item data"))?;
            &self.meta.content[range]
        } else {
            self.meta.file
        };
        let read = |extent: &Range<usize>| {
            let end = if extent.end == usize::MAX {
                source.len()
            } else {
                extent.end
            };
            let count = end.saturating_sub(extent.start);
            let data = part(source, extent.start, count);
            if location.is_in_meta {
                closed(data)
            } else {
                data
            }
        };

        if let [extent] = &location.extents[..] {
            return read(extent).map(Cow::Borrowed);
        }
        let mut joined = Vec::new();
        for extent in &location.extents {
            joined.extend_from_slice(read(extent)?);
            if joined.len() > self.meta.file.len() {
                return Err(ProbeError::Malformed("an item larger than the file"));
            }
        }
        Ok(Cow::Owned(joined))
    }

    /// Reads the types of items (ISO/IEC 14496-12, 8.11.6).
    fn read_kinds(&mut self, range: Range<usize>) -> Result<(), ProbeError> {
        let content = self.meta.content;
        let [version] = closed(array(content, range.start))?;
        let count_bytes = if version == 0 { 2 } else { 4 };

        let entries = range.start.saturating_add(4 + count_bytes)..range.end;
        for entry in self.meta.boxes(entries)? {
            if entry.kind != *b"infe" {
                continue;
            }
            let start = entry.data.start;
            let [version] = closed(array(content, start))?;
            if !matches!(version, 2 | 3) {
                continue;
            }
            let mut reader = self.meta.reader(start.saturating_add(4));
            let id = reader.id(version == 3)?;
            // The index of its protection precedes the type.
            let kind = closed(array(content, reader.at.saturating_add(2)))?;
            if self.kinds.insert(id, kind).is_none() {
                self.order.push(id);
            }
        }
        Ok(())
    }

    /// Reads where the data of items is (ISO/IEC 14496-12, 8.11.3), up to [`MAX_ITEMS`] items and
    /// [`MAX_EXTENTS`] extents. Items in other files or constructed from other items have none.
    fn read_locations(&mut self, start: usize) -> Result<(), ProbeError> {
        let [version, _, _, _, sizes, more_sizes] = closed(array(self.meta.content, start))?;
        let has_method = matches!(version, 1 | 2);
        let index_bytes = if has_method { more_sizes & 15 } else { 0 };
        let mut reader = self.meta.reader(start + 6);
        let count = reader.number(if version < 2 { 2 } else { 4 })?;
        let mut extent_count = 0;

        for _ in 0..count.min(MAX_ITEMS as u64) {
            let id = reader.id(version >= 2)?;
            let method = if has_method {
                reader.number(2)? & 15
            } else {
                0
            };
            let source = reader.number(2)?;
            let base = reader.number(more_sizes >> 4)?;
            let extents = length(reader.number(2)?);
            extent_count += extents;
            if extent_count > MAX_EXTENTS {
                return Err(ProbeError::Malformed("too many extents of items"));
            }

            let mut location = Location {
                is_in_meta: method == 1,
                extents: Vec::with_capacity(extents),
            };
            for _ in 0..extents {
                reader.number(index_bytes)?;
                let offset = length(base.saturating_add(reader.number(sizes >> 4)?));
                let bytes = match length(reader.number(sizes & 15)?) {
                    // Up to the end.
                    0 => usize::MAX,
                    bytes => bytes,
                };
                location.extents.push(offset..offset.saturating_add(bytes));
            }
            if method <= 1 && source == 0 && extents > 0 {
                self.locations.insert(id, location);
            }
        }
        Ok(())
    }
}
