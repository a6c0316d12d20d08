//! The bucket: the bytes of every file in one S3 bucket.
//!
//! Invariants:
//! - This is the only crate that spells an object key.
//! - An object is never overwritten with other bytes: its key derives from a file's id and a
//!   revision that is drawn whenever bytes are stored for it. The exception is the staging key of a
//!   presigned URL, to which a client may send bytes as often as it likes. Nothing is known of them
//!   until they are copied or read whole: an ETag is an MD5, which collides, and proves nothing.
//!
//! | object | key |
//! | --- | --- |
//! | a file's original | `{space id}/originals/{file id}/{revision}` |
//! | what a client sent to a presigned address, until it is confirmed | `staging/{space id}/{file id}` |
//!
//! A space's objects begin with its id, in staging behind one more name, so that all of them can be
//! found and removed.

mod copy;
mod list;
mod presign;
mod read;
mod remove;

use std::path::PathBuf;

use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_s3::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    operation::get_object::GetObjectError,
    primitives::ByteStream,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use domain::{FileId, Revision, ServiceError, SpaceId};
use futures::{Stream, stream};
use tracing::instrument;

pub use copy::{CHECKSUM_MAX_BYTES, Copied, CopyOutcome};
pub use list::{LIST_MAX, ListedOriginal, OriginalsPage};
pub use presign::{PresignedPut, ResponseHeaders};
pub use read::{ObjectHead, ObjectReader};
pub use remove::DELETE_MANY_MAX;

/// Refusals that pass by themselves.
const PASSING: [&str; 5] = [
    "ConditionalRequestConflict",
    "InternalError",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
];
/// The code of a refusal because there is no such object.
const ABSENT: &str = "NoSuchKey";
/// The code of a refusal because a condition does not hold.
const PRECONDITION_FAILED: &str = "PreconditionFailed";

/// The bucket's client.
#[derive(Clone, Debug)]
pub struct Bucket {
    client: Client,
    /// The provider that the client signs with.
    credentials: SharedCredentialsProvider,
    name: String,
}

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectKey(String);

impl ObjectKey {
    /// The original of a file.
    pub fn original(space: SpaceId, file: FileId, revision: Revision) -> ObjectKey {
        ObjectKey(format!(
            "{}{revision}",
            ObjectKey::originals_of(space, file)
        ))
    }

    /// What the keys of a file's originals begin with.
    fn originals_of(space: SpaceId, file: FileId) -> String {
        format!("{}{file}/", ObjectKey::originals(space))
    }

    /// What the keys of a space's originals begin with.
    fn originals(space: SpaceId) -> String {
        format!("{}originals/", own(space))
    }

    /// Where a client sends a file's bytes.
    pub fn staged(space: SpaceId, file: FileId) -> ObjectKey {
        ObjectKey(format!("{}{file}", staging(space)))
    }

    /// The key as storage has it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the keys of a space's own objects begin with.
fn own(space: SpaceId) -> String {
    format!("{space}/")
}

/// What the keys of the bytes that a space's clients sent begin with.
fn staging(space: SpaceId) -> String {
    format!("staging/{space}/")
}

/// Bytes to be stored. Both can be sent again when an answer is lost.
#[derive(Clone, Debug)]
pub enum Payload {
    /// From memory.
    Memory(Bytes),
    /// From a file, whole.
    File(PathBuf),
}

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// Storage is overloaded or does not answer: another try may help.
    #[error("storage is busy: {0}")]
    Busy(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The call is wrong, or not allowed: another try would fail as well.
    #[error("storage refused: {0}")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl BucketError {
    fn refused(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BucketError {
        BucketError::Refused(why.into())
    }

    fn from_sdk<E, R>(error: SdkError<E, R>) -> BucketError
    where
        E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
    {
        let passes = match &error {
            SdkError::ServiceError(service) => service
                .err()
                .code()
                .is_none_or(|code| PASSING.contains(&code)),
            SdkError::ConstructionFailure(_) => false,
            _ => true,
        };
        if passes {
            BucketError::Busy(error.into())
        } else {
            BucketError::Refused(error.into())
        }
    }
}

impl From<BucketError> for ServiceError {
    fn from(error: BucketError) -> ServiceError {
        match error {
            BucketError::Busy(_) => ServiceError::unavailable(error),
            BucketError::Refused(_) => ServiceError::internal(error),
        }
    }
}

impl Bucket {
    /// The bucket of this name. The client signs with credentials of this provider, without a cache
    /// of its own.
    pub fn new(client: Client, credentials: SharedCredentialsProvider, name: String) -> Bucket {
        Bucket {
            client,
            credentials,
            name,
        }
    }

    /// Stores an object whole. Storage verifies the SHA-256 (lower-case hex) and refuses other
    /// bytes.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn put(
        &self,
        key: &ObjectKey,
        content: Payload,
        content_type: &str,
        checksum_sha256: &str,
    ) -> Result<(), BucketError> {
        let checksum = hex::decode(checksum_sha256).map_err(BucketError::refused)?;
        let body = match content {
            Payload::Memory(bytes) => ByteStream::from(bytes),
            Payload::File(path) => ByteStream::from_path(path)
                .await
                .map_err(BucketError::refused)?,
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

    /// The bytes of an object, or those from the first to the last position, both inclusive. `None`
    /// where there is no such object.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn get(
        &self,
        key: &ObjectKey,
        positions: Option<(u64, u64)>,
    ) -> Result<Option<impl Stream<Item = Result<Bytes, BucketError>> + Send + use<>>, BucketError>
    {
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
            Err(error)
                if matches!(error.as_service_error(), Some(GetObjectError::NoSuchKey(_))) =>
            {
                Ok(None)
            }
            Err(error) => Err(BucketError::from_sdk(error)),
        }
    }
}

/// Returns the service's own code of an error.
fn code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Option<&str> {
    error
        .as_service_error()
        .and_then(ProvideErrorMetadata::code)
}

fn chunks(body: ByteStream) -> impl Stream<Item = Result<Bytes, BucketError>> + Send {
    stream::try_unfold(body, |mut body| async move {
        match body.try_next().await {
            Ok(chunk) => Ok(chunk.map(|chunk| (chunk, body))),
            Err(error) => Err(BucketError::Busy(error.into())),
        }
    })
}
