//! Files of the ISO base media file format (ISO/IEC 14496-12): video, audio, HEIF and AVIF.

use crate::{heif, text::is_text};

/// Kinds of boxes that a file without brands may start with ("`QuickTime` File Format
/// Specification").
const FIRST_BOXES: [&[u8; 4]; 6] = [b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot"];
/// Maximum number of bytes of the first box that are searched for brands.
const BRANDS_BYTES: usize = 256;

/// Brands of images, which no audio or video has.
const AVIF: [&[u8; 4]; 2] = [b"avif", b"avis"];
const HEVC: [&[u8; 4]; 8] = [
    b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs",
];
/// Brands of HEIF with any codec.
const HEIF: [&[u8; 4]; 2] = [b"mif1", b"msf1"];
const CR3: [&[u8; 4]; 1] = [b"crx "];

/// Whether bytes start an AVIF, by a major or compatible brand, or by the primary picture if no
/// brand names a codec.
pub(crate) fn is_avif(head: &[u8]) -> bool {
    let names_no_codec = || has_brand(head, &HEIF) && !has_brand(head, &HEVC);
    has_brand(head, &AVIF) || (names_no_codec() && heif::primary_picture(head) == Some(*b"av01"))
}

/// Whether bytes start a HEIF file other than AVIF, whose files also have its brands.
pub(crate) fn is_heif(head: &[u8]) -> bool {
    (has_brand(head, &HEVC) || has_brand(head, &HEIF)) && !is_avif(head)
}

/// Whether bytes start a raw photo of Canon.
pub(crate) fn is_cr3(head: &[u8]) -> bool {
    has_brand(head, &CR3)
}

fn has_brand(head: &[u8], known: &[&[u8; 4]]) -> bool {
    let brands = brands(head);
    brands.is_some_and(|mut brands| brands.any(|brand| known.contains(&&brand)))
}

/// Returns the brands of a file, the major one first.
fn brands(head: &[u8]) -> Option<impl Iterator<Item = [u8; 4]>> {
    let [a, b, c, d, b'f', b't' | b's', b'y', b'p', rest @ ..] = head else {
        return None;
    };
    if is_text(head) {
        return None;
    }
    let length = usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).ok()?;
    let content = match length {
        // The box ends with the file.
        0 => rest,
        // The length follows, in 64 bits.
        1 => rest.get(8..)?,
        _ => &rest[..rest.len().min(length.saturating_sub(8))],
    };

    let content = &content[..content.len().min(BRANDS_BYTES)];
    let (major, others) = content.split_first_chunk()?;
    // The version of the major brand lies between them.
    let compatible = others.get(4..).unwrap_or_default().as_chunks().0;
    Some(std::iter::once(*major).chain(compatible.iter().copied()))
}

/// Returns the MIME type of audio or video. Every brand is one; the known ones select the type
/// ("MP4 Registration Authority", brands).
pub(crate) fn mime_type(head: &[u8]) -> Option<&'static str> {
    if let Some(major) = brands(head).and_then(|mut brands| brands.next()) {
        let is_image = is_avif(head) || is_heif(head) || is_cr3(head);
        return (!is_image).then(|| of_brand(major));
    }
    let kind: &[u8; 4] = head.get(4..)?.first_chunk()?;
    (FIRST_BOXES.contains(&kind) && !is_text(head)).then_some("video/quicktime")
}

fn of_brand(major: [u8; 4]) -> &'static str {
    match &major {
        b"qt  " => "video/quicktime",
        b"M4A " | b"M4B " | b"M4P " | b"F4A " | b"F4B " => "audio/mp4",
        b"M4V " | b"M4VH" | b"M4VP" => "video/x-m4v",
        [b'3', b'g', b'2', _] => "video/3gpp2",
        [b'3', b'g', ..] => "video/3gpp",
        _ => "video/mp4",
    }
}
