//! HEIF's boxes, in which AVIF and HEIC come: what the primary image is like.

use std::ops::Range;

use crate::{
    ProbeError,
    bytes::{array, be16, be32, length, part},
};

/// Most properties of a file that are looked at.
const PROPERTIES: usize = 1_024;
/// What an auxiliary image is whose values are the other's opacity.
const ALPHA: [&[u8]; 2] = [
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
];

/// What the boxes say of the primary image.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Primary {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Quarter turns against the clock, 0 to 3.
    pub(crate) turns: u8,
    /// Mirrored after turning: 0 top to bottom, 1 left to right.
    pub(crate) mirror: Option<u8>,
    pub(crate) has_alpha: bool,
}

/// A box: its kind, and where its content is, which may be beyond the bytes given.
struct Part {
    kind: [u8; 4],
    content: Range<usize>,
}

/// The box at a place.
fn part_at(bytes: &[u8], at: usize) -> Result<Part, ProbeError> {
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
    Ok(Part {
        kind,
        content: at.saturating_add(header)..at.saturating_add(size),
    })
}

/// The first box of a kind within a range.
fn find(bytes: &[u8], range: Range<usize>, kind: [u8; 4]) -> Result<Option<Part>, ProbeError> {
    let mut at = range.start;
    while at < range.end {
        let found = part_at(bytes, at)?;
        if found.kind == kind {
            return Ok(Some(found));
        }
        at = found.content.end;
    }
    Ok(None)
}

/// What a file says of its primary image. Needs the file up to the end of its `meta` box.
pub(crate) fn primary(bytes: &[u8]) -> Result<Primary, ProbeError> {
    let absent = |what| move || ProbeError::Malformed(what);
    let meta = find(bytes, 0..usize::MAX, *b"meta")?
        .ok_or_else(absent("no meta box"))?
        .content;
    let meta_bytes = part(bytes, meta.start, meta.len())?;
    // The whole box is here: whatever goes beyond it is wrong, not late.
    of_meta(meta_bytes).map_err(|error| match error {
        ProbeError::NeedsMore { .. } => ProbeError::Malformed("a box beyond the box that it is in"),
        error => error,
    })
}

fn of_meta(meta: &[u8]) -> Result<Primary, ProbeError> {
    let absent = |what| move || ProbeError::Malformed(what);
    // Version and flags come before the boxes.
    let within = 4..meta.len();
    let properties = find(meta, within.clone(), *b"iprp")?
        .ok_or_else(absent("no properties box"))?
        .content;
    let container = find(meta, properties.clone(), *b"ipco")?
        .ok_or_else(absent("no property container"))?
        .content;
    let primary = match find(meta, within, *b"pitm")? {
        Some(found) if array::<1>(meta, found.content.start)? == [0] => {
            be16(meta, found.content.start + 4)?.into()
        }
        Some(found) => be32(meta, found.content.start + 4)?,
        None => return Err(ProbeError::Malformed("no primary image")),
    };
    let known = containers(meta, container)?;
    let mut found = Primary::default();
    for property in &known {
        found.has_alpha |= is_alpha(meta, property)?;
    }
    for index in associations(meta, properties, primary)? {
        // Numbered from 1; 0 is none.
        if let Some(property) = index.checked_sub(1).and_then(|index| known.get(index)) {
            take(&mut found, meta, property)?;
        }
    }
    Ok(found)
}

/// All properties, in their order.
fn containers(meta: &[u8], range: Range<usize>) -> Result<Vec<Part>, ProbeError> {
    let mut known = Vec::new();
    let mut at = range.start;
    while at < range.end && known.len() < PROPERTIES {
        let property = part_at(meta, at)?;
        at = property.content.end;
        known.push(property);
    }
    Ok(known)
}

fn is_alpha(meta: &[u8], property: &Part) -> Result<bool, ProbeError> {
    if property.kind != *b"auxC" {
        return Ok(false);
    }
    let content = part(meta, property.content.start, property.content.len())?;
    Ok(ALPHA
        .iter()
        .any(|alpha| content.get(4..).is_some_and(|name| name.starts_with(alpha))))
}

/// Takes over what a property says of the primary image.
fn take(found: &mut Primary, meta: &[u8], property: &Part) -> Result<(), ProbeError> {
    let start = property.content.start;
    match &property.kind {
        b"ispe" => (found.width, found.height) = (be32(meta, start + 4)?, be32(meta, start + 8)?),
        b"irot" => found.turns = array::<1>(meta, start)?[0] & 0x03,
        b"imir" => found.mirror = Some(array::<1>(meta, start)?[0] & 0x01),
        _ => {}
    }
    Ok(())
}

/// The numbers of an item's properties.
fn associations(
    meta: &[u8],
    properties: Range<usize>,
    item: u32,
) -> Result<Vec<usize>, ProbeError> {
    let Some(found) = find(meta, properties, *b"ipma")? else {
        return Ok(Vec::new());
    };
    let start = found.content.start;
    let [version, _, _, flags] = array(meta, start)?;
    let (wide_ids, wide_indices) = (version >= 1, flags & 1 == 1);
    let mut at = start + 8;
    for _ in 0..be32(meta, start + 4)? {
        let id = if wide_ids {
            be32(meta, at)?
        } else {
            be16(meta, at)?.into()
        };
        at += if wide_ids { 4 } else { 2 };
        let [count] = array(meta, at)?;
        at += 1;
        let step = if wide_indices { 2 } else { 1 };
        if id != item {
            at += step * usize::from(count);
            continue;
        }
        let index = |number: usize| {
            let at = at + number * step;
            // The high bit says that a reader must understand the property.
            if wide_indices {
                be16(meta, at).map(|index| index & 0x7FFF)
            } else {
                Ok((array::<1>(meta, at)?[0] & 0x7F).into())
            }
        };
        return (0..usize::from(count))
            .map(|number| index(number).map(usize::from))
            .collect();
    }
    Ok(Vec::new())
}
