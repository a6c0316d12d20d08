//! Camera data (EXIF): how the image is turned, and the data that goes with pixels which have been
//! turned.

use crate::{Orientation, container::tiff};

/// The orientation that camera data names; normal where it names none that there is.
pub(crate) fn orientation(exif: &[u8]) -> Orientation {
    let directory = tiff::Directory::first(exif);
    let named = directory.and_then(|directory| directory.number(tiff::ORIENTATION));
    named
        .ok()
        .flatten()
        .and_then(Orientation::of_exif)
        .unwrap_or_default()
}

/// The same camera data for pixels that are stored as they are seen, without the thumbnail, which
/// is not. None where it cannot be read.
pub(crate) fn settled(exif: &[u8]) -> Option<Vec<u8>> {
    let directory = tiff::Directory::first(exif).ok()?;
    let (normal, next) = (directory.one(tiff::ORIENTATION).ok()?, directory.next_at());
    let mut exif = exif.to_vec();
    if let Some((place, one)) = normal {
        exif.get_mut(place..place + one.len())?.copy_from_slice(one);
    }
    // The second directory is the thumbnail's. Unlinked, it and its pixels are still bytes of the
    // file, so they are cut off only by those who write the data anew; nothing shows them any more.
    exif.get_mut(next..next + 4)?.fill(0);
    Some(exif)
}

/// Camera data that says how the image is turned and nothing else.
pub(crate) fn only(orientation: Orientation) -> Vec<u8> {
    let mut exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01".to_vec();
    exif.extend_from_slice(&[
        0,
        u8::try_from(orientation.to_exif()).unwrap_or(1),
        0,
        0,
        0,
        0,
        0,
        0,
    ]);
    exif
}
