//! The bytes of files that a request is authorized to read: originals, and stored renditions of
//! images.
//!
//! Invariants:
//! - A rendition of a deleted file, or of replaced bytes, is not stored. It is written first, and
//!   deleted again if the record is gone by then, or has other bytes.
//! - Replaced bytes remain for longer than any request takes, so the record and the object of a
//!   response agree.

use std::{ops::RangeInclusive, time::Duration};

use bucket::{BucketError, NewRendition, ObjectKey, ResponseHeaders, StoredRendition};
use bytes::Bytes;
use domain::{
    env::Timestamp,
    errors::ServiceError,
    renditions::{Rendition, RenditionLocation, Retention, Transformation},
    settings::{AppliedWatermark, DeliveryType, TransformationPolicy},
    uploads::UploadConfigReference,
};
use futures::Stream;
use tracing::instrument;

use super::AuthorizedFile;
use crate::{objects::FileBucket, objects::original_key, spaces::Tenants};

/// The original and the renditions of a file, and the image of its watermark.
#[derive(Clone, Copy, Debug)]
pub struct FileObjects<'a> {
    file: &'a AuthorizedFile,
    bucket: &'a FileBucket,
}

impl AuthorizedFile {
    /// Returns the objects of the file in its bucket.
    pub fn objects<'a>(&'a self, bucket: &'a FileBucket) -> FileObjects<'a> {
        FileObjects { file: self, bucket }
    }

    /// Whether the request may have an image that is larger than the original: with credentials, or
    /// as a thumbnail that the API lists.
    pub fn may_enlarge(&self, transformation: Option<Transformation>) -> bool {
        self.has_credentials() || self.is_listed(transformation)
    }

    /// Whether a transformation is that of a thumbnail that the API lists.
    fn is_listed(&self, transformation: Option<Transformation>) -> bool {
        let Some(query) = transformation.map(|transformation| transformation.to_string()) else {
            return false;
        };
        let thumbnails = self.file().thumbnails();
        thumbnails.iter().any(|thumbnail| thumbnail.query == query)
    }

    /// Fails with 403 if the request may not create an image with this transformation. The
    /// thumbnails that the API lists may always be created, except those of private files.
    pub async fn require_creatable(
        &self,
        tenants: &Tenants,
        transformation: Option<Transformation>,
    ) -> Result<(), ServiceError> {
        let is_private = self.file().delivery_type == DeliveryType::Private;
        let is_creatable = match self.creatable {
            TransformationPolicy::Any => true,
            _ if !is_private && self.is_listed(transformation) => true,
            TransformationPolicy::Signed => false,
            TransformationPolicy::Named => {
                let config = UploadConfigReference::Id(self.file().upload_config_id);
                let config = tenants
                    .table
                    .upload_configs()
                    .get(self.file().space_id, &config)
                    .await?;
                let mut eager = config
                    .into_iter()
                    .flat_map(|config| config.config.transformations.eager);
                eager.any(|eager| Some(eager.requested()) == transformation)
            }
        };

        if is_creatable {
            Ok(())
        } else {
            Err(not_creatable())
        }
    }

    /// Returns where a rendition is stored if this request creates it: one that anyone may create
    /// expires, unless the API lists it as a thumbnail. The original with a watermark does not: a
    /// file has one per watermark.
    pub fn location_of(&self, rendition: &Rendition) -> RenditionLocation {
        let is_permanent = rendition.transformation.is_none()
            || self.has_credentials()
            || self.creatable != TransformationPolicy::Any
            || self.is_listed(rendition.transformation);
        RenditionLocation {
            id: rendition.id(),
            retention: if is_permanent {
                Retention::Permanent
            } else {
                Retention::Expiring
            },
        }
    }

    /// Returns the key of the object with a rendition, or with the original for `None`.
    pub fn object_key(
        &self,
        rendition: Option<&RenditionLocation>,
    ) -> Result<String, ServiceError> {
        Ok(self.key_of(rendition)?.as_str().to_owned())
    }

    fn key_of(&self, rendition: Option<&RenditionLocation>) -> Result<ObjectKey, ServiceError> {
        match rendition {
            Some(location) => self.rendition_key(location),
            None => original_key(self.file()),
        }
    }

    /// Returns the key of a rendition. Fails if the file has no bytes.
    fn rendition_key(&self, location: &RenditionLocation) -> Result<ObjectKey, ServiceError> {
        let file = self.file();
        let revision = file
            .revision
            .ok_or_else(|| ServiceError::internal("the file has no stored bytes"))?;
        Ok(ObjectKey::rendition(
            file.space_id,
            file.id,
            revision,
            location,
        ))
    }
}

/// Why the bytes of a file are gone that its record referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoneBytes {
    /// The file was deleted.
    Deleted,
    /// The file has other bytes.
    Replaced,
}

impl From<GoneBytes> for ServiceError {
    fn from(gone: GoneBytes) -> ServiceError {
        match gone {
            GoneBytes::Deleted => ServiceError::not_found(),
            GoneBytes::Replaced => ServiceError::contended("the bytes were replaced"),
        }
    }
}

impl FileObjects<'_> {
    /// Returns the file's bytes, or a range of them. Fails with 404 if the file was deleted in the
    /// meantime, and with 503 if they were replaced.
    pub async fn bytes(
        self,
        tenants: &Tenants,
        range: Option<RangeInclusive<u64>>,
    ) -> Result<impl Stream<Item = Result<Bytes, BucketError>> + Send + use<>, ServiceError> {
        let original = self.original(tenants, range).await?;
        original.map_err(ServiceError::from)
    }

    /// Returns the file's bytes, or a range of them, unless they are gone.
    pub async fn original(
        self,
        tenants: &Tenants,
        range: Option<RangeInclusive<u64>>,
    ) -> Result<
        Result<impl Stream<Item = Result<Bytes, BucketError>> + Send + use<>, GoneBytes>,
        ServiceError,
    > {
        let key = original_key(self.file.file())?;
        if let Some(object) = self.bucket.0.get(&key, range).await? {
            return Ok(Ok(object));
        }

        let file = self.file.file();
        let files = tenants.table.files().get(file.space_id, &[file.id]).await?;
        match files.get(&file.id) {
            None => Ok(Err(GoneBytes::Deleted)),
            Some(current) if current.revision != file.revision => Ok(Err(GoneBytes::Replaced)),
            Some(_) => {
                let missing = format!("the bytes of file {} are missing", file.id);
                Err(ServiceError::internal(missing))
            }
        }
    }

    /// Returns a rendition; `None` if it is not stored.
    pub async fn rendition(
        self,
        location: &RenditionLocation,
    ) -> Result<Option<StoredRendition>, ServiceError> {
        let key = self.file.rendition_key(location)?;
        Ok(self.bucket.0.rendition(&key).await?)
    }

    /// Returns a range of a stored rendition's bytes. Fails with 503 if the rendition was deleted
    /// in the meantime.
    pub async fn rendition_range(
        self,
        location: &RenditionLocation,
        range: RangeInclusive<u64>,
    ) -> Result<impl Stream<Item = Result<Bytes, BucketError>> + Send + use<>, ServiceError> {
        let key = self.file.rendition_key(location)?;
        let bytes = self.bucket.0.get(&key, Some(range)).await?;
        bytes.ok_or_else(|| ServiceError::contended("the rendition was deleted"))
    }

    #[instrument(skip_all)]
    pub async fn store_rendition(
        self,
        tenants: &Tenants,
        location: &RenditionLocation,
        rendition: &NewRendition,
    ) -> Result<(), ServiceError> {
        let key = self.file.rendition_key(location)?;
        self.bucket.0.put_rendition(&key, rendition).await?;

        let file = self.file.file();
        let revisions = tenants
            .table
            .sweeps()
            .revisions(file.space_id, &[file.id])
            .await?;
        let current = revisions.get(&file.id).and_then(|found| found.revision);
        if current != file.revision {
            self.bucket.0.delete(&key).await?;
        }
        Ok(())
    }

    /// Returns a presigned URL of a rendition in S3, or of the original for `None`.
    pub async fn presign(
        self,
        rendition: Option<&RenditionLocation>,
        url: PresignedRead,
    ) -> Result<String, ServiceError> {
        let PresignedRead {
            headers,
            start,
            lifetime,
        } = url;
        let key = self.file.key_of(rendition)?;
        Ok(self
            .bucket
            .0
            .presign_get(&key, headers, start, lifetime)
            .await?)
    }

    /// Returns the stored image of the file's watermark. Fails with 503 if the watermark was
    /// changed in the meantime.
    pub async fn watermark_image(
        self,
        watermark: AppliedWatermark,
    ) -> Result<impl Stream<Item = Result<Bytes, BucketError>> + Send + use<>, ServiceError> {
        let key = ObjectKey::watermark(self.file.file().space_id, watermark.revision);
        let image = self.bucket.0.get(&key, None).await?;
        image.ok_or_else(|| ServiceError::contended("the image of the watermark was replaced"))
    }
}

fn not_creatable() -> ServiceError {
    ServiceError::forbidden(
        "This image requires a signed URL, or an API key of its space in the Authorization header.",
    )
}

/// Response headers and validity of a presigned URL to read from.
#[derive(Clone, Debug)]
pub struct PresignedRead {
    /// Headers of the response of S3.
    pub headers: ResponseHeaders,
    /// Start of the validity.
    pub start: Timestamp,
    /// Time from the start to the end of the validity.
    pub lifetime: Duration,
}
