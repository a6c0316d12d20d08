//! A space's files: their records and their bytes together.

use std::collections::BTreeSet;

use bucket::{Bucket, ObjectKey, Payload};
use domain::{
    Completion, FieldError, FieldErrors, File, FileId, FileStatus, FolderId, HourlyQuota,
    IdempotencyReservation, Revision, ServiceError,
};
use futures::{StreamExt, stream};
use table::{Reason, WriteError};
use tracing::instrument;

use crate::{SpaceScope, deletion::closed, files::FOLDER, folders::folder_closed};

/// Objects that one request stores at once.
const AT_ONCE: usize = 4;

/// Where the bytes of files are kept. It opens only together with a [`SpaceScope`], or with a
/// [`AuthorizedFile`](crate::AuthorizedFile) file that somebody was admitted to.
#[derive(Clone, Debug)]
pub struct FileBucket(pub(crate) Bucket);

impl FileBucket {
    /// The bytes in this bucket.
    pub fn new(bucket: Bucket) -> FileBucket {
        FileBucket(bucket)
    }
}

/// The files of one space.
pub struct FileStore<'a> {
    pub(crate) space: &'a SpaceScope,
    pub(crate) originals: &'a FileBucket,
}

impl SpaceScope {
    /// Fails with 429 if the uploads of an hour are used up, before another one is received.
    pub async fn require_quota(&self, quota: HourlyQuota) -> Result<(), ServiceError> {
        let made = self.table.uploads_in_hour(self.record.id, quota).await?;
        if made < quota.limit {
            Ok(())
        } else {
            Err(quota.exceeded_error(self.now()))
        }
    }

    /// This space's files.
    pub fn file_store<'a>(&'a self, originals: &'a FileBucket) -> FileStore<'a> {
        FileStore {
            space: self,
            originals,
        }
    }
}

/// A file to be stored: its active record and its bytes.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// The record.
    pub record: File,
    /// The bytes.
    pub content: Payload,
}

/// Records that could not be written.
pub(crate) struct Unwritten {
    /// Why.
    pub(crate) error: ServiceError,
    /// Whether it is known that they are not there, and never will be.
    pub(crate) is_settled: bool,
}

impl From<ServiceError> for Unwritten {
    fn from(error: ServiceError) -> Unwritten {
        Unwritten {
            error,
            is_settled: false,
        }
    }
}

impl Unwritten {
    fn settled(error: ServiceError) -> Unwritten {
        Unwritten {
            error,
            is_settled: true,
        }
    }
}

impl FileStore<'_> {
    /// Stores files, all or nothing: their bytes first, then their records, so that a record that
    /// says `active` has its bytes. The same transaction completes the idempotency reservation and
    /// counts one upload of the quota's hour.
    ///
    /// Fails with 409 if a stored name is taken. A failure leaves nothing behind, unless it is
    /// unknown whether the records were written: then the bytes stay, because they may be in use.
    #[instrument(skip_all)]
    pub async fn store(
        &self,
        files: &[NewFile],
        quota: Option<HourlyQuota>,
        completion: Option<&Completion>,
    ) -> Result<(), ServiceError> {
        let records: Vec<File> = files.iter().map(|file| file.record.clone()).collect();
        if records.iter().any(|file| file.status != FileStatus::Active) {
            return Err(ServiceError::internal("a file to be stored is not active"));
        }
        let paths: BTreeSet<&str> = records
            .iter()
            .map(|file| file.storage_path.as_str())
            .collect();
        if paths.len() < records.len() {
            return Err(WriteError::ConditionFailed(Reason::PathTaken).into());
        }

        let written = match self.put_all(files).await {
            Ok(()) => self.write(&records, quota, completion).await,
            Err(error) => Err(Unwritten::settled(error)),
        };
        let Err(Unwritten { error, is_settled }) = written else {
            return Ok(());
        };
        if is_settled {
            for file in &records {
                self.remove_original(file).await;
            }
        }
        Err(error)
    }

    /// Stores the bytes of files. All calls end before one of them fails: one that was cancelled
    /// could still take effect.
    async fn put_all(&self, files: &[NewFile]) -> Result<(), ServiceError> {
        let puts: Vec<_> = files
            .iter()
            .map(|file| self.put(&file.record, file.content.clone()))
            .collect();
        let stored: Vec<Result<(), ServiceError>> =
            stream::iter(puts).buffer_unordered(AT_ONCE).collect().await;
        stored.into_iter().collect()
    }

    /// Writes new records, all or nothing, and looks whether the space is there still.
    pub(crate) async fn write(
        &self,
        records: &[File],
        quota: Option<HourlyQuota>,
        completion: Option<&Completion>,
    ) -> Result<(), Unwritten> {
        let folder = records.first().and_then(File::folder_id);
        if records
            .iter()
            .any(|file| file.space_id != self.space.record.id || file.folder_id() != folder)
        {
            return Err(ServiceError::internal(
                "files of another space, or of several folders, were to be written",
            )
            .into());
        }
        let reservation = completion.map(|completion| &completion.reservation);
        let table = &self.space.table;
        match table.create_files(records, quota, completion).await {
            Ok(()) => {}
            Err(WriteError::ConditionFailed(Reason::QuotaExhausted)) => {
                let refusal = quota.map(|quota| quota.exceeded_error(self.space.now()));
                return Err(Unwritten::settled(
                    refusal.unwrap_or_else(|| ServiceError::internal("no quota")),
                ));
            }
            Err(error @ WriteError::ConditionFailed(_)) => {
                return Err(Unwritten::settled(error.into()));
            }
            Err(error @ WriteError::Failed(_)) => {
                if !table
                    .resolve_unknown_commit(records, reservation)
                    .await
                    .map_err(ServiceError::from)?
                {
                    return Err(Unwritten::settled(error.into()));
                }
            }
        }
        match self.refusal_after_writing(folder).await {
            Ok(None) => Ok(()),
            Ok(Some(refusal)) | Err(refusal) => self.roll_back(records, refusal, reservation).await,
        }
    }

    /// Why what was written cannot stay: only a look after writing tells of a deletion that looked
    /// before.
    async fn refusal_after_writing(
        &self,
        folder: Option<FolderId>,
    ) -> Result<Option<ServiceError>, ServiceError> {
        let (space, found) = self.space.with_settled_folder(folder).await?;
        let now = self.space.now();
        Ok(match (space, found) {
            (None, _) => Some(FieldErrors::from(("space", FieldError::InvalidSelection)).into()),
            (Some(space), _) if space.is_locked(now) => Some(closed()),
            (Some(_), None) if folder.is_some() => {
                Some(FieldErrors::from((FOLDER, FieldError::InvalidSelection)).into())
            }
            (Some(_), Some(folder)) if folder.is_locked(now) => Some(folder_closed()),
            _ => None,
        })
    }

    /// Takes back what was written, of which nobody was told. What somebody has seen all the same,
    /// and put into another folder or deleted, is not refused any more.
    async fn roll_back(
        &self,
        records: &[File],
        refusal: ServiceError,
        reservation: Option<&IdempotencyReservation>,
    ) -> Result<(), Unwritten> {
        let (table, space) = (&self.space.table, self.space.record.id);
        let ids: Vec<FileId> = records.iter().map(|file| file.id).collect();
        let refused_in = records.first().and_then(File::folder_id);
        let load = || async { Ok(table.files(space, &ids).await?.into_values().collect()) };
        let remove = |records: Vec<File>| async move {
            let is_moved = records.iter().all(|file| file.folder_id() != refused_in);
            if !is_moved {
                table.roll_back_files(&records, reservation).await?;
            }
            Ok(is_moved)
        };
        let is_moved = table
            .retry_on_conflict(records.to_vec(), load, remove)
            .await?;
        if is_moved {
            Ok(())
        } else {
            Err(Unwritten::settled(refusal))
        }
    }

    async fn put(&self, file: &File, content: Payload) -> Result<(), ServiceError> {
        let checksum = file
            .checksum_sha256
            .as_deref()
            .ok_or_else(|| ServiceError::internal("a new file has no checksum"))?;
        Ok(self
            .originals
            .0
            .put(&original(file)?, content, &file.mime_type, checksum)
            .await?)
    }

    /// Removes the bytes of a record that was not written.
    async fn remove_original(&self, file: &File) {
        if let Some(revision) = file.revision {
            self.remove_revision(file.id, revision).await;
        }
    }

    /// Removes bytes that no record refers to. The sweep finds them if that fails.
    pub(crate) async fn remove_revision(&self, file: FileId, revision: Revision) {
        let key = ObjectKey::original(self.space.record.id, file, revision);
        if let Err(error) = self.originals.0.delete(&key).await {
            tracing::warn!(file_id = %file, %error, "bytes without a record stay behind");
        }
    }
}

/// The object that holds a file's bytes.
pub(crate) fn original(file: &File) -> Result<ObjectKey, ServiceError> {
    let revision = file
        .revision
        .ok_or_else(|| ServiceError::internal("a file that is not there has no bytes"))?;
    Ok(ObjectKey::original(file.space_id, file.id, revision))
}
