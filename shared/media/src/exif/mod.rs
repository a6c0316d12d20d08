//! EXIF data: where files have it, its orientation, its adjustment to pixels that were rotated, and
//! its fields.

mod block;
mod fields;
mod tags;

pub(crate) use block::block;
pub(crate) use fields::fields;
pub use fields::{ExifValue, MAX_EXIF_CHARACTERS, MAX_EXIF_FIELDS};

use crate::{container::tiff, orient::Orientation};

/// Returns the orientation in EXIF data; normal if it is missing or invalid.
pub(crate) fn orientation(exif: &[u8]) -> Orientation {
    let directory = tiff::Directory::first(exif);
    let value = directory.and_then(|directory| directory.number(tiff::ORIENTATION));
    value
        .ok()
        .flatten()
        .and_then(Orientation::from_exif)
        .unwrap_or_default()
}

/// Returns EXIF data for pixels in display orientation: with normal orientation and without the
/// thumbnail, which is not rotated. Returns `None` if it cannot be parsed.
pub(crate) fn normalized(exif: &[u8]) -> Option<Vec<u8>> {
    let directory = tiff::Directory::first(exif).ok()?;
    let normal = directory.encoded_one(tiff::ORIENTATION).ok()?;
    let next = directory.next_at();

    let mut exif = exif.to_vec();
    if let Some((at, one)) = normal {
        exif.get_mut(at..at + one.len())?.copy_from_slice(one);
    }
    // The second directory describes the thumbnail. Its bytes stay, but without the link no reader
    // finds them.
    exif.get_mut(next..next + 4)?.fill(0);
    Some(exif)
}

/// Returns EXIF data that only contains an orientation.
pub(crate) fn orientation_only(orientation: Orientation) -> Vec<u8> {
    let head = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01";
    let value = orientation.to_exif() << 16;
    [&head[..], &value.to_be_bytes(), &[0; 4]].concat()
}
