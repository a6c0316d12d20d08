//! Copies of staged objects: an upload to a presigned URL is copied to a separate key, and the copy
//! is validated.
//!
//! Invariants:
//! - The bytes of an active file were validated under a key that no client can write to. Later
//!   uploads to the same URL do not change them.
//! - Each attempt stores under its own revision. An attempt that fails deletes only its own object,
//!   and the sweep deletes what a crash leaves behind.

use bucket::{Copied, CopyOutcome, ObjectHead, ObjectKey, ObjectReader, Payload};
use domain::{errors::ServiceError, files::File, id::Revision};

use super::PendingFile;

/// A copy of a staged object.
#[derive(Debug)]
pub struct StagedCopy {
    /// SHA-256 in lower-case hex; `None` if S3 did not compute one.
    pub checksum_sha256: Option<String>,
}

/// Outcome of copying a staged object.
#[derive(Debug)]
pub enum StagedCopyOutcome {
    /// The copy exists, and has to be validated.
    Copied(StagedCopy),
    /// Nothing was sent yet.
    Absent,
    /// The staged object does not have the declared size, and was not copied.
    OtherSize,
}

impl PendingFile<'_> {
    /// Returns the revision that this attempt stores the bytes under.
    pub fn revision(self) -> Revision {
        self.revision
    }

    /// Returns the key of the object that this attempt stores.
    fn key(self) -> ObjectKey {
        let file = self.replaced.unwrap_or(self.file);
        ObjectKey::original(file.space_id, file.id, self.revision)
    }

    /// Copies the staged object to the key of this attempt.
    pub async fn copy_staged(self) -> Result<StagedCopyOutcome, ServiceError> {
        let from = staged_key(self.file);

        match self
            .uploads
            .bucket
            .copy(&from, self.file.size, &self.key())
            .await
        {
            Ok(CopyOutcome::Copied(Copied { checksum_sha256 })) => {
                Ok(StagedCopyOutcome::Copied(StagedCopy { checksum_sha256 }))
            }
            Ok(CopyOutcome::Absent) => Ok(StagedCopyOutcome::Absent),
            Ok(CopyOutcome::OtherSize) => Ok(StagedCopyOutcome::OtherSize),
            Err(error) => {
                self.remove_stored().await;
                Err(error.into())
            }
        }
    }

    /// Returns the size and the first bytes of the copy.
    pub async fn copy_head(self, bytes: u64) -> Result<ObjectHead, ServiceError> {
        let key = self.key();
        let head = self.uploads.bucket.head_with_prefix(&key, bytes).await?;
        head.ok_or_else(|| ServiceError::unavailable("the copy was deleted during its validation"))
    }

    /// Deletes the object of this attempt, which does not become that of a file. If this fails, the
    /// sweep or the job of the replacement deletes it.
    pub async fn remove_stored(self) {
        if let Err(error) = self.uploads.bucket.delete(&self.key()).await {
            tracing::warn!(file_id = %self.file.id, %error, "an object without a record could not be deleted");
        }
    }

    /// Opens the staged object. Returns `None` if nothing was sent yet.
    pub async fn staged_object(self) -> Result<Option<ObjectReader>, ServiceError> {
        Ok(self.uploads.bucket.open(&staged_key(self.file)).await?)
    }

    /// Stores validated bytes under the key of this attempt, instead of a copy if there is one.
    pub async fn put(
        self,
        payload: Payload,
        mime_type: &str,
        checksum_sha256: &str,
    ) -> Result<(), ServiceError> {
        let stored = self
            .uploads
            .bucket
            .put(&self.key(), payload, mime_type, checksum_sha256)
            .await;
        match stored {
            Ok(()) => Ok(()),
            Err(error) => {
                self.remove_stored().await;
                Err(error.into())
            }
        }
    }
}

/// Returns the key that a client sends the bytes of a file to.
pub(crate) fn staged_key(file: &File) -> ObjectKey {
    ObjectKey::staged(file.space_id, file.id)
}
