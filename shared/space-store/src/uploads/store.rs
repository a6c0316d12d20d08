//! Storage of a space's files: objects and records together.
//!
//! Invariants:
//! - Objects are stored before the active records of a request, which one transaction writes.
//! - Bytes are removed only if certainly no record refers to them, and none will.

use std::collections::BTreeSet;

use bucket::{ObjectKey, Payload};
use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    files::File,
    id::{FileId, FolderId, Revision},
    requests::{Completion, HourlyQuota, IdempotencyReservation},
    settings::FileStatus,
    uploads::UploadRules,
};
use futures::{StreamExt, future, stream};
use table::{
    errors::{Reason, WriteError},
    files::NewFileRecords,
};
use tracing::instrument;

use super::{Uploads, quota::quota_error};
use crate::{
    folders::{FOLDER_FIELD, folder_locked},
    objects::original_key,
    spaces::space_locked,
};

/// Objects that one request stores concurrently.
const CONCURRENT_PUTS: usize = 4;

/// A file to store: its active record and its bytes.
#[derive(Clone, Debug)]
pub struct NewFile {
    pub record: File,
    pub payload: Payload,
}

/// A failure to write records.
pub(crate) struct FailedWrite {
    pub(crate) error: ServiceError,
    /// Whether the records certainly do not exist and never will.
    pub(crate) is_definite: bool,
}

impl From<ServiceError> for FailedWrite {
    fn from(error: ServiceError) -> FailedWrite {
        FailedWrite {
            error,
            is_definite: false,
        }
    }
}

impl FailedWrite {
    fn definite(error: ServiceError) -> FailedWrite {
        FailedWrite {
            error,
            is_definite: true,
        }
    }
}

impl Uploads<'_> {
    /// Stores files of one upload config with these rules, all or nothing, and sends their jobs
    /// before the records are written. The transaction that writes the records also completes the
    /// idempotency reservation and counts one upload of the quota's hour.
    ///
    /// Fails with 409 if a stored name is taken. A failure leaves no objects behind, unless it is
    /// unknown whether the records were written.
    #[instrument(skip_all)]
    pub async fn store(
        self,
        files: &[NewFile],
        rules: &UploadRules,
        quota: Option<&HourlyQuota>,
        completion: Option<&Completion>,
    ) -> Result<(), ServiceError> {
        let records: Vec<File> = files.iter().map(|file| file.record.clone()).collect();
        require_storable(&records)?;

        let storing = future::join(
            self.put_all(files),
            self.storage.announce(self.space, &records, rules),
        );
        let (stored, announced) = storing.await;
        let webhooks = stored
            .and(announced)
            .and_then(|announced| announced.webhook_messages(&records, self.space.now()));
        let written = match webhooks {
            Ok(webhooks) => {
                let new = NewFileRecords {
                    files: &records,
                    webhooks: &webhooks,
                };
                self.write_records(new, quota, completion).await
            }
            Err(error) => Err(FailedWrite::definite(error)),
        };
        let Err(failed) = written else {
            return Ok(());
        };
        if failed.is_definite {
            for file in &records {
                self.remove_original(file).await;
            }
        }
        Err(failed.error)
    }

    /// Stores the bytes of files. Waits for all calls even if one fails, because a cancelled call
    /// could still take effect.
    async fn put_all(self, files: &[NewFile]) -> Result<(), ServiceError> {
        let puts: Vec<_> = files
            .iter()
            .map(|file| self.put(&file.record, file.payload.clone()))
            .collect();
        let stored: Vec<Result<(), ServiceError>> = stream::iter(puts)
            .buffer_unordered(CONCURRENT_PUTS)
            .collect()
            .await;
        stored.into_iter().collect()
    }

    /// Writes new records, all or nothing. Rolls back if the space or the folder was deleted or is
    /// locked for a deletion.
    pub(crate) async fn write_records(
        self,
        new: NewFileRecords<'_>,
        quota: Option<&HourlyQuota>,
        completion: Option<&Completion>,
    ) -> Result<(), FailedWrite> {
        let records = new.files;
        let folder = records.first().and_then(File::folder_id);
        let is_in_scope =
            |file: &File| file.space_id == self.space.record.id && file.folder_id() == folder;
        if !records.iter().all(is_in_scope) {
            return Err(ServiceError::internal(
                "the files belong to another space or to several folders",
            )
            .into());
        }
        let reservation = completion.map(|completion| &completion.reservation);

        let table = &self.space.table;
        match table.files().create(new, quota, completion).await {
            Ok(()) => {}
            Err(WriteError::ConditionFailed(Reason::QuotaExhausted(scope))) => {
                let error = quota_error(quota, scope, self.space.now());
                return Err(FailedWrite::definite(error));
            }
            Err(error @ WriteError::ConditionFailed(_)) => {
                return Err(FailedWrite::definite(match records {
                    [file] => error.of_file(&file.name),
                    _ => error.into(),
                }));
            }
            Err(error @ WriteError::Failed(_)) => {
                let exist = table
                    .files()
                    .resolve_unknown_commit(records, reservation)
                    .await;
                if !exist.map_err(ServiceError::from)? {
                    return Err(FailedWrite::definite(error.into()));
                }
            }
        }

        let Err(error) = self.check_after_write(folder).await else {
            return Ok(());
        };
        self.roll_back(new, error, reservation).await
    }

    /// Fails if new records must be rolled back. Only a read after the write detects a deletion
    /// whose last check preceded the write.
    async fn check_after_write(self, folder: Option<FolderId>) -> Result<(), ServiceError> {
        let found = self.space.folders().with_unlocked(folder).await?;
        let now = self.space.now();

        let Some(space) = found.space else {
            return Err(FieldErrors::from(("space", FieldError::InvalidSelection)).into());
        };
        if space.is_locked(now) {
            return Err(space_locked());
        }
        match found.record {
            None if folder.is_some() => {
                Err(FieldErrors::from((FOLDER_FIELD, FieldError::InvalidSelection)).into())
            }
            Some(folder) if folder.is_locked(now) => Err(folder_locked()),
            _ => Ok(()),
        }
    }

    /// Rolls back a write that failed its check after the commit. If the files were moved or
    /// deleted concurrently, the write stands.
    async fn roll_back(
        self,
        new: NewFileRecords<'_>,
        error: ServiceError,
        reservation: Option<&IdempotencyReservation>,
    ) -> Result<(), FailedWrite> {
        let table = &self.space.table;
        let space = self.space.record.id;
        let records = new.files;
        let ids: Vec<FileId> = records.iter().map(|file| file.id).collect();
        let folder = records.first().and_then(File::folder_id);

        let load = || async {
            Ok(table
                .files()
                .get(space, &ids)
                .await?
                .into_values()
                .collect())
        };
        let remove = |records: Vec<File>| async move {
            let is_moved = records.iter().all(|file| file.folder_id() != folder);
            if !is_moved {
                let written = NewFileRecords {
                    files: &records,
                    ..new
                };
                table.files().roll_back(written, reservation).await?;
            }
            Ok(is_moved)
        };
        let is_moved = table
            .retry_on_conflict(records.to_vec(), load, remove)
            .await?;

        if is_moved {
            Ok(())
        } else {
            Err(FailedWrite::definite(error))
        }
    }

    pub(super) async fn put(self, file: &File, payload: Payload) -> Result<(), ServiceError> {
        let key = original_key(file)?;
        let checksum = file
            .checksum_sha256
            .as_deref()
            .ok_or_else(|| ServiceError::internal("a new file has no checksum"))?;
        Ok(self
            .bucket
            .put(&key, payload, &file.mime_type, checksum)
            .await?)
    }

    /// Deletes the bytes of a record that was not written.
    async fn remove_original(self, file: &File) {
        if let Some(revision) = file.revision {
            self.remove_revision(file.id, revision).await;
        }
    }

    /// Deletes bytes that no record refers to. If this fails, the sweep deletes them.
    pub(crate) async fn remove_revision(self, file: FileId, revision: Revision) {
        let key = ObjectKey::original(self.space.record.id, file, revision);
        if let Err(error) = self.bucket.delete(&key).await {
            tracing::warn!(file_id = %file, %error, "an object without a record could not be deleted");
        }
    }
}

/// Fails unless all files are active. Fails with 409 if two of them have the same storage path.
fn require_storable(records: &[File]) -> Result<(), ServiceError> {
    if records.iter().any(|file| file.status != FileStatus::Active) {
        return Err(ServiceError::internal("a file to store is not active"));
    }
    let paths: BTreeSet<&str> = records
        .iter()
        .map(|file| file.storage_path.as_str())
        .collect();
    if paths.len() < records.len() {
        return Err(WriteError::ConditionFailed(Reason::PathTaken).into());
    }
    Ok(())
}
