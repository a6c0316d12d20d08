//! GIF's blocks.

use std::ops::Range;

use crate::{ProbeError, bytes::array};

/// Bytes of signature and logical screen descriptor.
pub(crate) const HEADER: usize = 13;

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A frame.
    Image,
    /// How the next frame is shown.
    Control {
        /// Whether one of its colours is transparent.
        has_alpha: bool,
    },
    /// An application's own; the first 11 bytes name it.
    Application([u8; 11]),
    /// Words about the image.
    Comment,
    /// Any other extension.
    Other,
    /// The end.
    Trailer,
}

/// The blocks of a GIF.
pub(crate) struct Blocks<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Bytes of a colour table whose size is in the low bits of a packed field, if its high bit says
/// that there is one.
fn table(packed: u8) -> usize {
    if packed & 0x80 == 0 {
        0
    } else {
        3 << ((packed & 0x07) + 1)
    }
}

impl<'a> Blocks<'a> {
    /// Those after the logical screen and its colours.
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Blocks<'a>, ProbeError> {
        let [packed] = array(bytes, 10)?;
        Ok(Blocks {
            bytes,
            at: HEADER + table(packed),
        })
    }

    /// Where the next block begins.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next block and where it lies; past the trailer there is none.
    pub(crate) fn next(&mut self) -> Result<(Kind, Range<usize>), ProbeError> {
        let start = self.at;
        let [introducer] = array(self.bytes, start)?;
        let kind = match introducer {
            0x2C => {
                let descriptor: [u8; 10] = array(self.bytes, start)?;
                // One byte between the colours and the pixels says how they are coded.
                self.skip_parts(start + 10 + table(descriptor[9]) + 1)?;
                Kind::Image
            }
            0x21 => {
                let [label] = array(self.bytes, start + 1)?;
                self.skip_parts(start + 2)?;
                self.extension(label, start + 2)
            }
            0x3B => {
                self.at = start + 1;
                Kind::Trailer
            }
            _ => return Err(ProbeError::Malformed("an unknown GIF block")),
        };
        Ok((kind, start..self.at))
    }

    fn extension(&self, label: u8, data: usize) -> Kind {
        match label {
            0xF9 => {
                array(self.bytes, data).map_or(Kind::Other, |[_, packed]: [u8; 2]| Kind::Control {
                    has_alpha: packed & 1 == 1,
                })
            }
            0xFE => Kind::Comment,
            0xFF => match array(self.bytes, data) {
                Ok([11]) => array(self.bytes, data + 1).map_or(Kind::Other, Kind::Application),
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }

    /// Data comes in parts of at most 255 bytes, each with its length before it; one of length zero
    /// ends it.
    fn skip_parts(&mut self, mut at: usize) -> Result<(), ProbeError> {
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
