//! Recognition of formats by first bytes.

use crate::{
    Evidence, FORMATS, FileFormat, by_mime_type, iso_media, mpeg_audio, text::is_text, zip,
};

/// Number of first bytes that are enough to recognize a format, except behind a longer ID3 tag.
pub const HEAD_BYTES: usize = 64 << 10;
/// Extensions of formats whose first bytes may all be text. Words like `FWS` begin with other
/// signatures.
const TEXTUAL_STARTS: [&str; 10] = [
    "jpg", "gif", "webp", "wav", "avi", "pdf", "rtf", "ps", "amr", "hdr",
];
/// First bytes in which a PDF may start ("Implementation notes" 13 in appendix H of the PDF
/// Reference 1.7).
const PDF_START_BYTES: usize = 1_024;
/// Length of a packet of an MPEG transport stream, in bytes (ISO/IEC 13818-1), and with the time
/// stamp of Blu-ray discs and AVCHD in front.
const PACKET_BYTES: [usize; 2] = [188, 192];
/// First byte of a packet.
const PACKET_START: u8 = 0x47;
/// Number of packets that are checked, if the file is long enough.
const CHECKED_PACKETS: usize = 5;

/// What first bytes are.
#[derive(Clone, Copy, Debug)]
pub enum Recognized {
    /// A format. If its container has several, the one that the bytes name or suggest.
    Format(&'static FileFormat),
    /// Text of any format.
    Text,
    /// Binary data without a known signature.
    Unknown,
}

/// Recognizes the format of a file by its first bytes, up to [`HEAD_BYTES`] of which count.
pub fn recognize(head: &[u8]) -> Recognized {
    let head = &head[..head.len().min(HEAD_BYTES)];
    let has_signature = |format: &&FileFormat| match format.evidence {
        Evidence::Signature(is_present) => is_present(head),
        _ => false,
    };

    // Executables first, so that no signature at another place hides one.
    let executable = || {
        FORMATS
            .iter()
            .filter(|format| format.is_native_executable())
            .find(has_signature)
    };
    let found = executable()
        .or_else(|| container(head).and_then(by_mime_type))
        .or_else(|| FORMATS.iter().find(has_signature));

    let is_text = is_text(head);
    match found.filter(|format| !is_text || TEXTUAL_STARTS.contains(&format.extension())) {
        Some(format) => Recognized::Format(format),
        None if is_text => Recognized::Text,
        None => Recognized::Unknown,
    }
}

/// Returns the MIME type of a file in a container that several formats share.
fn container(head: &[u8]) -> Option<&'static str> {
    match head {
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(tiff(head)),
        [0x1A, 0x45, 0xDF, 0xA3, ..] => Some(matroska(head)),
        [b'O', b'g', b'g', b'S', 0, ..] => Some(ogg(head)),
        [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, ..] => Some("application/x-ole-storage"),
        _ if head.starts_with(&ASF_HEADER) => Some(asf(head)),
        _ => zip::mime_type(head).or_else(|| iso_media::mime_type(head)),
    }
}

/// Tells a raw photo of Canon, which has `CR` after the header, from other TIFF and `BigTIFF`
/// files.
fn tiff(head: &[u8]) -> &'static str {
    if head.get(8..10) == Some(b"CR") {
        "image/x-canon-cr2"
    } else {
        "image/tiff"
    }
}

/// Reads the document type of EBML (RFC 8794), whose element is among the first.
fn matroska(head: &[u8]) -> &'static str {
    let start = &head[..head.len().min(256)];
    if contains(start, b"\x42\x82\x84webm") {
        "video/webm"
    } else {
        "video/x-matroska"
    }
}

/// Reads the codec in the first packet (RFC 3533, RFC 5334).
fn ogg(head: &[u8]) -> &'static str {
    let segments = usize::from(head.get(26).copied().unwrap_or(0));
    let packet = head.get(27 + segments..).unwrap_or_default();
    if packet.starts_with(b"OpusHead") {
        "audio/opus"
    } else if starts_with_any(packet, &[b"\x80theora", b"BBCD\0", b"\x01video\0"]) {
        "video/ogg"
    } else if starts_with_any(packet, &[b"fishead\0"]) {
        "application/ogg"
    } else {
        "audio/ogg"
    }
}

/// Identifiers of ASF ("Advanced Systems Format (ASF) Specification", 10.1 to 10.4): the header,
/// stream properties, and the types of audio and video streams.
const ASF_HEADER: [u8; 16] = [
    0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
];
const ASF_STREAM: [u8; 16] = [
    0x91, 0x07, 0xDC, 0xB7, 0xB7, 0xA9, 0xCF, 0x11, 0x8E, 0xE6, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
];
const ASF_AUDIO: [u8; 16] = [
    0x40, 0x9E, 0x69, 0xF8, 0x4D, 0x5B, 0xCF, 0x11, 0xA8, 0xFD, 0x00, 0x80, 0x5F, 0x5C, 0x44, 0x2B,
];
const ASF_VIDEO: [u8; 16] = [
    0xC0, 0xEF, 0x19, 0xBC, 0x4D, 0x5B, 0xCF, 0x11, 0xA8, 0xFD, 0x00, 0x80, 0x5F, 0x5C, 0x44, 0x2B,
];

/// Tells audio from video by the types of streams. The type follows the identifier and the size of
/// the stream properties.
fn asf(head: &[u8]) -> &'static str {
    let has_stream = |kind: &[u8; 16]| {
        let kinds = head
            .windows(40)
            .filter(|window| window.starts_with(&ASF_STREAM));
        kinds
            .map(|window| &window[24..40])
            .any(|found| found == kind)
    };
    if has_stream(&ASF_AUDIO) && !has_stream(&ASF_VIDEO) {
        "audio/x-ms-wma"
    } else {
        "video/x-ms-wmv"
    }
}

/// Whether bytes start a RIFF file of a type, or one of its variants for other byte orders and
/// lengths (EBU Tech 3306, ITU-R BS.2088).
pub(crate) fn is_riff(head: &[u8], kind: [u8; 4]) -> bool {
    let is_container = starts_with_any(head, &[b"RIFF", b"RIFX", b"RF64", b"BW64"]);
    is_container && head.get(8..12) == Some(&kind)
}

/// Whether a PDF starts in the first bytes. In text that does not start with it, an object must
/// follow, so that a text about PDFs is none.
pub(crate) fn is_pdf(head: &[u8]) -> bool {
    let start = &head[..head.len().min(PDF_START_BYTES)];
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    start.trim_ascii_start().starts_with(b"%PDF-")
        || (contains(start, b"%PDF-") && (!is_text(head) || contains(head, b" obj")))
}

/// Whether bytes are packets of an MPEG transport stream.
pub(crate) fn is_transport_stream(head: &[u8]) -> bool {
    PACKET_BYTES.iter().any(|length| {
        let first = length - PACKET_BYTES[0];
        let starts = || {
            head.iter()
                .skip(first)
                .step_by(*length)
                .take(CHECKED_PACKETS)
        };
        starts().count() > 1 && starts().all(|byte| *byte == PACKET_START)
    }) && !is_text(head)
}

/// Whether bytes start a Mach-O executable. The magic number of those for several processors is
/// that of Java classes, whose version follows in place of the small number of processors.
pub(crate) fn is_mach_o(head: &[u8]) -> bool {
    match head {
        [0xCE | 0xCF, 0xFA, 0xED, 0xFE, ..] | [0xFE, 0xED, 0xFA, 0xCE | 0xCF, ..] => true,
        [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, processors, ..] => *processors < 45,
        _ => false,
    }
}

/// Returns the bytes after the ID3 tags in front and after zeros, which some programs write there.
pub(crate) fn after_id3(head: &[u8]) -> &[u8] {
    let mut rest = head;
    while let Some(length) = mpeg_audio::id3_length(rest) {
        rest = rest.get(length..).unwrap_or_default();
    }
    let zeros = rest.iter().take_while(|byte| **byte == 0).count();
    &rest[zeros..]
}

pub(crate) fn starts_with_any(head: &[u8], starts: &[&[u8]]) -> bool {
    starts.iter().any(|start| head.starts_with(start))
}

pub(crate) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
