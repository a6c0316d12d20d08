//! Items of HEIF files (AVIF and HEIC): where EXIF data is (ISO/IEC 14496-12, 8.11, and 23008-12,
//! annex A).

use std::ops::Range;

use crate::{
    ProbeError,
    bytes::{array, be16, be32, length, part},
};

use super::heif::{Reader, find, read_box};

/// Maximum number of items that are searched.
const MAX_ITEMS: usize = 4_096;

/// Returns the EXIF data as a TIFF structure. Needs the file up to the end of this data.
pub(crate) fn exif(bytes: &[u8]) -> Result<Option<&[u8]>, ProbeError> {
    let Some(meta) = find(bytes, 0..usize::MAX, *b"meta")? else {
        return Ok(None);
    };
    let meta = meta.data(bytes)?;
    // Version and flags precede the boxes.
    let boxes = 4..meta.len();
    let Some(information) = find(meta, boxes.clone(), *b"iinf")? else {
        return Ok(None);
    };
    let Some(locations) = find(meta, boxes, *b"iloc")? else {
        return Ok(None);
    };

    let Some(item) = exif_item(meta, information.data)? else {
        return Ok(None);
    };
    let Some(extent) = extent(meta, locations.data.start, item)? else {
        return Ok(None);
    };
    let data = part(bytes, extent.start, extent.len())?;
    // The data starts with the distance from its length field to the TIFF header.
    let start = length(be32(data, 0)?.into()).saturating_add(4);
    Ok(data.get(start..))
}

/// Returns the id of the item with EXIF data.
fn exif_item(meta: &[u8], information: Range<usize>) -> Result<Option<u32>, ProbeError> {
    let [version] = array(meta, information.start)?;
    let count_bytes = if version == 0 { 2 } else { 4 };
    let mut at = information.start.saturating_add(4 + count_bytes);

    for _ in 0..MAX_ITEMS {
        if at >= information.end {
            return Ok(None);
        }
        let entry = read_box(meta, at)?;
        let start = entry.data.start;
        at = entry.data.end;
        if entry.kind != *b"infe" {
            continue;
        }
        let [version] = array(meta, start)?;
        let id = match version {
            2 => Some((be16(meta, start + 4)?.into(), start + 8)),
            3 => Some((be32(meta, start + 4)?, start + 10)),
            _ => None,
        };
        if let Some((id, kind)) = id
            && array(meta, kind)? == *b"Exif"
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Returns the range of an item in the file, if it has one part that is stored there.
fn extent(meta: &[u8], start: usize, item: u32) -> Result<Option<Range<usize>>, ProbeError> {
    let [version, _, _, _, sizes, more_sizes] = array(meta, start)?;
    let has_method = matches!(version, 1 | 2);
    let mut reader = Reader {
        bytes: meta,
        at: start + 6,
    };
    let count = reader.number(if version < 2 { 2 } else { 4 })?;

    for _ in 0..count.min(MAX_ITEMS as u64) {
        let id = reader.number(if version < 2 { 2 } else { 4 })?;
        let method = if has_method {
            reader.number(2)? & 15
        } else {
            0
        };
        let source = reader.number(2)?;
        let base = reader.number(more_sizes >> 4)?;
        let extents = reader.number(2)?;
        for _ in 0..extents.min(MAX_ITEMS as u64) {
            if has_method {
                reader.number(more_sizes & 15)?;
            }
            let offset = length(base.saturating_add(reader.number(sizes >> 4)?));
            let bytes = length(reader.number(sizes & 15)?);
            if id == u64::from(item) {
                let is_in_file = method == 0 && source == 0 && extents == 1;
                return Ok(is_in_file.then(|| offset..offset.saturating_add(bytes)));
            }
        }
    }
    Ok(None)
}
