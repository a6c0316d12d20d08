//! Files whose bytes a client sends to a presigned URL: announced, copied to a key of their own,
//! validated, made active.
//!
//! Invariants:
//! - What becomes active is stored under a key that no client can write before it is validated, so
//!   nothing that is sent to the same URL later changes it.
//! - A file becomes active once.
//! - Each attempt stores under a revision of its own, and one that fails or loses removes nothing
//!   but its own object. What a crash leaves is removed by the sweep.

use std::time::Duration;

use bucket::{
    Bucket, Copied, CopyOutcome, ObjectHead, ObjectKey, ObjectReader, Payload, PresignedPut,
};
use domain::{
    Completion, File, FileId, FileStatus, HourlyQuota, Revision, ServiceError, StoredContent,
    Timestamp,
};
use queue::{ConfirmCheck, DELAY_MAX_SECONDS, Queue};
use table::{ChangeError, Reason, Table, WriteError};
use tracing::instrument;

use crate::{FileBucket, FileStore, SpaceScope, file_store::Unwritten};

/// How long after its announcement a client may send a file's bytes, in milliseconds: an hour. The
/// last purge of a deleted space comes later.
pub const PRESIGNED_URL_LIFETIME_MS: i64 = 60 * 60 * 1_000;
/// How long after its announcement it is looked for a file that nobody has confirmed, in
/// milliseconds.
const CHECKED_MS: i64 = 2 * PRESIGNED_URL_LIFETIME_MS;

/// Where a client may send bytes; it is never printed, since whoever has it may send them.
#[derive(Clone)]
pub struct Presigned {
    /// The address.
    pub url: String,
    /// How long it is good from now on, in whole seconds.
    pub lifetime: Duration,
    /// The key that they will have in the bucket.
    pub object_key: String,
}

/// A copy of a staged object under a key of the file's own, which no client can write.
#[derive(Debug)]
pub struct StagedCopy {
    /// The pending file.
    file: FileId,
    /// The revision that the copy is stored under.
    pub revision: Revision,
    /// SHA-256 in lower-case hex; `None` if storage does not tell it.
    pub checksum_sha256: Option<String>,
}

/// Outcome of copying what a client has sent.
#[derive(Debug)]
pub enum StagedCopyOutcome {
    /// The copy exists, and has to be validated.
    Copied(StagedCopy),
    /// Nothing has been sent yet.
    Absent,
    /// What was sent has another size than declared, and was not copied.
    OtherSize,
}

impl FileStore<'_> {
    /// Announces a file whose bytes are to come; with a quota, as one upload of its hour. First it
    /// is sent for that somebody looks after it, so none is ever forgotten.
    #[instrument(skip_all)]
    pub async fn create_pending(
        &self,
        file: &File,
        quota: Option<HourlyQuota>,
        checks: &Queue<ConfirmCheck>,
        completion: Option<&Completion>,
    ) -> Result<(), ServiceError> {
        if file.status != FileStatus::Pending {
            return Err(ServiceError::internal(
                "a file to be announced is not pending",
            ));
        }
        let due_at = file.created_at.plus_ms(CHECKED_MS);
        checks
            .send(&[(
                ConfirmCheck {
                    space_id: file.space_id,
                    file_id: file.id,
                    due_at,
                },
                DELAY_MAX_SECONDS,
            )])
            .await?;
        let written = self
            .write(std::slice::from_ref(file), quota, completion)
            .await;
        written.map_err(|Unwritten { error, .. }| error)
    }

    /// A URL to which the bytes of an announced file can be sent from now on: for so long, or as
    /// long as the credentials that sign it.
    pub async fn presign(
        &self,
        id: FileId,
        content_type: &str,
        size: u64,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<Presigned, ServiceError> {
        let key = ObjectKey::staged(self.space.record.id, id);
        let PresignedPut { url, lifetime } = self
            .originals
            .0
            .presign_put(&key, content_type, size, now, lifetime)
            .await?;
        Ok(Presigned {
            url,
            lifetime,
            object_key: key.as_str().to_owned(),
        })
    }

    /// Copies what the client has sent to a key of the file's own.
    pub async fn copy_staged(&self, file: &File) -> Result<StagedCopyOutcome, ServiceError> {
        let revision = Revision::new(self.space.env());
        let key = ObjectKey::original(file.space_id, file.id, revision);

        match self.originals.0.copy(&staged(file), file.size, &key).await {
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
        let head = self.originals.0.head_with_prefix(&key, bytes).await?;
        head.ok_or_else(|| ServiceError::unavailable("the copy was removed while it was validated"))
    }

    /// Removes a copy that does not become active.
    pub async fn remove_copy(&self, copy: StagedCopy) {
        self.remove_revision(copy.file, copy.revision).await;
    }

    /// Opens what the client has sent, to read all of it. `None` if nothing has been sent yet.
    pub async fn staged_object(&self, file: &File) -> Result<Option<ObjectReader>, ServiceError> {
        Ok(self.originals.0.open(&staged(file)).await?)
    }

    /// Stores validated bytes of a pending file under a new revision.
    pub async fn put_revision(
        &self,
        file: &File,
        content: Payload,
        mime_type: &str,
        checksum_sha256: &str,
    ) -> Result<Revision, ServiceError> {
        let revision = Revision::new(self.space.env());
        let key = ObjectKey::original(file.space_id, file.id, revision);

        match self
            .originals
            .0
            .put(&key, content, mime_type, checksum_sha256)
            .await
        {
            Ok(()) => Ok(revision),
            Err(error) => {
                self.remove_revision(file.id, revision).await;
                Err(error.into())
            }
        }
    }

    /// Makes a pending file active with validated content that is stored. An attempt that is
    /// refused removes the bytes, unless they may be in use. What callers have changed of the
    /// pending file meanwhile is kept. Returns the file, which another attempt may have made
    /// active; `None` if it was removed.
    ///
    /// Fails with 409 if the stored name is taken; the file stays pending.
    #[instrument(skip_all)]
    pub async fn activate(
        &self,
        pending: &File,
        content: StoredContent,
    ) -> Result<Option<File>, ServiceError> {
        let at = self.space.now();
        let load = || self.space.file(pending.id);
        let activate = |found| self.activate_found(pending.id, found, &content, at);
        self.space
            .table
            .retry_on_conflict(Some(pending.clone()), load, activate)
            .await
    }

    /// Makes a file active if it is still pending.
    async fn activate_found(
        &self,
        id: FileId,
        found: Option<File>,
        content: &StoredContent,
        at: Timestamp,
    ) -> Result<Option<File>, ChangeError> {
        let revision = content.revision;
        let mut file = match found {
            Some(pending) if pending.status == FileStatus::Pending => pending,
            found => return Ok(self.settled(id, revision, found).await?),
        };
        file.activate(content.clone(), at, self.space.env());
        match self.space.table.activate_file(&file).await {
            Ok(()) => {
                file.version += 1;
                Ok(self.unless_deleted(file, revision).await?)
            }
            Err(error @ WriteError::ConditionFailed(Reason::PathTaken)) => {
                self.remove_revision(id, revision).await;
                Err(error.into())
            }
            Err(WriteError::Failed(error)) => {
                Ok(self.after_failure(id, revision, error.into()).await?)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Takes back an activation if its space was deleted just before: the purge knows the paths of
    /// the files that it has seen alone.
    async fn unless_deleted(
        &self,
        file: File,
        revision: Revision,
    ) -> Result<Option<File>, ServiceError> {
        if self.space.table.space(file.space_id).await?.is_some() {
            return Ok(Some(file));
        }
        self.space.table.remove_path(&file).await?;
        self.remove_revision(file.id, revision).await;
        Ok(None)
    }

    /// Whether a failed activation took effect is unknown, unless the file's record tells. While it
    /// does not, the bytes stay: they may be in use.
    async fn after_failure(
        &self,
        id: FileId,
        revision: Revision,
        error: ServiceError,
    ) -> Result<Option<File>, ServiceError> {
        match self.space.file(id).await {
            Ok(found)
                if found
                    .as_ref()
                    .is_none_or(|found| found.status != FileStatus::Pending) =>
            {
                self.settled(id, revision, found).await
            }
            _ => Err(error),
        }
    }

    /// Returns what became of a file that is no longer pending: this attempt activated it without
    /// hearing so, or another attempt did, or it was removed. Nothing can activate it with this
    /// attempt's bytes any more.
    async fn settled(
        &self,
        id: FileId,
        revision: Revision,
        found: Option<File>,
    ) -> Result<Option<File>, ServiceError> {
        match found {
            Some(found) if found.revision == Some(revision) => {
                self.unless_deleted(found, revision).await
            }
            found => {
                self.remove_revision(id, revision).await;
                Ok(found)
            }
        }
    }

    /// Removes a file that is pending still, and what was sent for it; `false` where it is pending
    /// no more.
    #[instrument(skip_all)]
    pub async fn discard(&self, file: &File) -> Result<bool, ServiceError> {
        let load = || async { self.space.file(file.id).await };
        let remove = |found: Option<File>| async move {
            let Some(pending) = found.filter(|file| file.status == FileStatus::Pending) else {
                return Ok(false);
            };
            self.space.table.remove_file(&pending).await?;
            Ok(true)
        };
        let is_removed = self
            .space
            .table
            .retry_on_conflict(Some(file.clone()), load, remove)
            .await?;
        if is_removed && let Err(error) = self.originals.0.delete(&staged(file)).await {
            // The bucket empties staging by itself.
            tracing::warn!(file_id = %file.id, %error, "what was sent for a discarded file stays behind");
        }
        Ok(is_removed)
    }

    /// A file of this space, as it is now.
    pub async fn file(&self, id: FileId) -> Result<Option<File>, ServiceError> {
        self.space.file(id).await
    }
}

fn staged(file: &File) -> ObjectKey {
    ObjectKey::staged(file.space_id, file.id)
}

/// The way to presigned uploads that nobody may have confirmed: it is nobody's request.
#[derive(Clone, Debug)]
pub struct PendingUploads {
    table: Table,
    /// Where their bytes are.
    pub originals: FileBucket,
}

impl PendingUploads {
    /// Reaches the files of all spaces of a table and a bucket.
    pub fn new(table: Table, bucket: Bucket) -> PendingUploads {
        PendingUploads {
            table: table.for_background_job(),
            originals: FileBucket(bucket),
        }
    }

    /// A file that is pending still, and its space.
    pub async fn pending(
        &self,
        check: &ConfirmCheck,
    ) -> Result<Option<(SpaceScope, File)>, ServiceError> {
        let (space, file) = self
            .table
            .space_and_file(check.space_id, check.file_id)
            .await?;
        let pending = space
            .zip(file)
            .filter(|(_, file)| file.status == FileStatus::Pending);
        Ok(pending.map(|(space, file)| {
            (
                SpaceScope::for_background_job(self.table.clone(), space),
                file,
            )
        }))
    }
}
