//! Frames of MPEG audio, layers I to III, and of AAC with ADTS headers; ID3 tags in front of them.

use crate::recognize::after_id3;

/// Number of frames that must follow each other, so that other bytes are not taken for audio.
const FRAMES: usize = 3;
/// Bytes behind an ID3 tag that are searched for frames.
const SEARCHED_BYTES: usize = 16 << 10;
/// Sample rates of ADTS, by index.
const ADTS_RATES: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
];
/// Samples of an AAC block.
const AAC_SAMPLES: u64 = 1_024;
/// Length of the header and of the footer of an ID3 tag, in bytes.
const TAG_BYTES: usize = 10;
/// Start of a tag at the end of a file (ID3 version 1).
const LAST_TAG: &[u8] = b"TAG";

/// Returns the length of the ID3 tag that bytes start with, which may exceed them (ID3 tag version
/// 2.4.0, 3.1).
pub fn id3_length(bytes: &[u8]) -> Option<usize> {
    let [b'I', b'D', b'3', 2..=4, _, flags, size @ ..] = bytes else {
        return None;
    };
    // Seven bits per byte.
    let size: &[u8; 4] = size.first_chunk()?;
    let size = size
        .iter()
        .fold(0, |size, byte| size << 7 | usize::from(byte & 0x7F));
    let footer = if flags & 0x10 == 0 { 0 } else { TAG_BYTES };
    Some(TAG_BYTES + size + footer)
}

/// Header of a frame of MPEG audio (ISO/IEC 11172-3 and 13818-3, and the unofficial version 2.5).
#[derive(Clone, Copy, Debug)]
pub struct MpegFrame {
    /// In bits per second.
    pub bit_rate: u32,
    /// In hertz.
    pub sample_rate: u32,
    /// Number of samples of a channel.
    pub samples: u32,
    /// Length with the header, in bytes.
    pub length: usize,
    /// Offset of a Xing header.
    pub xing_at: usize,
}

impl MpegFrame {
    /// Reads the header that bytes start with. `None` also for a frame without a bit rate.
    pub fn parse(bytes: &[u8]) -> Option<MpegFrame> {
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
        Some(MpegFrame {
            bit_rate,
            sample_rate,
            samples,
            length: usize::try_from(length).ok()?,
            xing_at: 4 + side_bytes,
        })
    }
}

/// Returns the kilobits per second of an index.
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
#[derive(Clone, Copy, Debug)]
pub struct AacFrame {
    /// In hertz.
    pub sample_rate: u32,
    /// Number of samples of a channel.
    pub samples: u64,
    /// Length with the header, in bytes.
    pub length: usize,
}

impl AacFrame {
    /// Reads the header that bytes start with.
    pub fn parse(bytes: &[u8]) -> Option<AacFrame> {
        let header: &[u8; 7] = bytes.first_chunk()?;
        if header[0] != 0xFF || header[1] & 0xF6 != 0xF0 {
            return None;
        }

        let sample_rate = *ADTS_RATES.get(usize::from(header[2] >> 2 & 15))?;
        let length = usize::from(header[3] & 3) << 11
            | usize::from(header[4]) << 3
            | usize::from(header[5] >> 5);
        let blocks = u64::from(header[6] & 3) + 1;
        (length >= header.len()).then_some(AacFrame {
            sample_rate,
            samples: blocks * AAC_SAMPLES,
            length,
        })
    }
}

/// Length of a frame, and what all frames of a file have in common.
type Shape = (usize, u32, u64);

fn mpeg_shape(bytes: &[u8]) -> Option<Shape> {
    let frame = MpegFrame::parse(bytes)?;
    Some((frame.length, frame.sample_rate, frame.samples.into()))
}

fn aac_shape(bytes: &[u8]) -> Option<Shape> {
    let frame = AacFrame::parse(bytes)?;
    Some((frame.length, frame.sample_rate, 0))
}

/// Whether bytes start MPEG audio: frames, or an ID3 tag that ends behind the bytes.
pub(crate) fn is_mpeg(head: &[u8]) -> bool {
    let rest = after_id3(head);
    let has_tag = id3_length(head).is_some();
    (has_tag && rest.is_empty()) || starts_with_frames(rest, has_tag, mpeg_shape)
}

/// Whether bytes start AAC frames.
pub(crate) fn is_aac(head: &[u8]) -> bool {
    let has_tag = id3_length(head).is_some();
    starts_with_frames(after_id3(head), has_tag, aac_shape)
}

/// Whether bytes start with frames, or contain some behind a tag.
fn starts_with_frames(bytes: &[u8], has_tag: bool, shape: fn(&[u8]) -> Option<Shape>) -> bool {
    let searched = if has_tag { SEARCHED_BYTES } else { 1 };
    let starts = 0..bytes.len().min(searched);
    starts.into_iter().any(|at| are_frames(&bytes[at..], shape))
}

/// Whether enough frames of one shape follow each other, or all up to the end if there are fewer.
fn are_frames(bytes: &[u8], shape: fn(&[u8]) -> Option<Shape>) -> bool {
    let Some((_, rate, samples)) = shape(bytes) else {
        return false;
    };

    let mut rest = bytes;
    for count in 0..FRAMES {
        let found = shape(rest).filter(|found| (found.1, found.2) == (rate, samples));
        let Some((length, ..)) = found else {
            return count > 0 && rest.starts_with(LAST_TAG);
        };

        match rest.get(length..) {
            Some([]) => return true,
            Some(next) => rest = next,
            None => return count > 0,
        }
    }
    true
}
