//! Ogg with Vorbis, Opus, FLAC, Speex and Theora (RFC 3533, RFC 7845).

use crate::bytes::{array, le16, le32, le64};

use super::{
    MediaProperties, flac,
    input::{Input, InspectError, Inspected},
};

/// Maximum number of streams that are identified.
const MAX_STREAMS: u32 = 16;
/// Length of a page header without its segment table, in bytes.
const HEADER_BYTES: usize = 27;
/// Number of bytes that contain the first page of a stream.
const PAGE_BYTES: usize = HEADER_BYTES + 255 + 64;
/// Maximum length of a page, in bytes, so that this many last bytes contain the start of one.
const MAX_PAGE_BYTES: usize = HEADER_BYTES + 255 + 255 * 255;
/// Flag of the first page of a stream.
const IS_FIRST: u8 = 2;
/// Sample rate of the positions of Opus.
const OPUS_RATE: u32 = 48_000;

#[derive(Clone, Copy)]
struct Audio {
    serial: u32,
    rate: u32,
    /// Samples before the start.
    skipped: u64,
}

/// Reads the duration of the first audio stream, and the size of a video.
pub(super) fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let mut audio = None;
    let mut at = 0;
    for _ in 0..MAX_STREAMS {
        let page = input.read_up_to(at, PAGE_BYTES)?;
        let [flags] = array(&page, 5)?;
        if !page.starts_with(b"OggS") || flags & IS_FIRST == 0 {
            break;
        }
        let [segments] = array(&page, 26)?;
        let start = HEADER_BYTES + usize::from(segments);
        let table = page.get(HEADER_BYTES..start).ok_or(InspectError::Invalid)?;
        let packet = page.get(start..).unwrap_or_default();

        if packet.starts_with(b"\x80theora") {
            let [_, width @ ..]: [u8; 4] = array(packet, 13)?;
            let [_, height @ ..]: [u8; 4] = array(packet, 16)?;
            properties.set_size(be24(width), be24(height));
        } else if audio.is_none() {
            audio = identified(packet, le32(&page, 14)?)?;
        }
        let body: u64 = table.iter().map(|length| u64::from(*length)).sum();
        at = at + start as u64 + body;
    }

    match audio {
        Some(audio) => read_duration(input, audio, properties),
        None => Ok(()),
    }
}

fn be24([high, middle, low]: [u8; 3]) -> u32 {
    u32::from_be_bytes([0, high, middle, low])
}

/// Returns the audio stream that starts with a packet.
fn identified(packet: &[u8], serial: u32) -> Inspected<Option<Audio>> {
    let audio = |rate| Audio {
        serial,
        rate,
        skipped: 0,
    };

    Ok(if packet.starts_with(b"\x01vorbis") {
        Some(audio(le32(packet, 12)?))
    } else if packet.starts_with(b"OpusHead") {
        Some(Audio {
            skipped: le16(packet, 10)?.into(),
            ..audio(OPUS_RATE)
        })
    } else if packet.starts_with(b"Speex   ") {
        Some(audio(le32(packet, 36)?))
    } else if packet.starts_with(b"\x7FFLAC") {
        let block = packet.get(17..).ok_or(InspectError::Invalid)?;
        let information = flac::stream_information(block)?;
        u32::try_from(information.rate).ok().map(audio)
    } else {
        None
    })
}

/// Reads the position at the end of the last page of a stream.
fn read_duration(input: &mut Input, audio: Audio, properties: &mut MediaProperties) -> Inspected {
    let start = input.length().saturating_sub(MAX_PAGE_BYTES as u64);
    let end = input.read_up_to(start, MAX_PAGE_BYTES)?;

    for at in (0..end.len().saturating_sub(HEADER_BYTES)).rev() {
        let page = &end[at..];
        // The position is unknown if no packet ends on the page.
        if page.starts_with(b"OggS")
            && le32(page, 14)? == audio.serial
            && le64(page, 6)? != u64::MAX
        {
            let samples = le64(page, 6)?.saturating_sub(audio.skipped);
            properties.set_units(samples, audio.rate.into());
            return Ok(());
        }
    }

    Ok(())
}
