//! Deletion of folders, empty or with their contents.
//!
//! A deletion of an empty folder locks the folder before it checks for the last time that the
//! folder is empty. An upload reads the folder after its write, and rolls back if the folder is
//! locked or deleted. A move into the folder and the creation of a child folder are conditional on
//! the folder being unlocked. So either the deletion sees the addition, or the addition fails.
//!
//! A deletion with contents sends the purge job, then marks the folder as deleted, which takes it
//! out of its parent. From then on, the folder and everything below it do not exist for requests:
//! see [`Resolution::Deleted`](domain::folders::Resolution::Deleted).

use domain::{
    errors::{FieldError, ServiceError},
    folders::Folder,
    id::FolderId,
    settings::DeleteLock,
};
use queue::{DelayedJob, PurgeJob, Queue};
use table::{change::ChangeError, spaces::WithSpace};
use tracing::instrument;

use super::{Folders, ResolvedFolder};
use crate::spaces::DELETE_LOCK_MS;

/// Time from the deletion of a folder with its contents until its purge starts, in milliseconds:
/// requests that found the folder before have ended by then, also those that stopped before their
/// check after a write.
pub(crate) const FOLDER_PURGE_AFTER_MS: i64 = DELETE_LOCK_MS;
/// Delay of the purge job of a folder, in seconds: a little longer.
const FOLDER_PURGE_DELAY_SECONDS: i32 = 36;

/// Maximum reads while waiting for a concurrent deletion to end. All of them take far less time
/// than a request.
const MAX_READS: u32 = 8;

impl Folders<'_> {
    /// Returns the space and one of its folders, unless that is deleted. Waits a limited time while
    /// a concurrent deletion locks the folder, which may therefore still be locked.
    pub(crate) async fn with_unlocked(
        self,
        folder: Option<FolderId>,
    ) -> Result<WithSpace<Folder>, ServiceError> {
        for attempt in 1..MAX_READS {
            let found = self.with_existing(folder).await?;
            let is_locked = |folder: &Folder| folder.is_locked(self.space.now());
            if !found.record.as_ref().is_some_and(is_locked) {
                return Ok(found);
            }
            self.space.table.back_off_after_conflict(attempt).await;
        }
        self.with_existing(folder).await
    }

    async fn with_existing(
        self,
        folder: Option<FolderId>,
    ) -> Result<WithSpace<Folder>, ServiceError> {
        let folders = self.space.table.folders();
        let mut found = folders.with_space(self.space.record.id, folder).await?;
        found.record.take_if(|folder| folder.deleted_at.is_some());
        Ok(found)
    }

    /// Deletes a folder. Fails with 409 if there are files or folders in it.
    #[instrument(name = "delete_folder", skip_all)]
    pub async fn delete(self, resolved: ResolvedFolder) -> Result<(), ServiceError> {
        let resolved = self.await_unlocked(resolved).await?;
        self.require_empty(resolved.folder()).await?;

        let token = self.space.table.env().ulid().to_string();
        let locked = self.lock(resolved, &token).await?;
        let deleted = self.remove_locked(locked.clone(), &token).await;
        if deleted.is_err() {
            // If this fails too, the lock expires.
            let _ = self.unlock(locked, &token).await;
        }
        deleted
    }

    /// Deletes a folder with its contents, which the purge deletes later. Fails with 503 if a
    /// concurrent deletion of the empty folder locks it.
    #[instrument(name = "delete_folder_with_contents", skip_all)]
    pub async fn delete_with_contents(
        self,
        resolved: ResolvedFolder,
        purge: &Queue<PurgeJob>,
    ) -> Result<(), ServiceError> {
        let id = resolved.folder().id;
        let job = PurgeJob::Folder {
            space_id: self.space.record.id,
            folder_id: id,
            requested_at: self.space.now(),
        };
        let delay_seconds = FOLDER_PURGE_DELAY_SECONDS;
        purge.send(&[DelayedJob { job, delay_seconds }]).await?;

        let mark = |resolved: ResolvedFolder| async move {
            let folder = resolved.folder();
            if folder.is_locked(self.space.now()) {
                return Err(ChangeError::Failed(folder_locked()));
            }
            let ancestors = resolved.ancestors();
            let folders = self.space.table.folders();
            Ok(folders.mark_deleted(folder, &ancestors).await?)
        };
        let unlocked = self.await_unlocked(resolved).await?;
        self.space
            .table
            .retry_on_conflict(unlocked, || self.current(id), mark)
            .await
    }

    /// Waits a limited time while a concurrent deletion locks a folder. Returns its current
    /// version.
    async fn await_unlocked(
        self,
        resolved: ResolvedFolder,
    ) -> Result<ResolvedFolder, ServiceError> {
        if !resolved.folder().is_locked(self.space.now()) {
            return Ok(resolved);
        }
        let id = resolved.folder().id;
        self.with_unlocked(Some(id)).await?;
        self.current(id).await
    }

    async fn lock(
        self,
        resolved: ResolvedFolder,
        token: &str,
    ) -> Result<ResolvedFolder, ServiceError> {
        let lock = |folder: &mut Folder| {
            if folder.is_locked(self.space.now()) {
                return Err(folder_locked());
            }
            folder.delete_lock = Some(DeleteLock {
                token: token.to_owned(),
                expires_at: self.space.now().plus_ms(DELETE_LOCK_MS),
            });
            Ok(())
        };
        self.try_change(resolved, lock).await
    }

    /// Removes the lock with this token.
    async fn unlock(
        self,
        resolved: ResolvedFolder,
        token: &str,
    ) -> Result<ResolvedFolder, ServiceError> {
        let unlock = |folder: &mut Folder| {
            folder.delete_lock.take_if(|lock| lock.token == token);
            Ok(())
        };
        self.try_change(resolved, unlock).await
    }

    /// Deletes a folder if it is empty and still locked by this token.
    async fn remove_locked(self, locked: ResolvedFolder, token: &str) -> Result<(), ServiceError> {
        let id = locked.folder().id;
        let remove = |locked: ResolvedFolder| async move {
            let folder = locked.folder();
            let lock = folder.delete_lock.as_ref();
            let is_ours = lock.is_some_and(|lock| lock.token == token);
            if !is_ours || !folder.is_locked(self.space.now()) {
                return Err(ChangeError::Failed(ServiceError::contended(
                    "the lock of the folder expired before the deletion ended",
                )));
            }

            self.require_empty(folder).await?;
            let ancestors = locked.ancestors();
            Ok(self
                .space
                .table
                .folders()
                .remove(folder, &ancestors)
                .await?)
        };

        self.space
            .table
            .retry_on_conflict(locked, || self.current(id), remove)
            .await
    }

    async fn require_empty(self, folder: &Folder) -> Result<(), ServiceError> {
        let contents = if folder.has_children() {
            "folders"
        } else if self
            .space
            .table
            .folders()
            .has_files_in(folder.space_id, folder.id)
            .await?
        {
            "files"
        } else {
            return Ok(());
        };

        let message = format!("The folder is not empty: it contains {contents}.");
        Err(ServiceError::conflict(
            message,
            "id",
            FieldError::Custom("must be the id of an empty folder"),
        ))
    }
}

/// Returns the error of adding something to a folder that is locked for a deletion.
pub(crate) fn folder_locked() -> ServiceError {
    ServiceError {
        message: "The folder is being deleted. Retry after the number of seconds in Retry-After."
            .into(),
        ..ServiceError::contended("the folder is locked for a deletion")
    }
}
