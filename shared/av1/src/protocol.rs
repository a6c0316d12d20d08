//! The messages between a caller and its decoder.
//!
//! A decoder first sends [`READY`]. For each picture the caller sends a [`Request`] and as many
//! bytes as it specifies, and then reads a status and, if it is [`Status::Decoded`], the picture:
//! its header, and the rows of its planes. Both processes run the same program, so numbers have the
//! byte order of the machine. Samples of 8 bits are bytes, others `u16`.

use std::io::{self, ErrorKind, Read};

use crate::picture::{Chroma, ChromaPosition, Picture};

/// What a decoder sends once, when it has set its limits.
pub(crate) const READY: u8 = 0xdf;

const REQUEST_BYTES: usize = 16;
const HEADER_BYTES: usize = 15;

/// A picture to decode.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Bytes that follow.
    pub(crate) length: u64,
}

/// The first byte of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Decoded = 0xd0,
    Malformed = 0xd1,
    OtherSize = 0xd2,
}

impl Request {
    pub(crate) fn to_bytes(self) -> [u8; REQUEST_BYTES] {
        let mut bytes = [0; REQUEST_BYTES];
        bytes[..4].copy_from_slice(&self.width.to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.height.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.length.to_ne_bytes());
        bytes
    }

    pub(crate) fn read(input: &mut impl Read) -> io::Result<Request> {
        Ok(Request {
            width: u32::from_ne_bytes(read_array(input)?),
            height: u32::from_ne_bytes(read_array(input)?),
            length: u64::from_ne_bytes(read_array(input)?),
        })
    }
}

impl Status {
    pub(crate) fn read(input: &mut impl Read) -> io::Result<Status> {
        let [code] = read_array(input)?;
        [Status::Decoded, Status::Malformed, Status::OtherSize]
            .into_iter()
            .find(|status| *status as u8 == code)
            .ok_or_else(invalid)
    }
}

/// Returns the header of a picture, which does not depend on its planes.
pub(crate) fn header_bytes(picture: &Picture) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..4].copy_from_slice(&picture.width.to_ne_bytes());
    bytes[4..8].copy_from_slice(&picture.height.to_ne_bytes());
    bytes[8..].copy_from_slice(&[
        picture.bit_depth,
        picture.chroma as u8,
        picture.chroma_position as u8,
        picture.primaries,
        picture.transfer,
        picture.matrix,
        picture.is_full_range.into(),
    ]);
    bytes
}

/// Reads a header and returns its picture, which has no samples yet. Fails if a value does not
/// occur in AV1.
pub(crate) fn read_header(input: &mut impl Read) -> io::Result<Picture> {
    let width = u32::from_ne_bytes(read_array(input)?);
    let height = u32::from_ne_bytes(read_array(input)?);
    let [
        bit_depth,
        chroma,
        position,
        primaries,
        transfer,
        matrix,
        range,
    ] = read_array(input)?;

    if !matches!(bit_depth, 8 | 10 | 12) {
        return Err(invalid());
    }
    Ok(Picture {
        width,
        height,
        bit_depth,
        chroma: chroma_of(chroma.into()).ok_or_else(invalid)?,
        chroma_position: position_of(position.into()).ok_or_else(invalid)?,
        primaries,
        transfer,
        matrix,
        is_full_range: range != 0,
        planes: Default::default(),
    })
}

/// Returns what this number is in AV1, and in the header.
pub(crate) fn chroma_of(number: u32) -> Option<Chroma> {
    [Chroma::None, Chroma::Half, Chroma::HalfWide, Chroma::Full]
        .into_iter()
        .find(|chroma| *chroma as u32 == number)
}

/// Returns what this number is in AV1, and in the header.
pub(crate) fn position_of(number: u32) -> Option<ChromaPosition> {
    [
        ChromaPosition::Unknown,
        ChromaPosition::Left,
        ChromaPosition::TopLeft,
    ]
    .into_iter()
    .find(|position| *position as u32 == number)
}

/// The error of an answer that is not of this protocol.
pub(crate) fn invalid() -> io::Error {
    ErrorKind::InvalidData.into()
}

pub(crate) fn read_array<const LENGTH: usize>(input: &mut impl Read) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}
