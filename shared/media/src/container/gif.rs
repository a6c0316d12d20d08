//! Blocks of GIF files.

use std::{borrow::Cow, ops::Range};

use domain::naming::ImageSize;

use crate::{
    bytes::{array, le16},
    error::{MediaError, ProbeError},
};

/// Length of signature and logical screen descriptor, in bytes.
pub(crate) const HEADER: usize = 13;

/// First byte of the block of an image.
pub(crate) const IMAGE: u8 = 0x2C;
/// The block that ends the file.
const TRAILER: u8 = 0x3B;

/// Kind of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Image,
    /// Graphic control extension of the next frame.
    Control {
        /// Whether the frame has a transparent color.
        has_alpha: bool,
    },
    /// Application extension with its 11-byte identifier.
    Application([u8; 11]),
    Comment,
    Other,
    /// End of the file.
    Trailer,
}

/// Block with its range in the file.
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) range: Range<usize>,
}

/// Iterator over the blocks of a GIF, up to its trailer. Zeros between blocks are skipped, as by
/// browsers.
pub(crate) struct Blocks<'a> {
    bytes: &'a [u8],
    at: usize,
    has_ended: bool,
}

/// Iterates over the blocks of a whole file, up to its trailer, its end or its damaged part. Fails
/// if they contain no complete image.
pub(crate) fn whole_blocks(bytes: &[u8]) -> Result<impl Iterator<Item = Block>, ProbeError> {
    for block in Blocks::of(bytes)? {
        if block?.kind == BlockKind::Image {
            return Ok(Blocks::of(bytes)?.map_while(Result::ok));
        }
    }
    Err(ProbeError::Malformed("a GIF without frames"))
}

/// Returns a whole file with its undamaged blocks alone, without anything between them, and with a
/// trailer.
pub(crate) fn repaired(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ProbeError> {
    let start = Blocks::of(bytes)?.at();
    let mut end = start;
    let mut has_gaps = false;
    let mut has_trailer = false;
    for block in whole_blocks(bytes)? {
        has_gaps |= block.range.start != end;
        has_trailer = block.kind == BlockKind::Trailer;
        end = block.range.end;
    }
    if has_trailer && !has_gaps {
        return Ok(Cow::Borrowed(bytes));
    }

    let mut repaired = bytes[..start].to_vec();
    for block in whole_blocks(bytes)? {
        repaired.extend_from_slice(&bytes[block.range]);
    }
    if !has_trailer {
        repaired.push(TRAILER);
    }
    Ok(Cow::Owned(repaired))
}

/// Returns the size of the canvas: that of the screen, enlarged to contain the first frame, as in
/// Chromium. `frame` is the offset of its block.
pub(crate) fn canvas(bytes: &[u8], frame: usize) -> Result<ImageSize, ProbeError> {
    let side = |screen: usize, start: usize, length: usize| {
        let end = u32::from(le16(bytes, frame + start)?) + u32::from(le16(bytes, frame + length)?);
        Ok::<u32, ProbeError>(end.max(le16(bytes, screen)?.into()))
    };
    Ok(ImageSize::new(side(6, 1, 5)?, side(8, 3, 7)?))
}

/// Returns the length of a color table in bytes, from a packed field: the high bit is set if there
/// is a table, and the low bits contain its size.
fn color_table_bytes(packed: u8) -> usize {
    if packed & 0x80 == 0 {
        0
    } else {
        3 << ((packed & 0x07) + 1)
    }
}

impl<'a> Blocks<'a> {
    /// Starts after the logical screen descriptor and the global color table.
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Blocks<'a>, ProbeError> {
        let [packed] = array(bytes, 10)?;
        Ok(Blocks {
            bytes,
            at: HEADER + color_table_bytes(packed),
            has_ended: false,
        })
    }

    /// Returns the offset of the next block.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Skips zeros, and returns the first byte of the next block.
    pub(crate) fn introducer(&mut self) -> Result<u8, ProbeError> {
        loop {
            let [introducer] = array(self.bytes, self.at)?;
            if introducer != 0 {
                return Ok(introducer);
            }
            self.at += 1;
        }
    }

    fn read(&mut self) -> Result<Block, ProbeError> {
        let introducer = self.introducer()?;
        let start = self.at;
        let kind = match introducer {
            IMAGE => {
                let descriptor: [u8; 10] = array(self.bytes, start)?;
                // One byte between color table and pixels is the LZW code size.
                self.skip_sub_blocks(start + 10 + color_table_bytes(descriptor[9]) + 1)?;
                BlockKind::Image
            }
            0x21 => {
                let [label] = array(self.bytes, start + 1)?;
                self.skip_sub_blocks(start + 2)?;
                self.extension(label, start + 2)
            }
            TRAILER => {
                self.at = start + 1;
                self.has_ended = true;
                BlockKind::Trailer
            }
            _ => return Err(ProbeError::Malformed("an unknown GIF block")),
        };

        Ok(Block {
            kind,
            range: start..self.at,
        })
    }

    fn extension(&self, label: u8, data: usize) -> BlockKind {
        match label {
            0xF9 => array(self.bytes, data).map_or(BlockKind::Other, |[_, packed]: [u8; 2]| {
                BlockKind::Control {
                    has_alpha: packed & 1 == 1,
                }
            }),
            0xFE => BlockKind::Comment,
            0xFF => match array(self.bytes, data) {
                Ok([11]) => {
                    array(self.bytes, data + 1).map_or(BlockKind::Other, BlockKind::Application)
                }
                _ => BlockKind::Other,
            },
            _ => BlockKind::Other,
        }
    }

    /// Skips data sub-blocks: each has a length byte, and a length of 0 ends the sequence.
    fn skip_sub_blocks(&mut self, mut at: usize) -> Result<(), ProbeError> {
        loop {
            let [length] = array(self.bytes, at)?;
            at += 1 + usize::from(length);
            if length == 0 {
                self.at = at;
                return Ok(());
            }
        }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Result<Block, ProbeError>;

    fn next(&mut self) -> Option<Result<Block, ProbeError>> {
        (!self.has_ended).then(|| self.read())
    }
}
/// Counts the undamaged frames of a GIF.
pub(crate) fn count_frames(bytes: &[u8]) -> Result<u32, MediaError> {
    let blocks = whole_blocks(bytes)?;
    let frames = blocks.filter(|block| block.kind == BlockKind::Image);
    Ok(u32::try_from(frames.count()).unwrap_or(u32::MAX))
}
