//! Reads an object, whole or its first bytes.

use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use tracing::instrument;

use crate::{ABSENT, Bucket, BucketError, ObjectKey, code};

/// The code of a refusal of a range that begins behind the object's last byte.
const INVALID_RANGE: &str = "InvalidRange";

/// Size and first bytes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectHead {
    /// Size of the whole object, in bytes.
    pub size_bytes: u64,
    /// Its first bytes.
    pub prefix: Bytes,
}

/// An object that is being read. All its bytes are those of one upload, whatever is stored under
/// its key meanwhile.
#[derive(Debug)]
pub struct ObjectReader {
    size_bytes: u64,
    body: ByteStream,
}

impl ObjectReader {
    /// Returns the size of the whole object, in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Returns the next bytes; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, BucketError> {
        self.body
            .try_next()
            .await
            .map_err(|error| BucketError::Busy(error.into()))
    }
}

impl Bucket {
    /// Returns an object's size and its first bytes, at most so many and at least one. `None` if
    /// there is no such object.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn head_with_prefix(
        &self,
        key: &ObjectKey,
        bytes: u64,
    ) -> Result<Option<ObjectHead>, BucketError> {
        let range = format!("bytes=0-{}", bytes.saturating_sub(1));
        let get = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .range(range);
        let object = match get.send().await {
            Ok(object) => object,
            Err(error) if code(&error) == Some(ABSENT) => return Ok(None),
            // No range lies within an object without bytes.
            Err(error) if code(&error) == Some(INVALID_RANGE) => {
                return Ok(Some(ObjectHead {
                    size_bytes: 0,
                    prefix: Bytes::new(),
                }));
            }
            Err(error) => return Err(BucketError::from_sdk(error)),
        };

        let size_bytes = object.content_range().and_then(whole_size);
        let size_bytes = size_bytes
            .ok_or_else(|| BucketError::refused("the answer does not tell the object's size"))?;
        let prefix = object
            .body
            .collect()
            .await
            .map_err(|error| BucketError::Busy(error.into()))?
            .into_bytes();
        Ok(Some(ObjectHead { size_bytes, prefix }))
    }

    /// Opens an object to read all of it. `None` if there is no such object.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn open(&self, key: &ObjectKey) -> Result<Option<ObjectReader>, BucketError> {
        let object = match self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .send()
            .await
        {
            Ok(object) => object,
            Err(error) if code(&error) == Some(ABSENT) => return Ok(None),
            Err(error) => return Err(BucketError::from_sdk(error)),
        };

        let size_bytes = object
            .content_length
            .and_then(|length| u64::try_from(length).ok());
        let size_bytes = size_bytes
            .ok_or_else(|| BucketError::refused("the answer does not tell the object's size"))?;
        Ok(Some(ObjectReader {
            size_bytes,
            body: object.body,
        }))
    }
}

/// The size at the end of a `Content-Range`.
fn whole_size(range: &str) -> Option<u64> {
    range.rsplit_once('/')?.1.parse().ok()
}
