//! Presigned addresses: storage itself answers them, to whoever has them, until they expire.
//!
//! Invariant: an address to write to signs nothing that a plain `PUT` of the bytes with their content type does not send.

use std::time::{Duration, UNIX_EPOCH};

use aws_sdk_s3::presigning::PresigningConfig;
use domain::Timestamp;

use crate::{Bucket, Error, ObjectKey};

/// What an answer of storage itself is to say in place of what is stored.
#[derive(Clone, Debug)]
pub struct AnswerHeaders {
    /// `Content-Type`.
    pub content_type: String,
    /// `Content-Disposition`.
    pub content_disposition: String,
    /// `Cache-Control`.
    pub cache_control: String,
}

impl Bucket {
    /// An address from which anyone can read the object from `now` on for so long, with these headers. It may begin in the
    /// past, so that all addresses of a while are the same.
    pub async fn presign_get(
        &self,
        key: &ObjectKey,
        headers: AnswerHeaders,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<String, Error> {
        let presigned = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .response_content_type(headers.content_type)
            .response_content_disposition(headers.content_disposition)
            .response_cache_control(headers.cache_control)
            .presigned(from_now(now, lifetime)?)
            .await
            .map_err(Error::from_sdk)?;
        Ok(presigned.uri().to_owned())
    }

    /// An address to which anyone can `PUT` an object from now on for so long, as often as they like: of this content type
    /// and of exactly so many bytes. Storage refuses what is longer, shorter or of another type.
    pub async fn presign_put(
        &self,
        key: &ObjectKey,
        content_type: &str,
        length_bytes: u64,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<String, Error> {
        let presigned = self
            .client
            .put_object()
            .bucket(&self.name)
            .key(&key.0)
            .content_type(content_type)
            .content_length(i64::try_from(length_bytes).map_err(Error::refused)?)
            .presigned(from_now(now, lifetime)?)
            .await
            .map_err(Error::from_sdk)?;
        Ok(presigned.uri().to_owned())
    }
}

fn from_now(now: Timestamp, lifetime: Duration) -> Result<PresigningConfig, Error> {
    let start = UNIX_EPOCH + Duration::from_millis(now.ms().unsigned_abs());
    PresigningConfig::builder().start_time(start).expires_in(lifetime).build().map_err(Error::refused)
}
