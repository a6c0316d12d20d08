//! WAV and AVI: chunks of RIFF files, also of RF64 files above 4 GB (EBU Tech 3306).

use crate::bytes::{array, le32, le64};

use super::{
    MediaProperties,
    input::{Input, InspectError, Inspected, MAX_ELEMENTS},
};

/// Length of the header of a chunk, in bytes.
const HEADER_BYTES: u64 = 8;
/// Length of the header of a list, in bytes.
const LIST_BYTES: u64 = 12;
/// Microseconds of a second.
const MICROSECONDS: u64 = 1_000_000;

/// Chunk with the range of its data, which may exceed the file.
struct Chunk {
    kind: [u8; 4],
    start: u64,
    size: u64,
}

/// Reads the duration, and the size of a video.
pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    match &input.array(8)? {
        b"WAVE" => read_wave(input, properties),
        b"AVI " => read_avi(input, properties),
        _ => Err(InspectError::Invalid),
    }
}

fn chunk(input: &mut Input, at: u64) -> Inspected<Chunk> {
    let header: [u8; 8] = input.array(at)?;
    Ok(Chunk {
        kind: array(&header, 0)?,
        start: at.saturating_add(HEADER_BYTES),
        size: le32(&header, 4)?.into(),
    })
}

impl Chunk {
    /// Returns the offset of the next chunk.
    fn next(&self) -> u64 {
        self.start
            .saturating_add(self.size)
            .saturating_add(self.size % 2)
    }
}

fn read_wave(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let mut bytes_per_second = 0;
    let mut long_size = None;
    let mut at = LIST_BYTES;

    for _ in 0..MAX_ELEMENTS {
        let found = chunk(input, at)?;
        match &found.kind {
            b"fmt " => {
                let format: [u8; 16] = input.array(found.start)?;
                bytes_per_second = le32(&format, 8)?;
            }
            b"ds64" => {
                let sizes: [u8; 16] = input.array(found.start)?;
                long_size = Some(le64(&sizes, 8)?);
            }
            b"data" => {
                let size = match long_size {
                    Some(size) if found.size == u64::from(u32::MAX) => size,
                    _ => found.size,
                };
                // Recorders that were interrupted have not written the size.
                let available = input.length().saturating_sub(found.start);
                let is_unknown = size == 0 || size > available;
                let size = if is_unknown { available } else { size };
                properties.set_units(size, bytes_per_second.into());
                return Ok(());
            }
            _ => {}
        }

        at = found.next();
    }

    Ok(())
}

fn read_avi(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let mut at = LIST_BYTES;

    for _ in 0..MAX_ELEMENTS {
        let found = chunk(input, at)?;
        match &found.kind {
            // The headers are a list, which is entered.
            b"LIST" if input.array(found.start)? == *b"hdrl" => {
                at = at.saturating_add(LIST_BYTES);
            }
            b"avih" => {
                let header: [u8; 40] = input.array(found.start)?;
                properties.set_size(le32(&header, 32)?, le32(&header, 36)?);
                let frame_time = u64::from(le32(&header, 0)?);
                let frames = u64::from(le32(&header, 16)?);
                properties.set_units(frames * frame_time, MICROSECONDS);
                return Ok(());
            }
            _ => at = found.next(),
        }
    }

    Ok(())
}
