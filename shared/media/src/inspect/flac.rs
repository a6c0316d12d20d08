//! FLAC: the stream information (RFC 9639).

use crate::bytes::{array, be64};

use super::{
    MediaProperties,
    input::{Input, InspectError, Inspected},
};

/// Number of samples, and their rate.
pub(super) struct StreamInformation {
    pub(super) samples: u64,
    pub(super) rate: u64,
}

/// Reads the duration of a file whose marker is at an offset.
pub(super) fn read(input: &mut Input, at: u64, properties: &mut MediaProperties) -> Inspected {
    let head: [u8; 26] = input.array(at)?;
    let [kind] = array(&head, 4)?;
    // The high bit marks the last block of metadata; kind 0 is the stream information.
    if kind & 0x7F != 0 {
        return Err(InspectError::Invalid);
    }
    let information = stream_information(&head[8..])?;
    // 0 stands for an unknown number of samples.
    if information.samples > 0 {
        properties.set_units(information.samples, information.rate);
    }
    Ok(())
}

/// Parses the content of a block of stream information.
pub(super) fn stream_information(block: &[u8]) -> Inspected<StreamInformation> {
    // 20 bits of rate, 3 of channels, 5 of sample size and 36 of samples.
    let packed = be64(block, 10)?;
    Ok(StreamInformation {
        samples: packed & 0xF_FFFF_FFFF,
        rate: packed >> 44,
    })
}
