//! Estimates of the memory and time of a rendering, from headers alone.
//!
//! Invariants:
//! - No pixel is decoded, and the arithmetic saturates: headers may contain any number.
//! - An estimate of memory is at least the measured peak of the worst image with such a header, and
//!   at most about three times that of a common one (`tests/memory`).

mod decoding;
mod encoding;
mod resizing;
mod source;
mod time;
mod webp_tables;

pub(crate) use decoding::{DecodedImage, DecodedPlane};
pub(crate) use encoding::encoding_bytes;
pub(crate) use resizing::{ResizedPart, Support, resizing_bytes};
pub(crate) use source::Coding;
pub use time::MAX_RENDERING_MILLISECONDS;
pub(crate) use time::{Work, decoding_time, rendering_time};
pub(crate) use webp_tables::{MAX_TABLE_BYTES, require_table_limit};

use crate::Dimensions;

/// Returns width times height times a number of bytes.
fn area_bytes(size: Dimensions, bytes_per_pixel: u64) -> u64 {
    size.pixels().saturating_mul(bytes_per_pixel)
}
