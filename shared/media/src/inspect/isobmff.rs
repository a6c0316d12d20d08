//! MP4, MOV and M4A: boxes of the ISO base media file format (ISO/IEC 14496-12).

use crate::bytes::{array, be16, be32, be64};

use super::{
    MediaProperties,
    input::{Element, Input, InspectError, Inspected, MAX_ELEMENTS},
    seconds,
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

/// What is known of the duration of a movie.
#[derive(Default)]
struct Movie {
    units_per_second: u64,
    /// Seconds of the movie box, which may be a part of a movie that goes on in fragments.
    seconds: Option<f64>,
    /// Seconds that a box names for the movie and all fragments.
    total_seconds: Option<f64>,
    has_fragments: bool,
}

/// Largest difference of two durations that are the same, as a part of them.
const TOLERANCE: f64 = 0.01;

/// Reads the duration of the movie, and the size of its first video track.
pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let mut at = 0;
    for _ in 0..MAX_ELEMENTS {
        if at >= input.length() {
            break;
        }
        let found = header(input, at, u64::MAX)?;
        at = found.end;

        if found.kind == *b"moov" {
            let mut movie = Movie::default();
            read_movie(input, &found, &mut movie, properties)?;
            let seconds = match movie.total_seconds {
                Some(total) => Some(total),
                None if movie.has_fragments => movie.seconds_with_fragments(input, at)?,
                None => movie.seconds,
            };

            if let Some(seconds) = seconds {
                properties.set_duration(seconds);
            }
            break;
        }
    }

    Ok(())
}

impl Movie {
    /// Returns the duration of a movie that may go on in fragments from an offset; `None` if it is
    /// not certain.
    fn seconds_with_fragments(&self, input: &mut Input, start: u64) -> Inspected<Option<f64>> {
        let mut indexed = None;
        let mut at = start;

        for _ in 0..MAX_ELEMENTS {
            if at >= input.length() {
                return Ok(self.agreed_seconds(indexed));
            }

            let found = header(input, at, u64::MAX)?;
            match &found.kind {
                b"sidx" => {
                    let index = SegmentIndex::read(input, &found)?;
                    indexed = Some(indexed.unwrap_or(0.0) + index.seconds);
                    at = index.end;
                }
                b"moof" => return Ok(None),
                _ => at = found.end,
            }
        }

        Ok(None)
    }

    /// Returns the duration in the indexes of fragments, unless the movie box has another one: then
    /// it contains a part.
    fn agreed_seconds(&self, indexed: Option<f64>) -> Option<f64> {
        match (self.seconds, indexed) {
            (Some(seconds), Some(indexed)) => {
                let is_same = (seconds - indexed).abs() <= TOLERANCE * seconds.max(indexed);
                is_same.then_some(indexed)
            }
            (seconds, indexed) => indexed.or(seconds),
        }
    }
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
            b"mvhd" => read_movie_header(&input.content(&child, 32)?, movie)?,
            b"trak" if properties.width.is_none() => read_track(input, &child, properties)?,
            b"mvex" => {
                movie.has_fragments = true;
                for child in children(input, &child)? {
                    if child.kind == *b"mehd" {
                        let header = input.content(&child, 12)?;
                        let units = Some(versioned(&header, 4, 4)?).filter(|units| *units > 0);
                        movie.total_seconds =
                            units.and_then(|units| seconds(units, movie.units_per_second));
                    }
                }
            }
            _ => {}
        }
    }

    Ok(())
}

fn read_movie_header(header: &[u8], movie: &mut Movie) -> Inspected {
    let is_long = header.first() == Some(&1);
    let scale = be32(header, if is_long { 20 } else { 12 })?;
    let units = versioned(header, 16, 24)?;
    movie.units_per_second = scale.into();
    // All bits are set if the duration is unknown; it is 0 if the movie consists of fragments.
    let unknown = if is_long { u64::MAX } else { u32::MAX.into() };
    if units != 0 && units != unknown {
        movie.seconds = seconds(units, scale.into());
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

/// Index of successive fragments (ISO/IEC 14496-12, 8.16.3).
struct SegmentIndex {
    seconds: f64,
    /// Where the indexed fragments end.
    end: u64,
}

impl SegmentIndex {
    fn read(input: &mut Input, found: &MediaBox) -> Inspected<SegmentIndex> {
        let index = input.content(found, MAX_INDEX_BYTES)?;
        let scale = be32(&index, 8)?;
        let is_long = index.first() == Some(&1);
        let first_offset = versioned(&index, 16, 20)?;
        let count_at = if is_long { 30 } else { 22 };
        let count = be16(&index, count_at)?;
        let references = index.get(count_at + 2..).unwrap_or_default();
        let (references, _) = references.as_chunks::<REFERENCE_BYTES>();

        let mut units = 0_u64;
        let mut end = found.end.saturating_add(first_offset);
        for reference in references.iter().take(count.into()) {
            // The high bit is the type of the reference.
            end = end.saturating_add((be32(reference, 0)? & (u32::MAX >> 1)).into());
            units = units.saturating_add(be32(reference, 4)?.into());
        }
        let seconds = seconds(units, scale.into()).ok_or(InspectError::Invalid)?;
        Ok(SegmentIndex { seconds, end })
    }
}
