//! Stored renditions: objects with the type and dimensions of their image.

use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use futures::Stream;
use tracing::instrument;

use crate::{
    Bucket, BucketError, ObjectKey,
    read::{chunks, size_of},
};

/// Metadata with the width of the image.
const WIDTH: &str = "width";
/// Metadata with the height of the image.
const HEIGHT: &str = "height";

/// Type and dimensions of a rendition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenditionInfo {
    pub content_type: String,
    pub width: u32,
    pub height: u32,
}

/// A rendition that was rendered, in memory.
#[derive(Clone, Debug)]
pub struct NewRendition {
    pub info: RenditionInfo,
    pub bytes: Bytes,
}

/// A rendition that is stored. Its bytes are not read yet.
#[derive(Debug)]
pub struct StoredRendition {
    pub info: RenditionInfo,
    pub size_bytes: u64,
    body: ByteStream,
}

impl StoredRendition {
    pub fn into_bytes(self) -> impl Stream<Item = Result<Bytes, BucketError>> + Send + use<> {
        chunks(self.body)
    }
}

impl Bucket {
    /// Returns a rendition; `None` if it is not stored.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn rendition(&self, key: &ObjectKey) -> Result<Option<StoredRendition>, BucketError> {
        let Some(object) = self.get_object(key, None).await? else {
            return Ok(None);
        };

        let metadata = |name| {
            let text = object.metadata.as_ref().and_then(|all| all.get(name));
            text.and_then(|text| text.parse().ok())
                .ok_or_else(|| BucketError::rejected("a rendition has no dimensions"))
        };
        let size_bytes = size_of(&object)?;
        let info = RenditionInfo {
            width: metadata(WIDTH)?,
            height: metadata(HEIGHT)?,
            content_type: object.content_type.unwrap_or_default(),
        };
        Ok(Some(StoredRendition {
            info,
            size_bytes,
            body: object.body,
        }))
    }

    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn put_rendition(
        &self,
        key: &ObjectKey,
        rendition: &NewRendition,
    ) -> Result<(), BucketError> {
        let NewRendition { info, bytes } = rendition;
        self.client
            .put_object()
            .bucket(&self.name)
            .key(&key.0)
            .content_type(&info.content_type)
            .metadata(WIDTH, info.width.to_string())
            .metadata(HEIGHT, info.height.to_string())
            .body(ByteStream::from(bytes.clone()))
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(())
    }
}
