//! Pictures coded as HEVC: from an item with its configuration (ISO/IEC 14496-15, 8.3.3) to the
//! byte stream of the decoder (ITU-T H.265, annex B).
//!
//! Invariants:
//! - The stream has the parameter sets of the configuration and the slices of the item, and nothing
//!   else.
//! - The slices that the decoder sees are those that were counted: no unit contains a start code.

use std::{borrow::Cow, ops::RangeInclusive};

use domain::naming::ImageSize;
use heifer_hevc_dec::{
    decoder::{DecodeOptions, decode_picture},
    recon::Frame,
};

use crate::{
    bytes::{array, be16, part},
    decode::require_size,
    error::{MediaError, ProbeError},
    format::Format,
};

use super::picture::{Chroma, Picture, UNSPECIFIED};

/// Maximum size of the parameter sets of a picture, in bytes. Those of cameras have about 100.
const MAX_SETS_BYTES: usize = 8 << 10;
/// Maximum number of bits of a sample.
const MAX_DEPTH: u8 = 12;
/// Side of the largest coding block, which sides of coded pictures are padded to.
const MAX_BLOCK_SIDE: u32 = 64;
/// What precedes each unit of a stream.
const START_CODE: [u8; 3] = [0, 0, 1];

/// Types of units (ITU-T H.265, table 7-1): slices of any picture and of one that begins a
/// sequence, and video, sequence and picture parameter sets.
const SLICE: RangeInclusive<u8> = 0..=9;
const FIRST_SLICE: RangeInclusive<u8> = 16..=21;
const PARAMETER_SET: RangeInclusive<u8> = 32..=34;

/// A coded picture whose units were counted.
pub(super) struct HevcUnits<'a> {
    sets: Vec<&'a [u8]>,
    data: Cow<'a, [u8]>,
    length_bytes: usize,
    /// Number of slices. A decoder may decode the whole picture for each.
    pub(super) slices: u64,
}

impl<'a> HevcUnits<'a> {
    /// Reads the units of an item. Fails if one is damaged, or if the parameter sets exceed
    /// [`MAX_SETS_BYTES`].
    pub(super) fn read(
        configuration: &'a [u8],
        data: Cow<'a, [u8]>,
    ) -> Result<HevcUnits<'a>, MediaError> {
        let [sizes, arrays] = array(configuration, 21)?;
        let mut stream = HevcUnits {
            sets: parameter_sets(configuration, arrays)?,
            data,
            length_bytes: usize::from(sizes & 3) + 1,
            slices: 0,
        };

        for set in &stream.sets {
            require_no_start_code(set)?;
        }
        let mut slices = 0;
        for unit in stream.units() {
            let unit = unit?;
            if is_slice(unit) {
                require_no_start_code(unit)?;
                slices += 1;
            }
        }
        stream.slices = slices;
        Ok(stream)
    }

    /// Decodes the picture, which must have these dimensions.
    pub(super) fn decode(&self, size: ImageSize) -> Result<Picture, MediaError> {
        let mut stream = Vec::with_capacity(self.data.len() + MAX_SETS_BYTES);
        for set in &self.sets {
            stream.extend_from_slice(&START_CODE);
            stream.extend_from_slice(set);
        }
        for unit in self.units() {
            let unit = unit?;
            if is_slice(unit) {
                stream.extend_from_slice(&START_CODE);
                stream.extend_from_slice(unit);
            }
        }

        let options = DecodeOptions {
            max_pixels: padded(size).pixels(),
            ..DecodeOptions::default()
        };
        let frame = decode_picture(&stream, options).map_err(MediaError::malformed)?;
        require_size(size, frame.widths[0], frame.heights[0])?;
        picture(frame)
    }

    /// Iterates over the units of the data, which begin with their lengths.
    fn units(&self) -> impl Iterator<Item = Result<&[u8], ProbeError>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= self.data.len() {
                return None;
            }

            let unit = part(&self.data, at, self.length_bytes).and_then(|length| {
                let length = length
                    .iter()
                    .fold(0, |length, byte| length << 8 | usize::from(*byte));
                part(&self.data, at + self.length_bytes, length)
            });

            at = match unit {
                Ok(unit) => at + self.length_bytes + unit.len(),
                Err(_) => self.data.len(),
            };
            Some(unit.map_err(|_| ProbeError::Malformed("a unit exceeds its picture")))
        })
    }
}

/// Returns a decoded frame as a picture. Fails if its depths are not supported.
fn picture(frame: Frame) -> Result<Picture, MediaError> {
    let [depth, chroma_depth] = frame.bit_depth;
    let chroma = match frame.chroma_format {
        0 => Chroma::None,
        1 => Chroma::Half,
        2 => Chroma::HalfWide,
        _ => Chroma::Full,
    };
    let has_depth = chroma == Chroma::None || depth == chroma_depth;
    if !has_depth || !(8..=MAX_DEPTH).contains(&depth) {
        return Err(MediaError::UnsupportedFormat(Format::Heic));
    }

    Ok(Picture {
        widths: frame.widths.map(|width| width as usize),
        planes: frame.planes,
        depth,
        chroma,
        // ITU-T H.265, figure E.1, type 0.
        is_left: true,
        is_top: false,
        // The decoder does not return them.
        primaries: UNSPECIFIED,
        matrix: frame.matrix_coeffs.into(),
        is_full_range: frame.full_range,
    })
}

/// Returns the dimensions of a picture with padding.
pub(super) fn padded(size: ImageSize) -> ImageSize {
    let padded = |length: u32| {
        length
            .div_ceil(MAX_BLOCK_SIDE)
            .saturating_mul(MAX_BLOCK_SIDE)
    };
    ImageSize::new(padded(size.width), padded(size.height))
}

/// Reads the parameter sets of a configuration.
fn parameter_sets(configuration: &[u8], arrays: u8) -> Result<Vec<&[u8]>, MediaError> {
    let mut sets = Vec::new();
    let mut bytes = 0;
    let mut at = 23;

    for _ in 0..arrays {
        let count = be16(configuration, at + 1)?;
        at += 3;
        for _ in 0..count {
            let length = usize::from(be16(configuration, at)?);
            let set = part(configuration, at + 2, length)?;
            at += 2 + length;
            bytes += 2 + length;

            if bytes > MAX_SETS_BYTES {
                return Err(MediaError::malformed("the parameter sets are too large"));
            }
            if has_type(set, &[PARAMETER_SET]) {
                sets.push(set);
            }
        }
    }

    Ok(sets)
}

fn is_slice(unit: &[u8]) -> bool {
    has_type(unit, &[SLICE, FIRST_SLICE])
}

/// Whether a unit of the base layer has a type in one of these ranges.
fn has_type(unit: &[u8], types: &[RangeInclusive<u8>]) -> bool {
    let [first, second, ..] = *unit else {
        return false;
    };
    let layer = (first & 1) << 5 | second >> 3;
    let kind = first >> 1 & 0x3F;
    layer == 0 && types.iter().any(|types| types.contains(&kind))
}

fn require_no_start_code(unit: &[u8]) -> Result<(), MediaError> {
    if unit
        .windows(START_CODE.len())
        .any(|found| found == START_CODE)
    {
        Err(MediaError::malformed("a start code within a unit"))
    } else {
        Ok(())
    }
}
