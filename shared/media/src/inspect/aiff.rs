//! AIFF and AIFF-C: chunks of an IFF file ("Audio Interchange File Format", Apple, version 1.3).

use crate::bytes::{array, be16, be32};

use super::{
    MediaProperties,
    input::{Input, Inspected, MAX_ELEMENTS},
};

/// Length of the header of the file, in bytes.
const FILE_HEADER_BYTES: u64 = 12;
/// Length of the header of a chunk, in bytes.
const HEADER_BYTES: u64 = 8;
/// Length of the fields of the common chunk that both variants have, in bytes.
const COMMON_BYTES: usize = 18;
/// Exponent of 1 in an 80-bit number of IEEE 754.
const EXPONENT_OF_ONE: i32 = 16_383;

/// Reads the duration from the common chunk.
pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let mut at = FILE_HEADER_BYTES;
    for _ in 0..MAX_ELEMENTS {
        let header: [u8; 8] = input.array(at)?;
        if array(&header, 0)? == *b"COMM" {
            let common = input.array::<COMMON_BYTES>(at + HEADER_BYTES)?;
            let frames = be32(&common, 2)?;
            let rate = extended(be16(&common, 8)?, be32(&common, 10)?);
            // Every coding takes at least a byte for a frame.
            if rate > 0.0 && u64::from(frames) <= input.length() {
                properties.set_duration(f64::from(frames) / rate);
            }
            return Ok(());
        }

        let size = u64::from(be32(&header, 4)?);
        at += HEADER_BYTES + size + size % 2;
    }

    Ok(())
}

/// Returns a positive 80-bit number, with the first 32 bits of its mantissa; 0 for others.
fn extended(exponent: u16, mantissa: u32) -> f64 {
    let power = i32::from(exponent) - EXPONENT_OF_ONE - 31;
    let number = f64::from(mantissa) * 2_f64.powi(power);
    if number.is_finite() && exponent < 1 << 15 {
        number
    } else {
        0.0
    }
}
