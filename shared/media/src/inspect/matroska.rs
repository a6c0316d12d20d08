//! `WebM` and Matroska: EBML elements (RFC 8794, RFC 9559).

use crate::bytes::array;

use super::{
    MediaProperties,
    input::{Element, Input, InspectError, Inspected, MAX_ELEMENTS, number},
};

/// Element with the range of its content in the file.
type EbmlElement = Element<u32>;

/// Maximum length of a number, in bytes.
const NUMBER_BYTES: usize = 8;
/// Nanoseconds of a tick of a segment without its own scale.
const DEFAULT_SCALE: u32 = 1_000_000;
/// Nanoseconds of a second.
const NANOSECONDS: f64 = 1e9;

const SEGMENT: u32 = 0x1853_8067;
const INFORMATION: u32 = 0x1549_A966;
const SCALE: u32 = 0x002A_D7B1;
const DURATION: u32 = 0x4489;
const TRACKS: u32 = 0x1654_AE6B;
const TRACK: u32 = 0xAE;
const VIDEO: u32 = 0xE0;
const PIXEL_WIDTH: u32 = 0xB0;
const PIXEL_HEIGHT: u32 = 0xBA;
const DISPLAY_WIDTH: u32 = 0x54B0;
const DISPLAY_HEIGHT: u32 = 0x54BA;
const DISPLAY_UNIT: u32 = 0x54B2;
const CLUSTER: u32 = 0x1F43_B675;

/// Reads the duration, and the size of the first video track.
pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let length = input.length();
    let head = element(input, 0, length)?;
    let segment = element(input, head.end, length)?;
    if segment.kind != SEGMENT {
        return Err(InspectError::Invalid);
    }

    let mut at = segment.start;
    let mut found = 0;
    for _ in 0..MAX_ELEMENTS {
        if at >= segment.end || found == 2 {
            break;
        }
        let child = element(input, at, segment.end)?;
        match child.kind {
            INFORMATION => {
                read_information(input, &child, properties)?;
                found += 1;
            }
            TRACKS => {
                read_tracks(input, &child, properties)?;
                found += 1;
            }
            // Audio and video follow.
            CLUSTER => break,
            _ => {}
        }
        at = child.end;
    }
    Ok(())
}

/// Reads the header of an element, which is cut at a limit. One of unknown length ends there.
fn element(input: &mut Input, at: u64, limit: u64) -> Inspected<EbmlElement> {
    let head = input.read_up_to(at, 12)?;
    let first = *head.first().ok_or(InspectError::Invalid)?;
    let id_length = first.leading_zeros() as usize + 1;
    if id_length > 4 {
        return Err(InspectError::Invalid);
    }
    let id_bytes = head.get(..id_length).ok_or(InspectError::Invalid)?;
    let id = number(id_bytes);

    let first = *head.get(id_length).ok_or(InspectError::Invalid)?;
    let size_length = first.leading_zeros() as usize + 1;
    let size_bytes = head.get(id_length..id_length + size_length);
    let size = number(size_bytes.ok_or(InspectError::Invalid)?);
    // The length of the number is the position of its highest bit.
    let bits = 7 * u32::try_from(size_length).unwrap_or(8);
    if bits > 56 {
        return Err(InspectError::Invalid);
    }
    let unknown = (1_u64 << bits) - 1;
    let size = size & unknown;

    let start = at.saturating_add((id_length + size_length) as u64);
    let end = if size == unknown {
        limit
    } else {
        start.saturating_add(size).min(limit)
    };
    Ok(EbmlElement {
        kind: u32::try_from(id).map_err(|_| InspectError::Invalid)?,
        start,
        end: end.max(start),
    })
}

fn children(input: &mut Input, parent: &EbmlElement) -> Inspected<Vec<EbmlElement>> {
    parent.children(input, 1, element)
}

fn read_information(
    input: &mut Input,
    information: &EbmlElement,
    properties: &mut MediaProperties,
) -> Inspected {
    let mut scale = DEFAULT_SCALE;
    let mut ticks = None;

    for child in children(input, information)? {
        match child.kind {
            SCALE => {
                let nanoseconds = number(&input.content(&child, NUMBER_BYTES)?);
                scale = u32::try_from(nanoseconds).map_err(|_| InspectError::Invalid)?;
            }
            DURATION => ticks = Some(float(&input.content(&child, NUMBER_BYTES)?)?),
            _ => {}
        }
    }

    if let Some(ticks) = ticks {
        properties.set_duration(ticks * f64::from(scale) / NANOSECONDS);
    }
    Ok(())
}

fn float(bytes: &[u8]) -> Inspected<f64> {
    match bytes.len() {
        4 => Ok(f32::from_be_bytes(array(bytes, 0)?).into()),
        8 => Ok(f64::from_be_bytes(array(bytes, 0)?)),
        _ => Err(InspectError::Invalid),
    }
}

fn read_tracks(
    input: &mut Input,
    tracks: &EbmlElement,
    properties: &mut MediaProperties,
) -> Inspected {
    for track in children(input, tracks)? {
        if track.kind != TRACK || properties.width.is_some() {
            continue;
        }
        for child in children(input, &track)? {
            if child.kind == VIDEO {
                read_video(input, &child, properties)?;
            }
        }
    }
    Ok(())
}

/// Reads the size of a video. The size for display counts if it is in pixels.
fn read_video(
    input: &mut Input,
    video: &EbmlElement,
    properties: &mut MediaProperties,
) -> Inspected {
    let mut width = 0;
    let mut height = 0;
    let mut display_width = None;
    let mut display_height = None;
    let mut is_in_pixels = true;

    for child in children(input, video)? {
        let number =
            u32::try_from(number(&input.content(&child, NUMBER_BYTES)?)).unwrap_or(u32::MAX);
        match child.kind {
            PIXEL_WIDTH => width = number,
            PIXEL_HEIGHT => height = number,
            DISPLAY_WIDTH => display_width = Some(number),
            DISPLAY_HEIGHT => display_height = Some(number),
            DISPLAY_UNIT => is_in_pixels = number == 0,
            _ => {}
        }
    }

    properties.set_size(width, height);
    if is_in_pixels && let (Some(width), Some(height)) = (display_width, display_height) {
        properties.set_size(width, height);
    }
    Ok(())
}
