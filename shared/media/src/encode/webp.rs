//! WebP encoding with libwebp.

use webp::{Encoder, PixelLayout, WebPConfig};

use crate::{
    color,
    container::webp::{
        Chunks, HAS_ALPHA, HAS_EXIF, HAS_PROFILE, begin, end, extended_header, frame, push,
    },
    error::MediaError,
    pixels::{Channels, Pixels},
};

use super::EncodeOptions;

/// Maximum width and height, in pixels.
pub(super) const MAX_SIDE: u32 = 16_383;
/// Compression method, 0 (fastest) to 6 (smallest).
const METHOD: i32 = 4;
/// Effort of the lossless encoder, 0 to 100.
const LOSSLESS_EFFORT: f32 = 75.0;

pub(super) fn encode(pixels: Pixels, encoding: &EncodeOptions) -> Result<Vec<u8>, MediaError> {
    let mut config = WebPConfig::new()
        .map_err(|()| MediaError::encoding("libwebp has an incompatible ABI version"))?;
    config.method = METHOD;
    config.lossless = encoding.lossless.into();
    config.quality = if encoding.lossless {
        LOSSLESS_EFFORT
    } else {
        encoding.quality.into()
    };

    let pixels = color::with_colors(pixels);
    let layout = if pixels.channels == Channels::Rgba {
        PixelLayout::Rgba
    } else {
        PixelLayout::Rgb
    };
    let encoder = Encoder::new(&pixels.samples, layout, pixels.width, pixels.height);
    let file = encoder
        .encode_advanced(&config)
        .map_err(|code| MediaError::encoding(format!("{code:?}")))?;

    if pixels.profile.is_none() && encoding.exif.is_none() {
        return Ok(file.to_vec());
    }

    Ok(with_metadata(&file, &pixels, encoding.exif)?)
}

/// Adds a color profile and EXIF data to a WebP file.
fn with_metadata(
    file: &[u8],
    pixels: &Pixels,
    exif: Option<&[u8]>,
) -> Result<Vec<u8>, crate::error::ProbeError> {
    let mut chunks = Chunks::of(file)?;
    let mut kept = Vec::new();
    let mut flags = 0;
    while let Some(chunk) = chunks.next()? {
        match &chunk.kind {
            b"VP8X" => continue,
            b"ALPH" => flags |= HAS_ALPHA,
            b"VP8L" if frame(file, &chunk)?.has_alpha => flags |= HAS_ALPHA,
            _ => {}
        }
        kept.push(chunk);
    }
    flags |= if exif.is_some() { HAS_EXIF } else { 0 };
    flags |= if pixels.profile.is_some() {
        HAS_PROFILE
    } else {
        0
    };

    let mut extended = begin();
    push(
        &mut extended,
        *b"VP8X",
        &extended_header(flags, pixels.size()),
    );
    if let Some(profile) = &pixels.profile {
        push(&mut extended, *b"ICCP", profile);
    }
    for chunk in kept {
        push(&mut extended, chunk.kind, chunk.data(file)?);
    }
    if let Some(exif) = exif {
        push(&mut extended, *b"EXIF", exif);
    }
    Ok(end(extended))
}
