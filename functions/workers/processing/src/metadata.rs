//! Metadata of files, as it is recorded.

use domain::{
    errors::ServiceError,
    files::{ExifValue, File, MAX_EXIF_BYTES, StorageMeta},
};
use media::{
    image_metadata::ImageMetadata,
    inspect::{Inspection, MediaProperties, SPARSE_CHUNK_BYTES, SparseReader, inspect_sparse},
};

use crate::{Processed, Processing};

impl Processing {
    /// Reads the metadata of audio, video and PDF files from the parts that contain it; `None` if
    /// the file was deleted.
    pub(crate) async fn read_metadata(
        &self,
        file: &File,
    ) -> Result<Option<Processed>, ServiceError> {
        let mut reader = SparseReader::new(file.size);
        loop {
            let inspecting = telemetry::spawn_blocking(move || {
                let inspection = inspect_sparse(&mut reader);
                (reader, inspection)
            });
            let Ok((inspected, inspection)) = inspecting.await else {
                tracing::error!(file_id = %file.id, "the metadata of the file cannot be read");
                return Ok(Some(Processed::default()));
            };

            reader = inspected;
            let offset = match inspection {
                Inspection::Done(properties) => {
                    return Ok(Some(Processed::of(of_media(properties))));
                }
                Inspection::Needs(offset) => offset,
            };
            let end = offset
                .saturating_add(SPARSE_CHUNK_BYTES as u64)
                .min(file.size);
            let Some(chunk) = self.files.range(file, offset..=end - 1).await? else {
                return Ok(None);
            };
            reader.add(offset, chunk.to_vec());
        }
    }
}

fn of_media(read: MediaProperties) -> StorageMeta {
    StorageMeta {
        width: read.width,
        height: read.height,
        duration: read.duration_seconds,
        pages: read.pages,
        ..StorageMeta::default()
    }
}

/// Returns the metadata of an image, with as many EXIF fields as a record may have.
pub(crate) fn of_image(read: ImageMetadata) -> StorageMeta {
    let mut meta = StorageMeta {
        width: read.width,
        height: read.height,
        format: read.format.map(|format| format.name().to_owned()),
        // Without dimensions, the headers could not be read.
        orientation: read.width.map(|_| read.orientation.to_exif()),
        has_alpha: read.has_alpha,
        pages: read.pages,
        ..StorageMeta::default()
    };

    let mut left_bytes = MAX_EXIF_BYTES;
    for (name, value) in read.exif {
        let value = match value {
            media::exif::ExifValue::Text(text) => ExifValue::Text(text),
            media::exif::ExifValue::Integer(number) => ExifValue::Integer(number),
            media::exif::ExifValue::Decimal(number) => ExifValue::Decimal(number),
        };
        let bytes = name.len() + value.size_bytes();
        if bytes <= left_bytes {
            left_bytes -= bytes;
            meta.exif.insert(name.to_owned(), value);
        }
    }
    meta
}
