//! Boxes of HEIF files (AVIF and HEIC): the properties of the primary image.

use std::ops::Range;

use crate::{
    ProbeError,
    bytes::{array, be16, be32, length, part},
};

use super::Chunk;

/// Maximum number of properties that are read.
const MAX_PROPERTIES: usize = 1_024;
/// Types of auxiliary images that contain alpha.
const ALPHA: [&[u8]; 2] = [
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
];

/// Properties of the primary image.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Primary {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Counterclockwise quarter turns, 0 to 3.
    pub(crate) turns: u8,
    /// Mirroring after the rotation: 0 vertical, 1 horizontal.
    pub(crate) mirror: Option<u8>,
    pub(crate) has_alpha: bool,
}

/// Reads the box at an offset.
pub(super) fn read_box(bytes: &[u8], at: usize) -> Result<Chunk, ProbeError> {
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
pub(super) fn find(
    bytes: &[u8],
    range: Range<usize>,
    kind: [u8; 4],
) -> Result<Option<Chunk>, ProbeError> {
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

/// Reads the properties of the primary image. Needs the file up to the end of its `meta` box.
pub(crate) fn primary(bytes: &[u8]) -> Result<Primary, ProbeError> {
    let meta = find(bytes, 0..usize::MAX, *b"meta")?;
    let meta = meta.ok_or(ProbeError::Malformed("no meta box"))?;
    // The box is complete, so a reference beyond its end is an error, not truncation.
    parse_meta(meta.data(bytes)?).map_err(|error| match error {
        ProbeError::NeedsMore { .. } => ProbeError::Malformed("a box exceeds its parent"),
        error => error,
    })
}

fn parse_meta(meta: &[u8]) -> Result<Primary, ProbeError> {
    // Version and flags precede the boxes.
    let boxes = 4..meta.len();
    let properties = find(meta, boxes.clone(), *b"iprp")?;
    let properties = properties
        .ok_or(ProbeError::Malformed("no properties box"))?
        .data;
    let container = find(meta, properties.clone(), *b"ipco")?;
    let container = container
        .ok_or(ProbeError::Malformed("no property container"))?
        .data;
    let primary = match find(meta, boxes, *b"pitm")? {
        Some(found) if array::<1>(meta, found.data.start)? == [0] => {
            be16(meta, found.data.start + 4)?.into()
        }
        Some(found) => be32(meta, found.data.start + 4)?,
        None => return Err(ProbeError::Malformed("no primary image")),
    };
    let all = read_properties(meta, container)?;
    let mut found = Primary::default();

    for property in &all {
        found.has_alpha |= is_alpha(meta, property)?;
    }

    for index in property_indices(meta, properties, primary)? {
        // Indices start at 1; 0 means none.
        if let Some(property) = index.checked_sub(1).and_then(|index| all.get(index)) {
            apply_property(&mut found, meta, property)?;
        }
    }

    Ok(found)
}

/// Reads all properties in file order.
fn read_properties(meta: &[u8], range: Range<usize>) -> Result<Vec<Chunk>, ProbeError> {
    let mut known = Vec::new();
    let mut at = range.start;
    while at < range.end && known.len() < MAX_PROPERTIES {
        let property = read_box(meta, at)?;
        at = property.data.end;
        known.push(property);
    }
    Ok(known)
}

fn is_alpha(meta: &[u8], property: &Chunk) -> Result<bool, ProbeError> {
    if property.kind != *b"auxC" {
        return Ok(false);
    }
    let content = property.data(meta)?;
    Ok(ALPHA
        .iter()
        .any(|alpha| content.get(4..).is_some_and(|name| name.starts_with(alpha))))
}

/// Applies a property to the primary image.
fn apply_property(found: &mut Primary, meta: &[u8], property: &Chunk) -> Result<(), ProbeError> {
    let start = property.data.start;
    match &property.kind {
        b"ispe" => {
            found.width = be32(meta, start + 4)?;
            found.height = be32(meta, start + 8)?;
        }
        b"clap" => apply_aperture(found, meta, start)?,
        b"irot" => found.turns = array::<1>(meta, start)?[0] & 0x03,
        b"imir" => found.mirror = Some(array::<1>(meta, start)?[0] & 0x01),
        _ => {}
    }
    Ok(())
}

/// Cuts the image to its clean aperture, whose width and height are fractions (ISO/IEC 14496-12, 12.1.4), rounded. Ignores one that
/// is empty or exceeds the image.
fn apply_aperture(found: &mut Primary, meta: &[u8], start: usize) -> Result<(), ProbeError> {
    let rounded = |at: usize| {
        let numerator = u64::from(be32(meta, start + at)?);
        let denominator = u64::from(be32(meta, start + at + 4)?);
        let side = (numerator + denominator / 2).checked_div(denominator);
        Ok::<_, ProbeError>(side.and_then(|side| u32::try_from(side).ok()))
    };
    if let (Some(width), Some(height)) = (rounded(0)?, rounded(8)?)
        && (1..=found.width).contains(&width)
        && (1..=found.height).contains(&height)
    {
        found.width = width;
        found.height = height;
    }
    Ok(())
}

/// Returns the 1-based indices of an item's properties.
fn property_indices(
    meta: &[u8],
    properties: Range<usize>,
    item: u32,
) -> Result<Vec<usize>, ProbeError> {
    let Some(found) = find(meta, properties, *b"ipma")? else {
        return Ok(Vec::new());
    };
    let start = found.data.start;
    let [version, _, _, flags] = array(meta, start)?;
    let id_bytes = if version >= 1 { 4 } else { 2 };
    // The high bit of an index marks essential properties.
    let (index_bytes, mask) = if flags & 1 == 1 {
        (2, 0x7FFF)
    } else {
        (1, 0x7F)
    };
    let mut reader = Reader {
        bytes: meta,
        at: start + 4,
    };

    for _ in 0..reader.number(4)? {
        let id = reader.number(id_bytes)?;
        let count = reader.number(1)?;
        let indices = (0..count).map(|_| Ok(length(reader.number(index_bytes)? & mask)));
        let indices = indices.collect::<Result<Vec<usize>, ProbeError>>()?;
        if id == u64::from(item) {
            return Ok(indices);
        }
    }
    Ok(Vec::new())
}

/// Reader of big-endian numbers.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl Reader<'_> {
    /// Reads a number of up to 8 bytes; 0 if it has no bytes.
    pub(super) fn number(&mut self, size: u8) -> Result<u64, ProbeError> {
        let data = part(self.bytes, self.at, size.min(8).into())?;
        self.at += data.len();
        Ok(data
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}
