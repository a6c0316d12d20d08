//! The deletion of a folder, which has to be empty.
//!
//! The folder is closed before it is looked at for the last time. Whoever stores a file in it looks
//! at it after writing, and takes the file back where it is closed or gone; whoever moves something
//! into it, or makes a folder in it, does so on the condition that it is open. So either the
//! deletion sees what came, or nobody was told that it came.

use domain::{DeleteLock, FieldError, Folder, FolderId, ServiceError};
use tracing::instrument;

use crate::{
    SpaceScope,
    deletion::CLOSED_MS,
    folders::{ResolvedFolder, folder_closed},
};

/// Times that it is looked whether a deletion that is at work has ended: all of them take far less
/// than a request.
const LOOKS: u32 = 8;

impl SpaceScope {
    /// The space, and a folder of it; one that is about to be deleted once that is decided, or has
    /// taken long.
    pub(crate) async fn with_settled_folder(
        &self,
        folder: Option<FolderId>,
    ) -> Result<(Option<domain::Space>, Option<Folder>), ServiceError> {
        for attempt in 1..LOOKS {
            let found = self.table.space_and_folder(self.record.id, folder).await?;
            if !found
                .1
                .as_ref()
                .is_some_and(|folder| folder.is_locked(self.now()))
            {
                return Ok(found);
            }
            self.table.pause_after_conflict(attempt).await;
        }
        Ok(self.table.space_and_folder(self.record.id, folder).await?)
    }

    /// Deletes a folder, unless there is a file or a folder in it.
    #[instrument(skip_all)]
    pub async fn delete_folder(&self, found: ResolvedFolder) -> Result<(), ServiceError> {
        let found = match found.folder() {
            folder if folder.is_locked(self.now()) => {
                self.with_settled_folder(Some(folder.id)).await?;
                self.folder_again(folder.id).await?
            }
            _ => found,
        };
        self.require_empty_folder(found.folder()).await?;
        let token = self.table.env().ulid().to_string();
        let close = |folder: &mut Folder| {
            if folder.is_locked(self.now()) {
                return Err(folder_closed());
            }
            folder.delete_lock = Some(DeleteLock {
                token: token.clone(),
                expires_at: self.now().plus_ms(CLOSED_MS),
            });
            Ok(())
        };
        let closed = self.change_folder(found, close).await?;
        let deleted = self.remove_closed(closed.clone(), &token).await;
        if deleted.is_err() {
            let unlock = |folder: &mut Folder| {
                folder.delete_lock.take_if(|lock| lock.token == token);
                Ok(())
            };
            // Where this fails too, the folder opens by itself.
            let _ = self.change_folder(closed, unlock).await;
        }
        deleted
    }

    async fn remove_closed(&self, closed: ResolvedFolder, token: &str) -> Result<(), ServiceError> {
        let id = closed.folder().id;
        let remove = |closed: ResolvedFolder| async move {
            let folder = closed.folder();
            let is_ours = folder
                .delete_lock
                .as_ref()
                .is_some_and(|lock| lock.token == token);
            if !is_ours || !folder.is_locked(self.now()) {
                return Err(ServiceError::contended(
                    "the deletion took so long that the folder was open again",
                )
                .into());
            }
            self.require_empty_folder(folder).await?;
            Ok(self.table.remove_folder(folder, &closed.around()).await?)
        };
        self.table
            .retry_on_conflict(closed, || self.folder_again(id), remove)
            .await
    }

    async fn require_empty_folder(&self, folder: &Folder) -> Result<(), ServiceError> {
        let what = if folder.has_children() {
            "folders"
        } else if self.table.has_files_in(folder.space_id, folder.id).await? {
            "files"
        } else {
            return Ok(());
        };
        let message = format!("The folder is not empty: it contains {what}.");
        Err(ServiceError::conflict(
            message,
            "id",
            FieldError::Custom("must be the id of an empty folder"),
        ))
    }
}
