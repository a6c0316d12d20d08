//! Chunks of WebP files.

use std::ops::Range;

use crate::{
    bytes::{array, le24, le32, length},
    error::ProbeError,
    pixels::Rectangle,
};

use super::Chunk;
use domain::naming::ImageSize;

/// Length of the header before the first chunk, in bytes.
pub(crate) const HEADER: usize = 12;

// Flags of an extended file.
pub(crate) const ANIMATED: u8 = 0x02;
pub(crate) const HAS_XMP: u8 = 0x04;
pub(crate) const HAS_EXIF: u8 = 0x08;
pub(crate) const HAS_ALPHA: u8 = 0x10;
pub(crate) const HAS_PROFILE: u8 = 0x20;

/// Maximum duration of an animation's frame.
const MAX_MILLISECONDS: u32 = (1 << 24) - 1;

/// Iterator over the chunks of a WebP.
pub(crate) struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Chunks<'a> {
    /// Starts after the header, and ends at the file length in the header.
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Chunks<'a>, ProbeError> {
        let end = length(u64::from(le32(bytes, 4)?) + 8);
        Ok(Chunks {
            bytes,
            at: HEADER,
            end,
        })
    }

    /// Starts at the chunks inside a range, such as those of a frame.
    pub(crate) fn within(bytes: &'a [u8], range: Range<usize>) -> Chunks<'a> {
        Chunks {
            bytes,
            at: range.start,
            end: range.end,
        }
    }

    /// Returns the next chunk; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Chunk>, ProbeError> {
        // A single byte at the end is padding that the encoder did not count.
        if self.at + 8 > self.end {
            return Ok(None);
        }

        let kind = array(self.bytes, self.at)?;
        let data = length(le32(self.bytes, self.at + 4)?.into());
        let start = self.at + 8;
        if start + data > self.end {
            return Err(ProbeError::Malformed(
                "a WebP chunk exceeds the file length",
            ));
        }

        self.at = start + data + data % 2;
        Ok(Some(Chunk {
            kind,
            data: start..start + data,
        }))
    }

    /// Returns the first remaining chunk of a kind.
    pub(crate) fn find(&mut self, kind: [u8; 4]) -> Result<Option<Chunk>, ProbeError> {
        while let Some(chunk) = self.next()? {
            if chunk.kind == kind {
                return Ok(Some(chunk));
            }
        }
        Ok(None)
    }
}

/// Iterates over the chunks of a whole file, up to its end or its damaged part. Fails if they
/// contain no complete image.
pub(crate) fn whole_chunks(bytes: &[u8]) -> Result<impl Iterator<Item = Chunk>, ProbeError> {
    let mut chunks = Chunks::of(bytes)?;
    while let Some(chunk) = chunks.next()? {
        chunk.data(bytes)?;
        if matches!(&chunk.kind, b"VP8 " | b"VP8L" | b"ANMF") {
            let mut all = Chunks::of(bytes)?;
            let next = move || all.next().ok().flatten();
            return Ok(std::iter::from_fn(next).take_while(|chunk| chunk.data(bytes).is_ok()));
        }
    }
    Err(ProbeError::Malformed("a WebP without pixels"))
}

/// Returns a whole file with its undamaged chunks alone.
pub(crate) fn repaired(bytes: &[u8]) -> Result<Vec<u8>, ProbeError> {
    let mut repaired = begin();
    for chunk in whole_chunks(bytes)? {
        push(&mut repaired, chunk.kind, chunk.data(bytes)?);
    }
    Ok(end(repaired))
}

/// Length of the data of the chunk that starts an extended file, in bytes.
const EXTENDED_HEADER: usize = 10;

/// Returns the canvas of an extended file.
pub(crate) fn canvas(bytes: &[u8], extended: &Chunk) -> Result<ImageSize, ProbeError> {
    if extended.data.len() < EXTENDED_HEADER {
        return Err(ProbeError::Malformed("the header of a WebP is too short"));
    }
    let start = extended.data.start;
    Ok(ImageSize::new(
        le24(bytes, start + 4)? + 1,
        le24(bytes, start + 7)? + 1,
    ))
}

/// Returns the data of the chunk that starts an extended file: flags and canvas.
pub(crate) fn extended_header(flags: u8, canvas: ImageSize) -> [u8; EXTENDED_HEADER] {
    let [width, height] = [canvas.width, canvas.height].map(side_bytes);
    [
        flags, 0, 0, 0, width[0], width[1], width[2], height[0], height[1], height[2],
    ]
}

/// Returns a side as it is stored: one less, in 24 bits.
pub(crate) fn side_bytes(side: u32) -> [u8; 3] {
    let [low, middle, high, _] = (side - 1).to_le_bytes();
    [low, middle, high]
}

/// Length of the header of an animation's frame, in bytes.
pub(crate) const ANIMATION_FRAME_HEADER: usize = 16;
/// Flag of an animation's frame: it replaces the pixels below it, instead of being blended.
pub(crate) const REPLACES: u8 = 0x02;
/// Flag of an animation's frame: its pixels are cleared before the next one.
pub(crate) const IS_CLEARED: u8 = 0x01;

/// Header of an animation's frame.
pub(crate) struct AnimationFrameHeader {
    pub(crate) area: Rectangle,
    pub(crate) milliseconds: u32,
    pub(crate) flags: u8,
}

impl AnimationFrameHeader {
    /// Reads the header of an `ANMF` chunk.
    pub(crate) fn read(bytes: &[u8], chunk: &Chunk) -> Result<AnimationFrameHeader, ProbeError> {
        let start = chunk.data.start;
        let [flags] = array(bytes, start + 15)?;
        Ok(AnimationFrameHeader {
            area: Rectangle {
                left: le24(bytes, start)? * 2,
                top: le24(bytes, start + 3)? * 2,
                width: le24(bytes, start + 6)? + 1,
                height: le24(bytes, start + 9)? + 1,
            },
            milliseconds: le24(bytes, start + 12)?,
            flags,
        })
    }

    /// Returns the header as it is stored. Positions are even, and the duration saturates.
    pub(crate) fn to_bytes(&self) -> [u8; ANIMATION_FRAME_HEADER] {
        let halves = [self.area.left, self.area.top].map(|position| side_bytes(position / 2 + 1));
        let sides = [self.area.width, self.area.height].map(side_bytes);
        let duration = side_bytes(self.milliseconds.min(MAX_MILLISECONDS) + 1);

        let mut bytes = [0; ANIMATION_FRAME_HEADER];
        let numbers = halves.into_iter().chain(sides).chain([duration]);
        for (target, number) in bytes.as_chunks_mut::<3>().0.iter_mut().zip(numbers) {
            *target = number;
        }
        bytes[15] = self.flags;
        bytes
    }
}

/// Header of a frame.
pub(crate) struct FrameHeader {
    pub(crate) dimensions: ImageSize,
    pub(crate) has_alpha: bool,
}

/// Reads the frame header of a `VP8 ` or `VP8L` chunk.
pub(crate) fn frame(bytes: &[u8], chunk: &Chunk) -> Result<FrameHeader, ProbeError> {
    let start = chunk.data.start;
    if chunk.kind == *b"VP8L" {
        let [signature] = array(bytes, start)?;
        let header = le32(bytes, start + 1)?;
        if signature != 0x2F || header >> 29 != 0 {
            return Err(ProbeError::Malformed(
                "invalid header of lossless WebP pixels",
            ));
        }
        return Ok(FrameHeader {
            dimensions: ImageSize::new((header & 0x3FFF) + 1, (header >> 14 & 0x3FFF) + 1),
            has_alpha: header >> 28 & 1 == 1,
        });
    }

    let header: [u8; 10] = array(bytes, start)?;
    if header[3..6] != [0x9D, 0x01, 0x2A] {
        return Err(ProbeError::Malformed("invalid header of lossy WebP pixels"));
    }

    let side = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);

    Ok(FrameHeader {
        dimensions: ImageSize::new(side(header[6], header[7]), side(header[8], header[9])),
        has_alpha: false,
    })
}

/// Appends a chunk to a file.
pub(crate) fn push(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("chunks are copied from smaller files");
    file.extend_from_slice(&kind);
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(data);
    if data.len() % 2 == 1 {
        file.push(0);
    }
}

/// Creates a file without chunks, whose length `end` sets.
pub(crate) fn begin() -> Vec<u8> {
    b"RIFF\0\0\0\0WEBP".to_vec()
}

/// Sets the length in the header of a file.
pub(crate) fn end(mut file: Vec<u8>) -> Vec<u8> {
    let length = u32::try_from(file.len() - 8).expect("WebP files are smaller than 4 GiB");
    file[4..8].copy_from_slice(&length.to_le_bytes());
    file
}
