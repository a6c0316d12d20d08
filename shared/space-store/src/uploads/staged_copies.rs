//! Copies of staged objects: an upload to a presigned URL is copied to a separate key, and the copy
//! is validated.
//!
//! Invariants:
//! - The bytes of an active file were validated under a key that no client can write to. Later
//!   uploads to the same URL do not change them.
//! - Each attempt stores under its own revision. An attempt that fails deletes only its own object,
//!   and the sweep deletes what a crash leaves behind.

use bucket::{Copied, CopyOutcome, ObjectHead, ObjectKey, ObjectReader, Payload};
use domain::{File, FileId, Revision, ServiceError};

use super::PendingFile;

/// A copy of a staged object.
#[derive(Debug)]
pub struct StagedCopy {
    file: FileId,
    /// Revision that the copy is stored under.
    pub revision: Revision,
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
    /// Copies the staged object under a new revision.
    pub async fn copy_staged(self) -> Result<StagedCopyOutcome, ServiceError> {
        let revision = Revision::new(self.uploads.space.env());
        let key = ObjectKey::original(self.file.space_id, self.file.id, revision);

        match self
            .uploads
            .bucket
            .copy(&staged_key(self.file), self.file.size, &key)
            .await
        {
            Ok(CopyOutcome::Copied(Copied { checksum_sha256 })) => {
                Ok(StagedCopyOutcome::Copied(StagedCopy {
                    file: self.file.id,
                    revision,
                    checksum_sha256,
                }))
            }
            Ok(CopyOutcome::Absent) => Ok(StagedCopyOutcome::Absent),
            Ok(CopyOutcome::OtherSize) => Ok(StagedCopyOutcome::OtherSize),
            Err(error) => {
                self.uploads.remove_revision(self.file.id, revision).await;
                Err(error.into())
            }
        }
    }

    /// Returns the size and the first bytes of a copy.
    pub async fn copy_head(
        self,
        copy: &StagedCopy,
        bytes: u64,
    ) -> Result<ObjectHead, ServiceError> {
        let key = ObjectKey::original(self.uploads.space.record.id, copy.file, copy.revision);
        let head = self.uploads.bucket.head_with_prefix(&key, bytes).await?;
        head.ok_or_else(|| ServiceError::unavailable("the copy was deleted during its validation"))
    }

    /// Deletes a copy that does not become the active revision.
    pub async fn remove_copy(self, copy: StagedCopy) {
        self.uploads.remove_revision(copy.file, copy.revision).await;
    }

    /// Opens the staged object. Returns `None` if nothing was sent yet.
    pub async fn staged_object(self) -> Result<Option<ObjectReader>, ServiceError> {
        Ok(self.uploads.bucket.open(&staged_key(self.file)).await?)
    }

    /// Stores validated bytes under a new revision.
    pub async fn put_revision(
        self,
        payload: Payload,
        mime_type: &str,
        checksum_sha256: &str,
    ) -> Result<Revision, ServiceError> {
        let revision = Revision::new(self.uploads.space.env());
        let key = ObjectKey::original(self.file.space_id, self.file.id, revision);

        let stored = self
            .uploads
            .bucket
            .put(&key, payload, mime_type, checksum_sha256)
            .await;
        match stored {
            Ok(()) => Ok(revision),
            Err(error) => {
                self.uploads.remove_revision(self.file.id, revision).await;
                Err(error.into())
            }
        }
    }
}

/// Returns the key that a client sends the bytes of a file to.
pub(crate) fn staged_key(file: &File) -> ObjectKey {
    ObjectKey::staged(file.space_id, file.id)
}
