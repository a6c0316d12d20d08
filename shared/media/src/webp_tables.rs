//! Limit of the code tables of lossless and transparent WebP files.

use crate::{
    container::{vp8l, webp},
    error::MediaError,
};

/// Maximum memory of the code tables of an image, in bytes. The usual encoder uses at most 2,600
/// groups of five codes, of about 5 KB.
pub(crate) const MAX_TABLE_BYTES: u64 = 128 << 20;
/// Length of the header before the transforms of a lossless image, in bytes.
const LOSSLESS_HEADER: usize = 5;
/// Length of the header of transparency, in bytes.
const ALPHA_HEADER: usize = 1;

/// Fails if the tables of an image or a frame of a WebP need more memory than a limit, in bytes.
pub(crate) fn require_table_limit(bytes: &[u8], limit: u64) -> Result<(), MediaError> {
    let mut size = None;
    for chunk in webp::whole_chunks(bytes)? {
        let data = chunk.data(bytes)?;
        let stream = match &chunk.kind {
            b"VP8X" => {
                size = Some(webp::canvas(bytes, &chunk)?);
                continue;
            }
            b"VP8L" => {
                size = Some(webp::frame(bytes, &chunk)?.dimensions);
                data.get(LOSSLESS_HEADER..)
            }
            // The lowest bits are the compression.
            b"ALPH" if data.first().is_some_and(|flags| flags & 3 == 1) => data.get(ALPHA_HEADER..),
            _ => continue,
        };

        if let Some(size) = size {
            vp8l::require_table_limit(stream.unwrap_or_default(), size, limit)?;
        }
    }

    Ok(())
}
