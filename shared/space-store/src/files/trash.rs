//! Deletion of files into the trash, and their restoration.
//!
//! Invariants:
//! - The transaction that trashes or restores a file also removes or inserts what delivers, lists
//!   and counts it. So it is hidden or shown at once, whole.
//! - The folder of a restored file exists in the transaction, and its space is not being deleted.
//!   So the deletion of either sees the file, or the restoration fails.
//! - Objects are deleted only after the record: a restoration either precedes the purge, or finds
//!   no file.

use domain::{
    access::Protection,
    errors::{FieldError, ServiceError},
    files::{File, Trash},
    folders::FolderChain,
    keys::Role,
    settings::{FileStatus, WebhookEvent},
};
use queue::{Queue, WebhookJob};
use table::{
    change::ChangeError,
    errors::{Reason, WriteError},
};
use tracing::instrument;

use super::{DeletionQueues, Files};
use crate::{folders::folder_locked, spaces::space_locked};

/// The field that errors about the state of a file name.
const STATUS: &str = "status";

/// A file that returned from the trash.
#[derive(Clone, Debug)]
pub struct RestoredFile {
    pub file: File,
    /// Its folder and the ancestors of that; empty at the root.
    pub folders: FolderChain,
}

impl Files<'_> {
    /// Deletes a file. An active file moves to the trash of the space, if it has one, unless the
    /// deletion is `permanent`. Does nothing if the file is in the trash already.
    #[instrument(name = "delete_file", skip_all)]
    pub async fn delete(
        self,
        file: File,
        permanent: bool,
        queues: &DeletionQueues,
    ) -> Result<(), ServiceError> {
        let trash = Trash::begin(self.space.now(), self.space.record.trash_days);
        match (file.status, trash) {
            (FileStatus::Trashed, _) if !permanent => Ok(()),
            (FileStatus::Active, Some(trash)) if !permanent => {
                self.move_to_trash(file, trash, &queues.webhooks).await
            }
            _ => self.remove(file, queues).await,
        }
    }

    /// Moves an active file to the trash. The webhook of the deletion is sent first.
    async fn move_to_trash(
        self,
        file: File,
        trash: Trash,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<(), ServiceError> {
        let id = file.id;
        let webhook = self
            .announce(WebhookEvent::Deleted, &file, webhooks)
            .await?;
        let webhook = webhook.as_ref();

        let write = |from: File| async move {
            if from.status == FileStatus::Trashed {
                return Ok(());
            }
            let mut trashed = from.clone();
            trashed.move_to_trash(Trash {
                is_weaker_at_root: self.is_weaker_at_root(&from).await?,
                ..trash
            });
            let created = self.webhook_messages(webhook, &trashed)?;
            self.space
                .table
                .files()
                .change(&from, &trashed, &created)
                .await?;
            Ok(())
        };
        self.space
            .table
            .retry_on_conflict(file, || self.current(id), write)
            .await
    }

    /// Returns whether a file would be less protected at the root than in its folder.
    async fn is_weaker_at_root(self, file: &File) -> Result<bool, ServiceError> {
        let folders = self.space.folders().chain(file.folder.as_ref()).await?;
        let root = FolderChain::default();
        let record = self.space.record();
        let before = Protection::of(file, folders.as_ref(), record);
        let at_root = Protection::of(file, Some(&root), record);
        Ok(at_root.is_weaker_than(before))
    }

    /// Restores a file from the trash to its folder, or to the root if one of its folders is gone.
    /// The webhook is sent first. Fails with 409 if the file is not in the trash, or if its stored
    /// name is taken, and with 403 if the root protects it less than its folder did and the caller
    /// is not an admin.
    #[instrument(name = "restore_file", skip_all)]
    pub async fn restore(
        self,
        file: File,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<RestoredFile, ServiceError> {
        require_trashed(&file)?;
        let id = file.id;
        let webhook = self
            .announce(WebhookEvent::Restored, &file, webhooks)
            .await?;
        let webhook = webhook.as_ref();

        let write = |from: File| async move {
            require_trashed(&from)?;
            let folders = self.space.folders().chain(from.folder.as_ref()).await?;
            let folders = folders.unwrap_or_default();
            let mut restored = from.clone();
            restored.restore(folders.leaf_ref(), self.space.now());
            self.require_restorable(&from, &restored)?;
            restored.bump_access_version(&from);

            let created = self.webhook_messages(webhook, &restored)?;
            let files = self.space.table.files();
            match files.change(&from, &restored, &created).await {
                Ok(version) => Ok(RestoredFile {
                    file: File {
                        version,
                        ..restored
                    },
                    folders,
                }),
                Err(WriteError::ConditionFailed(reason)) => {
                    Err(self.not_restored(reason, &restored).await?)
                }
                Err(error) => Err(error.into()),
            }
        };
        self.space
            .table
            .retry_on_conflict(file, || self.current(id), write)
            .await
    }

    /// Fails with 403 if a caller who is not an admin restores a file to the root that was
    /// protected by its folder.
    fn require_restorable(self, from: &File, restored: &File) -> Result<(), ServiceError> {
        let is_weaker_at_root = from.trash.is_some_and(|trash| trash.is_weaker_at_root);
        let is_moved = from.folder_id() != restored.folder_id();
        let is_lowered = is_moved && is_weaker_at_root;
        if !is_lowered || self.space.role() >= Role::Admin {
            return Ok(());
        }
        Err(ServiceError::forbidden(
            "The folder that protected the file was deleted. Restoring the file to the root requires the role admin or higher.",
        ))
    }

    /// Returns why a file could not be restored.
    async fn not_restored(self, reason: Reason, file: &File) -> Result<ChangeError, ServiceError> {
        Ok(match reason {
            Reason::PathTaken => ChangeError::Failed(name_taken_since(&file.name)),
            Reason::FolderUnavailable => {
                let found = self.space.folders().with_unlocked(file.folder_id()).await?;
                let is_locked =
                    |folder: &domain::folders::Folder| folder.is_locked(self.space.now());
                if found.record.as_ref().is_some_and(is_locked) {
                    ChangeError::Failed(folder_locked())
                } else {
                    ChangeError::Conflict
                }
            }
            Reason::SpaceDeleted => {
                let space = self.space.table.spaces().get(file.space_id).await?;
                ChangeError::Failed(space.map_or_else(ServiceError::not_found, |_| space_locked()))
            }
            reason => WriteError::ConditionFailed(reason).into(),
        })
    }

    /// Fails with 503 if a concurrent request has changed the status of a file in a way that its
    /// deletion depends on: whether the file moves to the trash, and whether an event is sent.
    pub(super) fn require_same_deletion(
        self,
        status: FileStatus,
        current: &File,
    ) -> Result<(), ServiceError> {
        let has_trash = self.space.record.trash_days.get() > 0;
        let depends = has_trash || status == FileStatus::Trashed;
        if depends && current.status != status {
            return Err(ServiceError::contended(
                "another request has changed the status of the file",
            ));
        }
        Ok(())
    }
}

/// Fails with 409 if a file is in the trash.
pub fn require_untrashed(file: &File) -> Result<(), ServiceError> {
    if file.status != FileStatus::Trashed {
        return Ok(());
    }
    Err(ServiceError::conflict(
        "The file is in the trash. Restore it first.",
        STATUS,
        FieldError::Custom("must not be trashed"),
    ))
}

/// Fails with 409 unless a file is in the trash.
fn require_trashed(file: &File) -> Result<(), ServiceError> {
    if file.status == FileStatus::Trashed {
        return Ok(());
    }
    Err(ServiceError::conflict(
        "The file is not in the trash.",
        STATUS,
        FieldError::Custom("must be trashed"),
    ))
}

/// Returns the 409 of a file whose stored name another one has taken.
fn name_taken_since(name: &str) -> ServiceError {
    let message = format!(
        "Another file has the name `{name}` since this one was deleted. Delete that file first."
    );
    ServiceError::conflict(message, "name", FieldError::Taken)
}
