//! Images of icons ("ICO file format": a directory of BMPs without their file headers, and of
//! PNGs).

use domain::naming::ImageSize;

use crate::{
    bytes::{array, be32, le16, le32, length, part},
    error::{MediaError, ProbeError},
};

/// First bytes of a PNG.
const PNG_START: &[u8] = b"\x89PNG\r\n\x1A\n";
/// Length of the header of an icon, in bytes.
const HEADER: usize = 6;
/// Length of an entry of the directory, in bytes.
const ENTRY: usize = 16;
/// Offset of the data of an icon with one image, in bytes.
const DATA: u32 = 22;

/// An image of an icon.
pub(crate) struct IconImage {
    /// Its entry in the directory.
    entry: [u8; ENTRY],
    /// Offset of the image.
    at: usize,
}

/// Returns the image that the directory declares as the largest one; of several, the one with most
/// bits per pixel.
pub(crate) fn largest(bytes: &[u8]) -> Result<IconImage, ProbeError> {
    let count = usize::from(le16(bytes, 4)?);
    let mut largest = None;
    for index in 0..count {
        let entry: [u8; ENTRY] = array(bytes, HEADER + index * ENTRY)?;
        // 0 stands for 256, so it wraps to the largest.
        let rank = [
            entry[0].wrapping_sub(1).into(),
            entry[1].wrapping_sub(1).into(),
            le16(&entry, 6)?,
        ];
        if largest.is_none_or(|(best, _)| rank > best) {
            largest = Some((rank, entry));
        }
    }

    let (_, entry) = largest.ok_or(ProbeError::Malformed("an icon without images"))?;
    let at = length(le32(&entry, 12)?.into());
    Ok(IconImage { entry, at })
}

impl IconImage {
    /// Whether the image is a PNG.
    pub(crate) fn is_png(&self, bytes: &[u8]) -> Result<bool, ProbeError> {
        Ok(part(bytes, self.at, PNG_START.len())? == PNG_START)
    }

    /// Returns the size in the header of the image itself, since browsers ignore a different one in
    /// the directory.
    pub(crate) fn size(&self, bytes: &[u8]) -> Result<ImageSize, ProbeError> {
        if self.is_png(bytes)? {
            return Ok(ImageSize::new(
                be32(bytes, self.at + 16)?,
                be32(bytes, self.at + 20)?,
            ));
        }
        // The height of a BMP includes that of the mask.
        let side =
            |at: usize| le32(bytes, self.at + at).map(|side| side.cast_signed().unsigned_abs());
        Ok(ImageSize::new(side(4)?, side(8)? / 2))
    }

    /// Returns the bytes from the image to the end of the file, whatever length the directory
    /// declares.
    pub(crate) fn data<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], MediaError> {
        bytes.get(self.at..).ok_or(MediaError::Truncated)
    }

    /// Returns an icon with this image only, whose directory has its size.
    pub(crate) fn alone(&self, bytes: &[u8]) -> Result<Vec<u8>, MediaError> {
        let size = self.size(bytes)?;
        let data = self.data(bytes)?;
        let stored = [size.width, size.height].map(|side| u8::try_from(side).unwrap_or(0));
        let data_length = u32::try_from(data.len()).map_err(MediaError::malformed)?;

        let mut icon = vec![0, 0, 1, 0, 1, 0];
        icon.extend(stored);
        icon.extend_from_slice(&self.entry[2..8]);
        icon.extend_from_slice(&data_length.to_le_bytes());
        icon.extend_from_slice(&DATA.to_le_bytes());
        icon.extend_from_slice(data);
        Ok(icon)
    }
}
