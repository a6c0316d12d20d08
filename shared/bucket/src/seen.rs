//! An object that anyone may have overwritten since: it is looked at once, and then read only as it was seen.
//!
//! Invariant: what is read by an ETag is the bytes that were looked at under it, or nothing.

use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use bytes::Bytes;
use futures::Stream;

use crate::{Bucket, Error, ObjectKey, chunks};

/// The code of a refusal since the object has another ETag.
const OTHER: &str = "PreconditionFailed";
/// The code of a refusal since there is no such object.
const ABSENT: &str = "NoSuchKey";
/// The code of a refusal since the object ends before the bytes that were asked for begin.
const BEYOND: &str = "InvalidRange";
/// The ETag of every object without bytes: the MD5 of nothing.
const EMPTY: &str = "\"d41d8cd98f00b204e9800998ecf8427e\"";

/// An object as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// What tells these bytes from others under the same key, as storage spells it.
    pub etag: String,
    /// Bytes of the whole object.
    pub size_bytes: u64,
    /// Its first bytes.
    pub beginning: Bytes,
}

/// What became of an object that was seen before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen<T> {
    /// It is the same.
    Same(T),
    /// It has other bytes, or is gone.
    Changed,
}

impl Bucket {
    /// Looks at an object: what it is told by, its size and its first bytes, so many at most and one at least. `None`
    /// where there is none.
    pub async fn look(&self, key: &ObjectKey, bytes: u64) -> Result<Option<Looked>, Error> {
        let range = format!("bytes=0-{}", bytes.saturating_sub(1));
        let get = self.client.get_object().bucket(&self.name).key(&key.0).range(range);
        let object = match get.send().await {
            Ok(object) => object,
            Err(error) if code(&error) == Some(ABSENT) => return Ok(None),
            // No range lies within an object without bytes.
            Err(error) if code(&error) == Some(BEYOND) => {
                return Ok(Some(Looked { etag: EMPTY.to_owned(), size_bytes: 0, beginning: Bytes::new() }));
            }
            Err(error) => return Err(Error::from_sdk(error)),
        };
        let size_bytes = object.content_range().and_then(whole_size);
        let size_bytes = size_bytes.ok_or_else(|| Error::refused("the answer does not tell the object's size"))?;
        let etag = object.e_tag.ok_or_else(|| Error::refused("the answer does not tell the object's ETag"))?;
        let beginning = object.body.collect().await.map_err(|error| Error::Busy(error.into()))?.into_bytes();
        Ok(Some(Looked { etag, size_bytes, beginning }))
    }

    /// The bytes of an object that was seen with this ETag.
    pub async fn get_seen(
        &self,
        key: &ObjectKey,
        etag: &str,
    ) -> Result<Seen<impl Stream<Item = Result<Bytes, Error>> + Send + use<>>, Error> {
        let get = self.client.get_object().bucket(&self.name).key(&key.0).if_match(etag);
        match get.send().await {
            Ok(object) => Ok(Seen::Same(chunks(object.body))),
            Err(error) if has_changed(&error) => Ok(Seen::Changed),
            Err(error) => Err(Error::from_sdk(error)),
        }
    }
}

/// Whether a call was refused since an object is not as it was seen.
pub(crate) fn has_changed<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> bool {
    matches!(code(error), Some(OTHER | ABSENT))
}

fn code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Option<&str> {
    error.as_service_error().and_then(ProvideErrorMetadata::code)
}

/// The size at the end of a `Content-Range`.
fn whole_size(range: &str) -> Option<u64> {
    range.rsplit_once('/')?.1.parse().ok()
}
