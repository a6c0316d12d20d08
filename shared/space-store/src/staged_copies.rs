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

use crate::FileStore;

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

impl FileStore<'_> {
    /// Copies the staged object of a pending file under a new revision.
    pub async fn copy_staged(&self, file: &File) -> Result<StagedCopyOutcome, ServiceError> {
        let revision = Revision::new(self.space.env());
        let key = ObjectKey::original(file.space_id, file.id, revision);

        match self.bucket.copy(&staged_key(file), file.size, &key).await {
            Ok(CopyOutcome::Copied(Copied { checksum_sha256 })) => {
                Ok(StagedCopyOutcome::Copied(StagedCopy {
                    file: file.id,
                    revision,
                    checksum_sha256,
                }))
            }
            Ok(CopyOutcome::Absent) => Ok(StagedCopyOutcome::Absent),
            Ok(CopyOutcome::OtherSize) => Ok(StagedCopyOutcome::OtherSize),
            Err(error) => {
                self.remove_revision(file.id, revision).await;
                Err(error.into())
            }
        }
    }

    /// Returns the size and the first bytes of a copy.
    pub async fn copy_head(
        &self,
        copy: &StagedCopy,
        bytes: u64,
    ) -> Result<ObjectHead, ServiceError> {
        let key = ObjectKey::original(self.space.record.id, copy.file, copy.revision);
        let head = self.bucket.head_with_prefix(&key, bytes).await?;
        head.ok_or_else(|| ServiceError::unavailable("the copy was deleted during its validation"))
    }

    /// Deletes a copy that does not become the active revision.
    pub async fn remove_copy(&self, copy: StagedCopy) {
        self.remove_revision(copy.file, copy.revision).await;
    }

    /// Opens the staged object of a pending file. Returns `None` if nothing was sent yet.
    pub async fn staged_object(&self, file: &File) -> Result<Option<ObjectReader>, ServiceError> {
        Ok(self.bucket.open(&staged_key(file)).await?)
    }

    /// Stores validated bytes of a pending file under a new revision.
    pub async fn put_revision(
        &self,
        file: &File,
        payload: Payload,
        mime_type: &str,
        checksum_sha256: &str,
    ) -> Result<Revision, ServiceError> {
        let revision = Revision::new(self.space.env());
        let key = ObjectKey::original(file.space_id, file.id, revision);

        let stored = self
            .bucket
            .put(&key, payload, mime_type, checksum_sha256)
            .await;
        match stored {
            Ok(()) => Ok(revision),
            Err(error) => {
                self.remove_revision(file.id, revision).await;
                Err(error.into())
            }
        }
    }
}

/// Returns the key that a client sends the bytes of a file to.
pub(crate) fn staged_key(file: &File) -> ObjectKey {
    ObjectKey::staged(file.space_id, file.id)
}
