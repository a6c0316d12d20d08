//! Pictures coded as AV1, which a separate process decodes (AV1 Bitstream & Decoding Process
//! Specification, 5.3 and 6.2).
//!
//! Invariant: the decoder sees sequence headers and the counted frames, and nothing else.

use std::{borrow::Cow, time::Duration};

use av1::{Av1Error, ChromaPosition, Decoder};
use domain::naming::ImageSize;

use crate::{
    bytes::length,
    error::{MediaError, ProbeError},
};

use super::picture::{Chroma, Picture};

/// Maximum time to decode all pictures of an image: more than the processor time that the decoder
/// limits, since others may use the processor, and less than a response may take.
const MAX_TIME: Duration = Duration::from_secs(22);
/// Maximum bytes of the size of a unit.
const MAX_SIZE_BYTES: usize = 8;
const EXCEEDING: ProbeError = ProbeError::Malformed("a unit exceeds its picture");

/// Types of units (6.2.2).
const SEQUENCE_HEADER: u8 = 1;
const FRAME_HEADER: u8 = 3;
const TILE_GROUP: u8 = 4;
const FRAME: u8 = 6;

/// A unit with its header.
struct Unit<'a> {
    kind: u8,
    /// Spatial layer; the lowest, 0, for what is of all layers.
    layer: u16,
    bytes: &'a [u8],
}

/// A coded picture whose frames were counted.
pub(super) struct Av1Units<'a> {
    data: Cow<'a, [u8]>,
    /// The layer that is shown. It may need lower ones, and no higher ones.
    last_layer: u16,
    /// Number of frames. All but one are hidden, and decoded nevertheless.
    pub(super) frames: u64,
}

impl<'a> Av1Units<'a> {
    /// Reads the headers of the units of an item up to a layer, or of all. Fails if one is damaged.
    pub(super) fn read(
        data: Cow<'a, [u8]>,
        layer: Option<u16>,
    ) -> Result<Av1Units<'a>, MediaError> {
        let last_layer = layer.unwrap_or(u16::MAX);
        let mut frames = 0;
        for unit in units(&data) {
            let unit = unit?;
            let is_frame = matches!(unit.kind, FRAME_HEADER | FRAME);
            frames += u64::from(is_frame && unit.layer <= last_layer);
        }
        Ok(Av1Units {
            data,
            last_layer,
            frames,
        })
    }

    /// Decodes the picture, which must have these dimensions.
    pub(super) fn decode(
        &self,
        decoder: &mut Decoder,
        size: ImageSize,
    ) -> Result<Picture, MediaError> {
        let mut needed = Vec::with_capacity(self.data.len());
        for unit in units(&self.data) {
            let unit = unit?;
            let is_needed = matches!(
                unit.kind,
                SEQUENCE_HEADER | FRAME_HEADER | TILE_GROUP | FRAME
            );
            if is_needed && unit.layer <= self.last_layer {
                needed.extend_from_slice(unit.bytes);
            }
        }

        let picture = decoder.decode(&needed, size.width, size.height);
        picture.map(Picture::from).map_err(media_error)
    }
}

/// Starts the decoder of pictures up to this number of pixels.
pub(super) fn start(max_pixels: u64) -> Result<Decoder, MediaError> {
    Decoder::start(max_pixels, MAX_TIME).map_err(media_error)
}

fn media_error(error: Av1Error) -> MediaError {
    match error {
        Av1Error::Start(ref cause) => MediaError::Decoder(format!("{error}: {cause}")),
        Av1Error::NoProgram | Av1Error::Killed(_) | Av1Error::TimedOut => {
            MediaError::Decoder(error.to_string())
        }
        Av1Error::TooSlow => MediaError::DecodingTimedOut,
        Av1Error::TooLarge { pixels, limit } => MediaError::TooManyPixels { pixels, limit },
        Av1Error::Malformed
        | Av1Error::OtherSize
        | Av1Error::Ended(_)
        | Av1Error::InvalidAnswer => MediaError::malformed(error),
    }
}

/// Iterates over the units of an item.
fn units(data: &[u8]) -> impl Iterator<Item = Result<Unit<'_>, ProbeError>> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let header = *rest.first()?;
        let unit = unit_length(rest, header).map(|length| rest.split_at(length));
        let (unit, following) = match unit {
            Ok(parts) => parts,
            Err(error) => {
                rest = &[];
                return Some(Err(error));
            }
        };

        rest = following;
        let extension = has_extension(header).then(|| unit.get(1)).flatten();
        Some(Ok(Unit {
            kind: header >> 3 & 0x0F,
            layer: extension.map_or(0, |byte| (byte >> 3 & 0x03).into()),
            bytes: unit,
        }))
    })
}

fn has_extension(header: u8) -> bool {
    header & 0x04 != 0
}

/// Returns the length of the first unit with its header. One without a size extends to the end of
/// the data.
fn unit_length(data: &[u8], header: u8) -> Result<usize, ProbeError> {
    if header & 0x02 == 0 {
        return Ok(data.len());
    }

    let start = 1 + usize::from(has_extension(header));
    let mut size = 0;
    for (index, byte) in data.iter().skip(start).take(MAX_SIZE_BYTES).enumerate() {
        size |= u64::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            let end = length(size).saturating_add(start + index + 1);
            return Some(end).filter(|end| *end <= data.len()).ok_or(EXCEEDING);
        }
    }
    Err(EXCEEDING)
}

impl From<av1::Picture> for Picture {
    fn from(decoded: av1::Picture) -> Picture {
        Picture {
            widths: decoded.plane_sizes().map(|plane| plane.width),
            depth: decoded.bit_depth,
            chroma: match decoded.chroma {
                av1::Chroma::None => Chroma::None,
                av1::Chroma::Half => Chroma::Half,
                av1::Chroma::HalfWide => Chroma::HalfWide,
                av1::Chroma::Full => Chroma::Full,
            },
            is_left: decoded.chroma_position != ChromaPosition::Unknown,
            is_top: decoded.chroma_position == ChromaPosition::TopLeft,
            primaries: decoded.primaries.into(),
            matrix: decoded.matrix.into(),
            is_full_range: decoded.is_full_range,
            planes: decoded.planes,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus};

    use super::*;

    #[test]
    fn only_what_the_picture_causes_is_an_error_of_the_image() {
        const ABORT: i32 = 6;
        const KILL: i32 = 9;

        for (error, is_of_image) in [
            (Av1Error::NoProgram, false),
            (Av1Error::Start(io::ErrorKind::OutOfMemory.into()), false),
            (Av1Error::Killed(ExitStatus::from_raw(KILL)), false),
            (Av1Error::TimedOut, false),
            (Av1Error::TooSlow, true),
            (Av1Error::Ended(ExitStatus::from_raw(ABORT)), true),
            (Av1Error::InvalidAnswer, true),
            (Av1Error::Malformed, true),
            (Av1Error::OtherSize, true),
        ] {
            let name = error.to_string();
            let found = media_error(error);

            assert_eq!(
                !matches!(found, MediaError::Decoder(_)),
                is_of_image,
                "{name}"
            );
        }
    }
}
