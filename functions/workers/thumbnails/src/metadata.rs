//! Metadata of files, as it is recorded.

use domain::{ExifValue, File, MAX_EXIF_BYTES, ServiceError, StorageMeta};
use media::ImageMetadata;

use crate::{Processed, Thumbnails};

impl Thumbnails {
    /// Reads the metadata of a file that is no image; `None` if the file was deleted.
    pub(crate) async fn read_metadata(
        &self,
        _file: &File,
    ) -> Result<Option<Processed>, ServiceError> {
        Ok(Some(Processed::of(StorageMeta::default())))
    }
}

/// Returns the metadata of an image, with as many EXIF fields as a record may have.
pub(crate) fn of_image(read: ImageMetadata) -> StorageMeta {
    let mut meta = StorageMeta {
        width: read.width,
        height: read.height,
        format: read.format.map(|format| format.name().to_owned()),
        orientation: read.format.map(|_| read.orientation.to_exif()),
        has_alpha: read.has_alpha,
        pages: read.pages,
        ..StorageMeta::default()
    };

    let mut left_bytes = MAX_EXIF_BYTES;
    for (name, value) in read.exif {
        let value = match value {
            media::ExifValue::Text(text) => ExifValue::Text(text),
            media::ExifValue::Integer(number) => ExifValue::Integer(number),
            media::ExifValue::Decimal(number) => ExifValue::Decimal(number),
        };
        let bytes = name.len() + value.size_bytes();
        if bytes <= left_bytes {
            left_bytes -= bytes;
            meta.exif.insert(name.to_owned(), value);
        }
    }
    meta
}
