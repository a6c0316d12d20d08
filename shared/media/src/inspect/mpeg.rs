//! MP3 (MPEG audio layers I to III) and AAC with ADTS headers, with and without ID3 tags in front.

use crate::bytes::{array, be32};

use super::{
    MediaProperties, flac,
    input::{Input, Inspected},
};

/// Maximum number of ID3 tags in front.
const MAX_TAGS: u32 = 4;
/// Length of the header and of the footer of an ID3 tag, in bytes.
const TAG_HEADER_BYTES: u64 = 10;
/// Number of bytes that are searched for frames.
const WINDOW_BYTES: usize = 64 << 10;
/// Offset of a VBRI header in a frame.
const VBRI_AT: usize = 36;
/// Sample rates of ADTS, by index.
const ADTS_RATES: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
];
/// Samples of an AAC block.
const AAC_SAMPLES: u64 = 1_024;

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
        if let Some(frame) = Frame::parse(rest)
            && frame.is_followed(rest, |next| Frame::parse(next).is_some())
        {
            frame.set_duration(rest, left, properties);
            return Ok(());
        }
        if let Some(frame) = AdtsFrame::parse(rest)
            && frame.is_followed(rest)
        {
            set_adts_duration(rest, left, properties);
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the offset after the ID3 tags in front.
fn skip_tags(input: &mut Input) -> Inspected<u64> {
    let mut at = 0_u64;
    for _ in 0..MAX_TAGS {
        let header = input.read_up_to(at, 10)?;
        let [b'I', b'D', b'3', _, _, flags, size @ ..] = &header[..] else {
            break;
        };
        // Seven bits per byte.
        let size = size
            .iter()
            .fold(0, |size, byte| size << 7 | u64::from(byte & 0x7F));
        let has_footer = flags & 0x10 != 0;
        let footer = if has_footer { TAG_HEADER_BYTES } else { 0 };
        at = at.saturating_add(TAG_HEADER_BYTES + size + footer);
    }
    Ok(at)
}

/// Header of an MPEG audio frame.
struct Frame {
    bit_rate: u32,
    sample_rate: u32,
    samples: u32,
    length: usize,
    /// Offset of a Xing header.
    xing_at: usize,
}

impl Frame {
    fn parse(bytes: &[u8]) -> Option<Frame> {
        let [0xFF, kind, rates, mode, ..] = *bytes else {
            return None;
        };
        if kind & 0xE0 != 0xE0 {
            return None;
        }
        let is_version_1 = kind >> 3 & 3 == 3;
        let divisor = match kind >> 3 & 3 {
            3 => 1,
            2 => 2,
            0 => 4,
            _ => return None,
        };
        let layer = match kind >> 1 & 3 {
            3 => 1,
            2 => 2,
            1 => 3,
            _ => return None,
        };
        let sample_rate = [44_100, 48_000, 32_000].get(usize::from(rates >> 2 & 3))? / divisor;
        let kilobits = kilobits(is_version_1, layer, usize::from(rates >> 4))?;
        let bit_rate = kilobits * 1_000;
        let padding = u32::from(rates >> 1 & 1);
        let samples = match layer {
            1 => 384,
            3 if !is_version_1 => 576,
            _ => 1_152,
        };
        let length = if layer == 1 {
            (12 * bit_rate / sample_rate + padding) * 4
        } else {
            samples / 8 * bit_rate / sample_rate + padding
        };
        let is_mono = mode >> 6 == 3;
        let side_bytes = match (is_version_1, is_mono) {
            (true, false) => 32,
            (true, true) | (false, false) => 17,
            (false, true) => 9,
        };
        Some(Frame {
            bit_rate,
            sample_rate,
            samples,
            length: usize::try_from(length).ok()?,
            xing_at: 4 + side_bytes,
        })
    }

    /// Whether a frame follows, or the file ends.
    fn is_followed(&self, bytes: &[u8], is_frame: impl Fn(&[u8]) -> bool) -> bool {
        self.length == bytes.len() || bytes.get(self.length..).is_some_and(is_frame)
    }

    /// Returns the number of frames of the file, if the first one contains it.
    fn frames(&self, bytes: &[u8]) -> Option<u32> {
        let xing = bytes.get(self.xing_at..)?;
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

    /// Sets the duration from the number of frames, or else from the bit rate and the remaining bytes.
    fn set_duration(&self, bytes: &[u8], left: u64, properties: &mut MediaProperties) {
        match self.frames(bytes) {
            Some(frames) => {
                let samples = u64::from(frames) * u64::from(self.samples);
                properties.set_units(samples, self.sample_rate.into());
            }
            None => properties.set_units(left.saturating_mul(8), self.bit_rate.into()),
        }
    }
}

/// Returns the kilobits per second of an index (ISO/IEC 11172-3 and 13818-3).
fn kilobits(is_version_1: bool, layer: u8, index: usize) -> Option<u32> {
    let rates: [u32; 14] = match (is_version_1, layer) {
        (true, 1) => [
            32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448,
        ],
        (true, 2) => [
            32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
        ],
        (true, _) => [
            32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
        ],
        (false, 1) => [
            32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256,
        ],
        (false, _) => [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    };
    // 0 stands for another rate.
    rates.get(index.checked_sub(1)?).copied()
}

/// Header of an ADTS frame (ISO/IEC 13818-7).
struct AdtsFrame {
    rate: u32,
    length: usize,
    samples: u64,
}

impl AdtsFrame {
    fn parse(bytes: &[u8]) -> Option<AdtsFrame> {
        let header: [u8; 7] = array(bytes, 0).ok()?;
        if header[0] != 0xFF || header[1] & 0xF6 != 0xF0 {
            return None;
        }
        let rate = *ADTS_RATES.get(usize::from(header[2] >> 2 & 15))?;
        let length = usize::from(header[3] & 3) << 11
            | usize::from(header[4]) << 3
            | usize::from(header[5] >> 5);
        let blocks = u64::from(header[6] & 3) + 1;
        (length >= header.len()).then_some(AdtsFrame {
            rate,
            length,
            samples: blocks * AAC_SAMPLES,
        })
    }

    /// Whether a frame follows, or the file ends.
    fn is_followed(&self, bytes: &[u8]) -> bool {
        let next = bytes.get(self.length..);
        next.is_some_and(|next| next.is_empty() || AdtsFrame::parse(next).is_some())
    }
}

/// Sets the duration to that of the available frames, in proportion to their bytes.
fn set_adts_duration(bytes: &[u8], left: u64, properties: &mut MediaProperties) {
    let mut at = 0;
    let mut samples = 0;
    let mut rate = 0;
    while let Some(frame) = bytes.get(at..).and_then(AdtsFrame::parse) {
        at += frame.length;
        samples += frame.samples;
        rate = frame.rate;
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
