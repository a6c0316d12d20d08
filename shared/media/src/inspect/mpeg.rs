//! MP3 (MPEG audio layers I to III) and AAC with ADTS headers, with and without ID3 tags in front.

use formats::{AacFrame, MpegFrame, id3_length};

use crate::bytes::be32;

use super::{
    MediaProperties, flac,
    input::{Input, Inspected},
};

/// Maximum number of ID3 tags in front.
const MAX_TAGS: u32 = 4;
/// Length of the header of an ID3 tag, in bytes.
const TAG_HEADER_BYTES: usize = 10;
/// Number of bytes that are searched for frames.
const WINDOW_BYTES: usize = 64 << 10;
/// Offset of a VBRI header in a frame.
const VBRI_AT: usize = 36;

pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let start = skip_tags(input)?;
    let window = input.read_up_to(start, WINDOW_BYTES)?;
    if window.starts_with(b"fLaC") {
        return flac::read(input, start, properties);
    }

    let bytes = input.length().saturating_sub(start);
    for at in 0..window.len() {
        let rest = &window[at..];
        let left = bytes - at as u64;
        if let Some(frame) = MpegFrame::parse(rest)
            && is_followed(rest, frame.length, |next| MpegFrame::parse(next).is_some())
        {
            set_duration(&frame, rest, left, properties);
            return Ok(());
        }
        if let Some(frame) = AacFrame::parse(rest)
            && is_followed(rest, frame.length, |next| AacFrame::parse(next).is_some())
        {
            set_aac_duration(rest, left, properties);
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the offset after the ID3 tags in front.
fn skip_tags(input: &mut Input) -> Inspected<u64> {
    let mut at = 0_u64;
    for _ in 0..MAX_TAGS {
        let header = input.read_up_to(at, TAG_HEADER_BYTES)?;
        let Some(length) = id3_length(&header) else {
            break;
        };
        at = at.saturating_add(length as u64);
    }
    Ok(at)
}

/// Whether a frame follows a frame of this length, or the file ends.
fn is_followed(bytes: &[u8], length: usize, is_frame: impl Fn(&[u8]) -> bool) -> bool {
    let next = bytes.get(length..);
    next.is_some_and(|next| next.is_empty() || is_frame(next))
}

/// Sets the duration from the number of frames, or else from the bit rate and the remaining bytes.
fn set_duration(frame: &MpegFrame, bytes: &[u8], left: u64, properties: &mut MediaProperties) {
    match frame_count(frame, bytes) {
        Some(frames) => {
            let samples = u64::from(frames) * u64::from(frame.samples);
            properties.set_units(samples, frame.sample_rate.into());
        }
        None => properties.set_units(left.saturating_mul(8), frame.bit_rate.into()),
    }
}

/// Returns the number of frames of the file, if the first one contains it.
fn frame_count(frame: &MpegFrame, bytes: &[u8]) -> Option<u32> {
    let xing = bytes.get(frame.xing_at..)?;
    if xing.starts_with(b"Xing") || xing.starts_with(b"Info") {
        let has_frames = be32(xing, 4).ok()? & 1 == 1;
        return has_frames.then(|| be32(xing, 8).ok())?;
    }
    let vbri = bytes.get(VBRI_AT..)?;
    if vbri.starts_with(b"VBRI") {
        return be32(vbri, 14).ok();
    }
    None
}

/// Sets the duration to that of the available frames, in proportion to their bytes.
fn set_aac_duration(bytes: &[u8], left: u64, properties: &mut MediaProperties) {
    let mut at = 0;
    let mut samples = 0;
    let mut rate = 0;

    while let Some(frame) = bytes.get(at..).and_then(AacFrame::parse) {
        at += frame.length;
        samples += frame.samples;
        rate = frame.sample_rate;
    }

    let total = samples.saturating_mul(left).checked_div(at as u64);
    // The last frame may exceed the available bytes.
    let total = if at as u64 >= left {
        Some(samples)
    } else {
        total
    };

    if let Some(total) = total {
        properties.set_units(total, rate.into());
    }
}
