//! The bucket: the bytes of every file in one S3 bucket.
//!
//! Invariants: this is the only crate that spells an object key; an object is never overwritten with other bytes, since
//! its key derives from a file's id and a revision that is drawn whenever bytes are stored for it.
//!
//! | object | key |
//! | --- | --- |
//! | a file's original | `{space id}/originals/{file id}/{revision}` |

use std::{path::PathBuf, time::Duration};

use aws_sdk_s3::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    operation::get_object::GetObjectError,
    presigning::PresigningConfig,
    primitives::ByteStream,
    types::{Delete, ObjectIdentifier},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use domain::{Fault, FileId, Revision, SpaceId, Timestamp};
use futures::{Stream, stream};

/// Refusals that pass by themselves.
const PASSING: [&str; 4] = ["InternalError", "RequestTimeout", "ServiceUnavailable", "SlowDown"];

/// The bucket's client.
#[derive(Clone, Debug)]
pub struct Bucket {
    client: Client,
    name: String,
}

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectKey(String);

impl ObjectKey {
    /// The original of a file.
    pub fn original(space: SpaceId, file: FileId, revision: Revision) -> ObjectKey {
        ObjectKey(format!("{space}/originals/{file}/{revision}"))
    }
}

/// Bytes to be stored. Both can be sent again when an answer is lost.
#[derive(Clone, Debug)]
pub enum Content {
    /// From memory.
    Memory(Bytes),
    /// From a file, whole.
    File(PathBuf),
}

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

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Storage is overloaded or does not answer: another try may help.
    #[error("storage is busy: {0}")]
    Busy(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The call is wrong, or not allowed: another try would fail as well.
    #[error("storage refused: {0}")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    fn refused(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Refused(why.into())
    }

    fn from_sdk<E, R>(error: SdkError<E, R>) -> Error
    where
        E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
    {
        let passes = match &error {
            SdkError::ServiceError(service) => service.err().code().is_none_or(|code| PASSING.contains(&code)),
            SdkError::ConstructionFailure(_) => false,
            _ => true,
        };
        if passes { Error::Busy(error.into()) } else { Error::Refused(error.into()) }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::Busy(_) => Fault::unavailable(error),
            Error::Refused(_) => Fault::internal(error),
        }
    }
}

impl Bucket {
    /// The bucket of this name.
    pub fn new(client: Client, name: String) -> Bucket {
        Bucket { client, name }
    }

    /// Stores an object whole. Storage verifies the SHA-256 (lower-case hex) and refuses other bytes.
    pub async fn put(
        &self,
        key: &ObjectKey,
        content: Content,
        content_type: &str,
        checksum_sha256: &str,
    ) -> Result<(), Error> {
        let checksum = hex::decode(checksum_sha256).map_err(Error::refused)?;
        let body = match content {
            Content::Memory(bytes) => ByteStream::from(bytes),
            Content::File(path) => ByteStream::from_path(path).await.map_err(Error::refused)?,
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
            .map_err(Error::from_sdk)?;
        Ok(())
    }

    /// The bytes of an object, or those from the first to the last position, both inclusive. `None` where there is no such object.
    pub async fn get(
        &self,
        key: &ObjectKey,
        positions: Option<(u64, u64)>,
    ) -> Result<Option<impl Stream<Item = Result<Bytes, Error>> + Send + use<>>, Error> {
        let answer = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .set_range(positions.map(|(first, last)| format!("bytes={first}-{last}")))
            .send()
            .await;
        match answer {
            Ok(object) => Ok(Some(chunks(object.body))),
            Err(error) if matches!(error.as_service_error(), Some(GetObjectError::NoSuchKey(_))) => Ok(None),
            Err(error) => Err(Error::from_sdk(error)),
        }
    }

    /// Removes an object; safe to repeat.
    pub async fn delete(&self, key: &ObjectKey) -> Result<(), Error> {
        self.client.delete_object().bucket(&self.name).key(&key.0).send().await.map_err(Error::from_sdk)?;
        Ok(())
    }

    /// Removes some of a space's objects, up to a thousand; `false` where there were none. Safe to repeat.
    pub async fn purge_page(&self, space: SpaceId) -> Result<bool, Error> {
        let list = self.client.list_objects_v2().bucket(&self.name).prefix(format!("{space}/"));
        let page = list.send().await.map_err(Error::from_sdk)?;
        let keys = page.contents.unwrap_or_default().into_iter().filter_map(|object| object.key);
        let named = keys.map(|key| ObjectIdentifier::builder().key(key).build().map_err(Error::refused));
        let named: Vec<ObjectIdentifier> = named.collect::<Result<_, _>>()?;
        if named.is_empty() {
            return Ok(false);
        }
        let delete = Delete::builder().set_objects(Some(named)).quiet(true).build().map_err(Error::refused)?;
        let answer = self.client.delete_objects().bucket(&self.name).delete(delete).send().await;
        match answer.map_err(Error::from_sdk)?.errors.unwrap_or_default().first() {
            None => Ok(true),
            Some(error) => Err(Error::Busy(error.code.clone().unwrap_or_default().into())),
        }
    }

    /// An address from which anyone can read the object from now on for so long, with these headers.
    pub async fn presign_get(
        &self,
        key: &ObjectKey,
        headers: AnswerHeaders,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<String, Error> {
        let start = std::time::UNIX_EPOCH + Duration::from_millis(now.ms().unsigned_abs());
        let config = PresigningConfig::builder().start_time(start).expires_in(lifetime).build();
        let presigned = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .response_content_type(headers.content_type)
            .response_content_disposition(headers.content_disposition)
            .response_cache_control(headers.cache_control)
            .presigned(config.map_err(Error::refused)?)
            .await
            .map_err(Error::from_sdk)?;
        Ok(presigned.uri().to_owned())
    }
}

fn chunks(body: ByteStream) -> impl Stream<Item = Result<Bytes, Error>> + Send {
    stream::try_unfold(body, |mut body| async move {
        match body.try_next().await {
            Ok(chunk) => Ok(chunk.map(|chunk| (chunk, body))),
            Err(error) => Err(Error::Busy(error.into())),
        }
    })
}
