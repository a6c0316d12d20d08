//! Reads of objects: whole, a range, or the first bytes.

use std::ops::RangeInclusive;

use aws_sdk_s3::{operation::get_object::GetObjectOutput, primitives::ByteStream};
use bytes::Bytes;
use futures::{Stream, stream};
use tracing::instrument;

use crate::{
    Bucket, BucketError, ObjectKey,
    error::{NO_SUCH_KEY, code},
};

/// Error code of a range that starts after the object's last byte.
const INVALID_RANGE: &str = "InvalidRange";

/// Size and first bytes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectHead {
    /// Size of the whole object, in bytes.
    pub size_bytes: u64,
    pub prefix: Bytes,
}

/// A read of a whole object. All bytes are those of one version, even if the object is replaced
/// during the read.
#[derive(Debug)]
pub struct ObjectReader {
    size_bytes: u64,
    body: ByteStream,
}

impl ObjectReader {
    /// Returns the size of the object, in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Returns the next bytes; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, BucketError> {
        self.body.try_next().await.map_err(BucketError::busy)
    }
}

impl Bucket {
    /// Returns the bytes of an object, or a range of them; `None` if the object does not exist.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn get(
        &self,
        key: &ObjectKey,
        range: Option<RangeInclusive<u64>>,
    ) -> Result<Option<impl Stream<Item = Result<Bytes, BucketError>> + Send + use<>>, BucketError>
    {
        let range = range.map(|range| format!("bytes={}-{}", range.start(), range.end()));
        let object = self.get_object(key, range).await?;
        Ok(object.map(|object| chunks(object.body)))
    }

    /// Returns the size and up to `prefix_bytes` first bytes of an object, at least one; `None` if
    /// the object does not exist.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn head_with_prefix(
        &self,
        key: &ObjectKey,
        prefix_bytes: u64,
    ) -> Result<Option<ObjectHead>, BucketError> {
        let range = format!("bytes=0-{}", prefix_bytes.saturating_sub(1));
        let sent = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .range(range)
            .send()
            .await;
        let object = match sent {
            Ok(object) => object,
            Err(error) if code(&error) == Some(NO_SUCH_KEY) => return Ok(None),
            // Every range is invalid for an empty object.
            Err(error) if code(&error) == Some(INVALID_RANGE) => {
                return Ok(Some(ObjectHead {
                    size_bytes: 0,
                    prefix: Bytes::new(),
                }));
            }
            Err(error) => return Err(BucketError::from_sdk(error)),
        };

        let size_bytes = object
            .content_range()
            .and_then(total_size)
            .ok_or_else(missing_size)?;
        let prefix = object.body.collect().await.map_err(BucketError::busy)?;
        Ok(Some(ObjectHead {
            size_bytes,
            prefix: prefix.into_bytes(),
        }))
    }

    /// Opens an object to read all of it; `None` if the object does not exist.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn open(&self, key: &ObjectKey) -> Result<Option<ObjectReader>, BucketError> {
        let Some(object) = self.get_object(key, None).await? else {
            return Ok(None);
        };
        Ok(Some(ObjectReader {
            size_bytes: size_of(&object)?,
            body: object.body,
        }))
    }

    /// Returns an object, or a range of it, before its bytes are read; `None` if the object does
    /// not exist.
    pub(crate) async fn get_object(
        &self,
        key: &ObjectKey,
        range: Option<String>,
    ) -> Result<Option<GetObjectOutput>, BucketError> {
        let sent = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .set_range(range)
            .send()
            .await;

        match sent {
            Ok(object) => Ok(Some(object)),
            Err(error) if code(&error) == Some(NO_SUCH_KEY) => Ok(None),
            Err(error) => Err(BucketError::from_sdk(error)),
        }
    }
}

/// Returns the size of an object that was not read in a range.
pub(crate) fn size_of(object: &GetObjectOutput) -> Result<u64, BucketError> {
    object
        .content_length
        .and_then(|length| u64::try_from(length).ok())
        .ok_or_else(missing_size)
}

/// Returns the total size in a `Content-Range`.
fn total_size(content_range: &str) -> Option<u64> {
    content_range.rsplit_once('/')?.1.parse().ok()
}

fn missing_size() -> BucketError {
    BucketError::rejected("the response of S3 has no object size")
}

pub(crate) fn chunks(body: ByteStream) -> impl Stream<Item = Result<Bytes, BucketError>> + Send {
    stream::try_unfold(body, |mut body| async move {
        let chunk = body.try_next().await.map_err(BucketError::busy)?;
        Ok(chunk.map(|chunk| (chunk, body)))
    })
}
