//! MP4, MOV and M4A: boxes of the ISO base media file format (ISO/IEC 14496-12).

use crate::bytes::{array, be16, be32, be64};

use super::{
    MediaProperties,
    input::{Element, Input, InspectError, Inspected, MAX_ELEMENTS},
};

/// Maximum length of a segment index that is read, in bytes: that of 65,535 references.
const MAX_INDEX_BYTES: usize = 32 + 65_535 * REFERENCE_BYTES;
/// Length of a reference of a segment index, in bytes.
const REFERENCE_BYTES: usize = 12;
/// Length of the content of a track header, in bytes.
const TRACK_HEADER_BYTES: usize = 96;

/// Box with the range of its content in the file.
type MediaBox = Element<[u8; 4]>;

/// Minimum length of the header of a box. `QuickTime` files end lists with fewer bytes.
const HEADER_BYTES: u64 = 8;

/// Properties of a movie that the reading of further boxes depends on.
#[derive(Default)]
struct Movie {
    units_per_second: u64,
    /// Whether there is a duration, so that fragments do not matter.
    is_complete: bool,
}

/// Reads the duration of the movie, and the size of its first video track.
pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let mut movie = Movie::default();
    let mut has_movie = false;
    let mut at = 0;

    for _ in 0..MAX_ELEMENTS {
        if at >= input.length() {
            break;
        }
        let found = header(input, at, u64::MAX)?;
        match &found.kind {
            b"moov" => {
                read_movie(input, &found, &mut movie, properties)?;
                has_movie = true;
            }
            b"sidx" if has_movie => return read_index(input, &found, properties),
            // An index of a fragmented movie precedes its fragments.
            b"moof" => break,
            _ => {}
        }
        if has_movie && movie.is_complete {
            break;
        }
        at = found.end;
    }
    Ok(())
}

/// Reads the header of a box that must end before a limit.
fn header(input: &mut Input, at: u64, limit: u64) -> Inspected<MediaBox> {
    let head: [u8; 8] = input.array(at)?;
    let (header, size) = match be32(&head, 0)? {
        0 => (8, limit.min(input.length()).saturating_sub(at)),
        1 => (16, u64::from_be_bytes(input.array(at.saturating_add(8))?)),
        size => (8, size.into()),
    };
    let end = at.checked_add(size).ok_or(InspectError::Invalid)?;
    if size < header || end > limit {
        return Err(InspectError::Invalid);
    }
    Ok(MediaBox {
        kind: array(&head, 4)?,
        start: at + header,
        end,
    })
}

fn children(input: &mut Input, parent: &MediaBox) -> Inspected<Vec<MediaBox>> {
    parent.children(input, HEADER_BYTES, header)
}

fn read_movie(
    input: &mut Input,
    found: &MediaBox,
    movie: &mut Movie,
    properties: &mut MediaProperties,
) -> Inspected {
    for child in children(input, found)? {
        match &child.kind {
            b"mvhd" => read_movie_header(&input.content(&child, 32)?, movie, properties)?,
            b"trak" if properties.width.is_none() => read_track(input, &child, properties)?,
            b"mvex" if !movie.is_complete => {
                for child in children(input, &child)? {
                    if child.kind == *b"mehd" {
                        let header = input.content(&child, 12)?;
                        let units = versioned(&header, 4, 4)?;
                        properties.set_units(units, movie.units_per_second);
                        movie.is_complete = units > 0;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn read_movie_header(
    header: &[u8],
    movie: &mut Movie,
    properties: &mut MediaProperties,
) -> Inspected {
    let is_long = header.first() == Some(&1);
    let scale = be32(header, if is_long { 20 } else { 12 })?;
    let units = versioned(header, 16, 24)?;
    movie.units_per_second = scale.into();
    // All bits are set if the duration is unknown; it is 0 if the movie consists of fragments.
    let unknown = if is_long { u64::MAX } else { u32::MAX.into() };
    if units != 0 && units != unknown {
        properties.set_units(units, scale.into());
        movie.is_complete = true;
    }
    Ok(())
}

/// Reads a number of 32 bits in version 0 of a box, and of 64 bits in version 1, at their offsets.
fn versioned(bytes: &[u8], short_at: usize, long_at: usize) -> Inspected<u64> {
    Ok(if bytes.first() == Some(&1) {
        be64(bytes, long_at)?
    } else {
        be32(bytes, short_at)?.into()
    })
}

/// Reads the size of a track if it is a video.
fn read_track(input: &mut Input, track: &MediaBox, properties: &mut MediaProperties) -> Inspected {
    let boxes = children(input, track)?;
    let Some(media) = boxes.iter().find(|child| child.kind == *b"mdia") else {
        return Ok(());
    };
    let Some(head) = boxes.iter().find(|child| child.kind == *b"tkhd") else {
        return Ok(());
    };
    for child in children(input, media)? {
        if child.kind == *b"hdlr" {
            let handler = input.content(&child, 12)?;
            if array(&handler, 8)? != *b"vide" {
                return Ok(());
            }
            let header = input.content(head, TRACK_HEADER_BYTES)?;
            return read_size(&header, properties);
        }
    }
    Ok(())
}

fn read_size(header: &[u8], properties: &mut MediaProperties) -> Inspected {
    let matrix = if header.first() == Some(&1) { 52 } else { 40 };
    // Numbers with 16 fractional bits.
    let width = be32(header, matrix + 36)? >> 16;
    let height = be32(header, matrix + 40)? >> 16;
    let is_turned = be32(header, matrix)? == 0 && be32(header, matrix + 16)? == 0;
    if is_turned {
        properties.set_size(height, width);
    } else {
        properties.set_size(width, height);
    }
    Ok(())
}

/// Reads the duration of a fragmented movie from its segment index.
fn read_index(input: &mut Input, found: &MediaBox, properties: &mut MediaProperties) -> Inspected {
    let index = input.content(found, MAX_INDEX_BYTES)?;
    let scale = be32(&index, 8)?;
    let count_at = if index.first() == Some(&1) { 30 } else { 22 };
    let count = be16(&index, count_at)?;
    let references = index.get(count_at + 2..).unwrap_or_default();
    let (references, _) = references.as_chunks::<REFERENCE_BYTES>();

    let mut units = 0_u64;
    for reference in references.iter().take(count.into()) {
        units = units.saturating_add(be32(reference, 4)?.into());
    }
    properties.set_units(units, scale.into());
    Ok(())
}
