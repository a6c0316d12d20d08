//! Where a file has its EXIF data.

use std::borrow::Cow;

use crate::{
    container::{heif::Meta, jpeg, png, webp},
    format::Format,
};

/// Returns the EXIF data of a file as a TIFF structure, copied only if it has several parts. That
/// of a TIFF is the file.
pub(crate) fn block(bytes: &[u8], format: Format) -> Option<Cow<'_, [u8]>> {
    let borrowed = match format {
        Format::Jpeg => {
            let is_exif = |found: &jpeg::Segment| found.starts_with(jpeg::EXIF, jpeg::EXIF_NAME);
            let segment = jpeg::header(bytes).find(is_exif)?;
            segment.payload.get(jpeg::EXIF_NAME.len()..)
        }
        Format::Png => {
            let chunks = png::Chunks::of(bytes).map_while(Result::ok);
            let mut header = chunks.take_while(|chunk| chunk.kind != *b"IDAT");
            header
                .find(|chunk| chunk.kind == *b"eXIf")?
                .data(bytes)
                .ok()
        }
        Format::WebP => {
            let chunk = webp::Chunks::of(bytes).ok()?.find(*b"EXIF").ok()??;
            let data = chunk.data(bytes).ok()?;
            Some(data.strip_prefix(jpeg::EXIF_NAME).unwrap_or(data))
        }
        Format::Avif | Format::Heic => return Meta::of(bytes).ok()?.exif().ok()?,
        Format::Tiff => Some(bytes),
        Format::Gif | Format::Bmp | Format::Ico => None,
    };

    borrowed.map(Cow::Borrowed)
}
