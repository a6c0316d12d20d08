//! Metadata: removing it from a file without touching its pixels, and taking camera data out.
//!
//! Invariant: what remains decodes to the same pixels; colour profiles, and what animates, remain.

use crate::{
    Format, MediaError, Orientation, Probed,
    container::{gif, jpeg, png, webp},
    exif,
};

/// PNG chunks that are not needed to decode, and kept: they say how pixels look, or move.
const PNG_KEPT: [&[u8; 4]; 15] = [
    b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"mDCV", b"cLLI", b"bKGD",
    b"pHYs", b"acTL", b"fcTL", b"fdAT", b"hIST",
];
/// WebP chunks that are kept.
const WEBP_KEPT: [&[u8; 4]; 7] = [
    b"VP8X", b"ICCP", b"ANIM", b"ANMF", b"ALPH", b"VP8 ", b"VP8L",
];
/// GIF extensions that are kept: how often it repeats, twice, and its colour profile.
const GIF_KEPT: [&[u8; 11]; 3] = [b"NETSCAPE2.0", b"ANIMEXTS1.0", GIF_PROFILE];
/// The GIF extension of a colour profile.
const GIF_PROFILE: &[u8; 11] = b"ICCRGBG1012";

/// The file without camera data, places, comments, thumbnails and whatever follows its end. How it
/// is turned is kept, as camera data that says only that; of a JPEG it is not, so it has to be seen
/// as it is stored. Formats other than JPEG, PNG, GIF and WebP are not changed.
pub fn strip(bytes: &[u8], probed: &Probed) -> Result<Vec<u8>, MediaError> {
    let turned =
        (probed.orientation != Orientation::Normal).then(|| exif::only(probed.orientation));
    match probed.format {
        Format::Jpeg => strip_jpeg(bytes),
        Format::Png => strip_png(bytes, turned.as_deref()),
        Format::Gif => strip_gif(bytes),
        Format::WebP => strip_webp(bytes, turned.as_deref()),
        Format::Avif | Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => {
            Ok(bytes.to_vec())
        }
    }
}

fn strip_jpeg(bytes: &[u8]) -> Result<Vec<u8>, MediaError> {
    let mut kept = bytes[..2].to_vec();
    kept.reserve_exact(bytes.len() - 2);
    let mut segments = jpeg::Segments::of(bytes);
    let (mut end, mut has_pixels) = (2, false);
    loop {
        let segment = segments.next()?;
        if has_pixels {
            kept.extend_from_slice(&bytes[end..segment.range.start]);
        }
        end = segment.range.end;
        has_pixels |= segment.marker == jpeg::SCAN;
        let is_kept = segment.is_named(jpeg::JFIF, b"JFIF\0")
            || segment.is_named(jpeg::PROFILE, jpeg::PROFILE_NAME)
            || segment.is_named(jpeg::ADOBE, jpeg::ADOBE_NAME);
        let is_metadata =
            jpeg::APPLICATION.contains(&segment.marker) || segment.marker == jpeg::COMMENT;
        if is_kept || !is_metadata {
            kept.extend_from_slice(&bytes[segment.range]);
        }
        if segment.marker == jpeg::END {
            return Ok(kept);
        }
    }
}

fn strip_png(bytes: &[u8], turned: Option<&[u8]>) -> Result<Vec<u8>, MediaError> {
    let mut kept = bytes[..png::SIGNATURE].to_vec();
    let mut chunks = png::Chunks::of(bytes);
    loop {
        let chunk = chunks.next()?;
        let whole = chunk.whole(bytes)?;
        // Capital letters begin those without which there is no image.
        if chunk.kind[0].is_ascii_uppercase() || PNG_KEPT.contains(&&chunk.kind) {
            kept.extend_from_slice(whole);
        }
        if chunk.kind == *b"IHDR"
            && let Some(exif) = turned
        {
            kept.extend_from_slice(&png::written(*b"eXIf", exif));
        }
        if chunk.kind == *b"IEND" {
            return Ok(kept);
        }
    }
}

fn strip_gif(bytes: &[u8]) -> Result<Vec<u8>, MediaError> {
    let mut blocks = gif::Blocks::of(bytes)?;
    let mut kept = bytes
        .get(..blocks.at())
        .ok_or(MediaError::EndsEarly)?
        .to_vec();
    loop {
        let (kind, range) = blocks.next()?;
        let is_kept = match kind {
            gif::Kind::Application(name) => GIF_KEPT.contains(&&name),
            gif::Kind::Comment => false,
            _ => true,
        };
        if is_kept {
            kept.extend_from_slice(&bytes[range]);
        }
        if kind == gif::Kind::Trailer {
            return Ok(kept);
        }
    }
}

fn strip_webp(bytes: &[u8], turned: Option<&[u8]>) -> Result<Vec<u8>, MediaError> {
    let mut kept = webp::begin();
    let mut chunks = webp::Chunks::of(bytes)?;
    while let Some(chunk) = chunks.next()? {
        let data = chunk.data(bytes)?;
        if chunk.kind == *b"VP8X" {
            let mut data = data.to_vec();
            let flags = data.first_mut().ok_or(MediaError::EndsEarly)?;
            *flags &= !(webp::HAS_XMP | webp::HAS_EXIF);
            *flags |= if turned.is_some() { webp::HAS_EXIF } else { 0 };
            webp::push(&mut kept, chunk.kind, &data);
        } else if WEBP_KEPT.contains(&&chunk.kind) {
            webp::push(&mut kept, chunk.kind, data);
        }
    }
    if let Some(exif) = turned {
        webp::push(&mut kept, *b"EXIF", exif);
    }
    Ok(webp::end(kept))
}

/// Camera data of a file, for its pixels when they have been turned to be stored as they are seen.
pub(crate) fn settled_exif(bytes: &[u8], format: Format) -> Option<Vec<u8>> {
    exif::settled(exif_of(bytes, format)?)
}

fn exif_of(bytes: &[u8], format: Format) -> Option<&[u8]> {
    match format {
        Format::Jpeg => {
            let mut segments = jpeg::Segments::of(bytes);
            loop {
                let segment = segments.next().ok()?;
                if segment.is_named(jpeg::EXIF, jpeg::EXIF_NAME) {
                    return segment.payload.get(jpeg::EXIF_NAME.len()..);
                } else if matches!(segment.marker, jpeg::SCAN | jpeg::END) {
                    return None;
                }
            }
        }
        Format::Png => {
            let mut chunks = png::Chunks::of(bytes);
            loop {
                let chunk = chunks.next().ok()?;
                match &chunk.kind {
                    b"eXIf" => return chunk.data(bytes).ok(),
                    b"IDAT" | b"IEND" => return None,
                    _ => {}
                }
            }
        }
        Format::WebP => {
            let chunk = webp::Chunks::of(bytes).ok()?.find(*b"EXIF").ok()??;
            let data = chunk.data(bytes).ok()?;
            Some(data.strip_prefix(jpeg::EXIF_NAME).unwrap_or(data))
        }
        Format::Gif | Format::Avif | Format::Heic | Format::Bmp | Format::Tiff | Format::Ico => {
            None
        }
    }
}
