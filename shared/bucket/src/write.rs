//! Writes of whole objects.

use std::path::PathBuf;

use aws_sdk_s3::primitives::ByteStream;
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use tracing::instrument;

use crate::{Bucket, BucketError, ObjectKey};

/// Bytes to store. They can be sent again if a response is lost.
#[derive(Clone, Debug)]
pub enum Payload {
    Memory(Bytes),
    /// A whole file on disk.
    File(PathBuf),
}

impl Bucket {
    /// Stores an object. S3 verifies the SHA-256, which is in lower-case hex.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn put(
        &self,
        key: &ObjectKey,
        payload: Payload,
        content_type: &str,
        checksum_sha256: &str,
    ) -> Result<(), BucketError> {
        let checksum = hex::decode(checksum_sha256).map_err(BucketError::rejected)?;
        let body = match payload {
            Payload::Memory(bytes) => ByteStream::from(bytes),
            Payload::File(path) => ByteStream::from_path(path)
                .await
                .map_err(BucketError::rejected)?,
        };

        self.client
            .put_object()
            .bucket(&self.name)
            .key(&key.0)
            .content_type(content_type)
            .checksum_sha256(BASE64_STANDARD.encode(checksum))
            .body(body)
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(())
    }

    /// Stores the image of a watermark.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn put_watermark(&self, key: &ObjectKey, image: Bytes) -> Result<(), BucketError> {
        self.client
            .put_object()
            .bucket(&self.name)
            .key(&key.0)
            .body(ByteStream::from(image))
            .send()
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(())
    }
}
