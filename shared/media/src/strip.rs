//! Removal of metadata without decoding.
//!
//! Invariant: a stripped file decodes to the same pixels; color profiles and animations are kept.

use std::borrow::Cow;

use crate::{
    container::{gif, jpeg, png, webp},
    decode::decode,
    error::MediaError,
    exif,
    format::Format,
    orient::Orientation,
    probe::{ImageInfo, probe},
};

/// Ancillary PNG chunks to keep, which affect rendering or animation.
const PNG_KEPT: [&[u8; 4]; 15] = [
    b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"mDCV", b"cLLI", b"bKGD",
    b"pHYs", b"acTL", b"fcTL", b"fdAT", b"hIST",
];
/// WebP chunks to keep.
const WEBP_KEPT: [&[u8; 4]; 7] = [
    b"VP8X", b"ICCP", b"ANIM", b"ANMF", b"ALPH", b"VP8 ", b"VP8L",
];
/// GIF extensions to keep: two variants of the loop count, and the color profile.
const GIF_KEPT: [&[u8; 11]; 3] = [b"NETSCAPE2.0", b"ANIMEXTS1.0", GIF_PROFILE];
/// GIF extension of a color profile.
const GIF_PROFILE: &[u8; 11] = b"ICCRGBG1012";

/// Removes EXIF data, GPS positions, comments, thumbnails and bytes after the end of the file.
/// Keeps the orientation as minimal EXIF data. Other formats than JPEG, PNG, GIF and WebP are
/// unchanged.
pub fn strip(bytes: &[u8], probed: &ImageInfo) -> Result<Vec<u8>, MediaError> {
    let orientation_exif = (probed.orientation != Orientation::Normal)
        .then(|| exif::orientation_only(probed.orientation));
    match probed.format {
        Format::Jpeg => strip_jpeg(bytes, orientation_exif.as_deref()),
        Format::Png => strip_png(bytes, orientation_exif.as_deref()),
        Format::Gif => strip_gif(bytes),
        Format::WebP => strip_webp(bytes, orientation_exif.as_deref()),
        Format::Avif | Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => {
            Ok(bytes.to_vec())
        }
    }
}

fn strip_jpeg(bytes: &[u8], orientation_exif: Option<&[u8]>) -> Result<Vec<u8>, MediaError> {
    let mut kept = bytes[..2].to_vec();
    kept.reserve_exact(bytes.len() - 2);
    if let Some(exif) = orientation_exif {
        kept.extend_from_slice(&jpeg::exif_segment(exif));
    }
    let mut end = 2;
    let mut has_pixels = false;

    for segment in jpeg::Segments::of(bytes) {
        let segment = segment?;
        if has_pixels {
            // Fill bytes of a removed segment would turn the data after it into a marker.
            let data = &bytes[end..segment.range.start];
            let length = data.iter().rposition(|byte| *byte != 0xFF);
            kept.extend_from_slice(&data[..length.map_or(0, |last| last + 1)]);
        }
        end = segment.range.end;
        has_pixels |= segment.marker == jpeg::SCAN;
        let is_kept = segment.starts_with(jpeg::JFIF, b"JFIF\0")
            || segment.starts_with(jpeg::PROFILE, jpeg::PROFILE_NAME)
            || segment.starts_with(jpeg::ADOBE, jpeg::ADOBE_NAME);
        let is_metadata =
            jpeg::APPLICATION.contains(&segment.marker) || segment.marker == jpeg::COMMENT;
        if is_kept || !is_metadata {
            kept.extend_from_slice(&bytes[segment.range]);
        }
    }
    Ok(kept)
}

fn strip_png(bytes: &[u8], orientation_exif: Option<&[u8]>) -> Result<Vec<u8>, MediaError> {
    let repaired = png::repaired(bytes)?;
    if matches!(repaired, Cow::Owned(_)) {
        // Only the pixels show whether they are complete.
        decode(&repaired, &probe(&repaired)?)?;
    }

    let mut kept = bytes[..png::SIGNATURE].to_vec();
    for chunk in png::whole_chunks(&repaired)? {
        // An upper-case first letter marks critical chunks.
        if chunk.kind[0].is_ascii_uppercase() || PNG_KEPT.contains(&&chunk.kind) {
            kept.extend_from_slice(png::full(&repaired, &chunk)?);
        }
        if chunk.kind == *b"IHDR"
            && let Some(exif) = orientation_exif
        {
            kept.extend_from_slice(&png::encode_chunk(*b"eXIf", exif));
        }
    }
    Ok(kept)
}

fn strip_gif(bytes: &[u8]) -> Result<Vec<u8>, MediaError> {
    let bytes = &*gif::repaired(bytes)?;
    let mut kept = bytes[..gif::Blocks::of(bytes)?.at()].to_vec();

    for block in gif::whole_blocks(bytes)? {
        let is_kept = match block.kind {
            gif::BlockKind::Application(name) => GIF_KEPT.contains(&&name),
            gif::BlockKind::Comment => false,
            _ => true,
        };
        if is_kept {
            kept.extend_from_slice(&bytes[block.range]);
        }
    }
    Ok(kept)
}

fn strip_webp(bytes: &[u8], orientation_exif: Option<&[u8]>) -> Result<Vec<u8>, MediaError> {
    let mut kept = webp::begin();

    for chunk in webp::whole_chunks(bytes)? {
        let data = chunk.data(bytes)?;
        if chunk.kind == *b"VP8X" {
            let mut data = data.to_vec();
            let flags = data.first_mut().ok_or(MediaError::Truncated)?;
            *flags &= !(webp::HAS_XMP | webp::HAS_EXIF);
            *flags |= if orientation_exif.is_some() {
                webp::HAS_EXIF
            } else {
                0
            };
            webp::push(&mut kept, chunk.kind, &data);
        } else if WEBP_KEPT.contains(&&chunk.kind) {
            webp::push(&mut kept, chunk.kind, data);
        }
    }

    if let Some(exif) = orientation_exif {
        webp::push(&mut kept, *b"EXIF", exif);
    }

    Ok(webp::end(kept))
}
