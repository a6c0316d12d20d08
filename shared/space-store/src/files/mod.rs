//! Files: their records, and the bucket of their bytes.

mod of_caller;
mod trash;

pub use table::files::FileInSpace;
pub use trash::{RestoredFile, require_untrashed};

use std::collections::HashSet;

use bytes::Bytes;
use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    files::{File, FileList},
    id::{FileId, FolderId},
    keys::{Principal, Role},
    naming::Reference,
    requests::{Page, PageRequest},
    settings::{FileStatus, WebhookEvent},
    uploads::UploadConfigReference,
    webhooks::{AnnouncedWebhook, WebhookMessage},
};
use futures::future;
use queue::{DelayedJob, PurgeJob, Queue, WebhookJob};
use table::{
    change::ChangeError,
    errors::{Reason, WriteError},
};

use crate::{
    folders::{FOLDER_FIELD, folder_locked},
    objects::{FileBucket, collect, original_key},
    spaces::{Caller, PURGE_DELAY_SECONDS, SpaceLists, SpaceScope},
    webhooks::webhook_message,
};

/// Maximum deleted folders in which a file with a reference is searched, each of which takes two
/// reads.
const MAX_DELETED_FOLDERS: usize = 10;

/// The files of a space.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    space: &'a SpaceScope,
}

/// The queues of the jobs that precede the deletion of a file.
#[derive(Clone, Debug)]
pub struct DeletionQueues {
    /// Jobs that delete its bytes.
    pub purge: Queue<PurgeJob>,
    pub webhooks: Queue<WebhookJob>,
}

impl SpaceScope {
    pub fn files(&self) -> Files<'_> {
        Files { space: self }
    }
}

impl Files<'_> {
    /// Fails with 403 unless the caller uploaded the file or has the role admin.
    pub fn require_manager(self, file: &File, caller: &Caller) -> Result<(), ServiceError> {
        self.require_managing(file, caller.principal())
    }

    /// Fails with 403 unless the principal of this scope uploaded the file or has the role admin.
    pub fn require_managing(self, file: &File, by: Principal) -> Result<(), ServiceError> {
        if file.uploaded_by == by || self.space.role() >= Role::Admin {
            return Ok(());
        }
        let message = if file.uploaded_by.is_anonymous() {
            "This file was uploaded without an API key. This action requires the role admin or higher."
        } else {
            "Another user or API key uploaded this file. This action requires the role admin or higher."
        };
        Err(ServiceError::forbidden(message))
    }

    /// Changes a file's record. On a conflict, `change` is applied to the current version. Fails
    /// with 409 if the file is trashed.
    pub async fn change(
        self,
        from: File,
        change: impl Fn(&mut File) -> Result<(), ServiceError>,
    ) -> Result<File, ServiceError> {
        let id = from.id;
        let change = &change;
        let write = |from: File| async move {
            require_untrashed(&from)?;
            let mut changed = from.clone();
            change(&mut changed)?;
            changed.bump_access_version(&from);
            changed.record_activation_snapshot(&from);
            changed.updated_at = self.space.now();

            match self.space.table.files().change(&from, &changed, &[]).await {
                Err(WriteError::ConditionFailed(Reason::FolderUnavailable)) => {
                    self.require_unlocked_folder(changed.folder_id()).await?;
                    Err(ChangeError::Conflict)
                }
                version => Ok(File {
                    version: version?,
                    ..changed
                }),
            }
        };

        self.space
            .table
            .retry_on_conflict(from, || self.current(id), write)
            .await
    }

    /// Fails if a folder does not exist, or if a concurrent deletion still locks it.
    async fn require_unlocked_folder(self, folder: Option<FolderId>) -> Result<(), ServiceError> {
        let found = self.space.folders().with_unlocked(folder).await?;
        let folder = found
            .record
            .ok_or_else(|| FieldErrors::from((FOLDER_FIELD, FieldError::InvalidSelection)))?;
        if folder.is_locked(self.space.now()) {
            Err(folder_locked())
        } else {
            Ok(())
        }
    }

    /// Changes the record of a file after its processing, and creates the delivery of an announced
    /// event. Does neither if the file was deleted or `change` changes nothing.
    pub async fn record_processing(
        self,
        file: File,
        announced: Option<AnnouncedWebhook>,
        change: impl Fn(&mut File),
    ) -> Result<(), ServiceError> {
        let id = file.id;
        let change = &change;
        let announced = announced.as_ref();
        let write = |found: Option<File>| async move {
            let Some(from) = found else {
                return Ok(());
            };
            let mut changed = from.clone();
            change(&mut changed);
            if changed == from {
                return Ok(());
            }

            changed.updated_at = self.space.now();
            let created = self.webhook_messages(announced, &changed)?;
            self.space
                .table
                .files()
                .change(&from, &changed, &created)
                .await?;
            Ok(())
        };
        self.space
            .table
            .retry_on_conflict(Some(file), || self.get(id), write)
            .await
    }

    /// Deletes a file finally. Its bytes are deleted by the purge, whose job is sent first, as is
    /// the webhook of the deletion.
    async fn remove(self, file: File, queues: &DeletionQueues) -> Result<(), ServiceError> {
        let id = file.id;
        let status = file.status;
        let purge = [self.purge_job(id)];
        let sent = future::join(
            queues.purge.send(&purge),
            self.announce(WebhookEvent::Deleted, &file, &queues.webhooks),
        );
        // Boxed to keep the futures of requests small.
        let (purge, webhook) = Box::pin(sent).await;
        purge?;
        let webhook = webhook?;
        let webhook = webhook.as_ref();

        let remove = |file: File| async move {
            self.require_same_deletion(status, &file)?;
            let created = self.webhook_messages(webhook, &file)?;
            Ok(self.space.table.files().remove(&file, &created).await?)
        };
        self.space
            .table
            .retry_on_conflict(file, || self.current(id), remove)
            .await
    }

    /// Returns the job that deletes the bytes of a file after its record. It is sent before.
    pub(crate) fn purge_job(self, id: FileId) -> DelayedJob<PurgeJob> {
        let job = PurgeJob::File {
            space_id: self.space.record.id,
            file_id: id,
            requested_at: self.space.now(),
        };
        DelayedJob {
            job,
            delay_seconds: PURGE_DELAY_SECONDS,
        }
    }

    /// Deletes a file without a webhook, unless it was moved to another folder. The job that
    /// deletes its bytes was sent before.
    pub(crate) async fn remove_from(
        self,
        folder: FolderId,
        file: File,
    ) -> Result<(), ServiceError> {
        let id = file.id;
        let remove = |found: Option<File>| async move {
            match found.filter(|file| file.folder_id() == Some(folder)) {
                Some(file) => Ok(self.space.table.files().remove(&file, &[]).await?),
                None => Ok(()),
            }
        };
        self.space
            .table
            .retry_on_conflict(Some(file), || self.get(id), remove)
            .await
    }

    /// Leaves out files that were deleted with a folder. Makes no call unless such folders of the
    /// space are being purged.
    pub async fn without_deleted(self, files: Vec<File>) -> Result<Vec<File>, ServiceError> {
        if !self.space.has_folder_purges() {
            return Ok(files);
        }
        let folders = files.iter().filter_map(|file| file.folder.as_ref());
        let chains = self.space.folders().chains(folders).await?;
        Ok(files
            .into_iter()
            .filter(|file| !chains.hide(file))
            .collect())
    }

    /// Returns the newest active file with a reference that was not deleted with a folder: `found`,
    /// which is the newest of all, or an older one. Fails with 503 if too many deleted folders
    /// contain newer ones.
    pub async fn newest_with(
        self,
        reference: &Reference,
        mut found: Option<File>,
    ) -> Result<Option<File>, ServiceError> {
        let mut deleted: HashSet<Option<FolderId>> = HashSet::new();

        while let Some(file) = found {
            if deleted.len() == MAX_DELETED_FOLDERS {
                return Err(ServiceError::contended(
                    "deleted folders contain many files with this reference",
                ));
            }

            let folder = file.folder_id();
            if let Some(file) = self.without_deleted(vec![file]).await?.pop() {
                return Ok(Some(file));
            }

            deleted.insert(folder);
            let is_other = |file: &File| !deleted.contains(&file.folder_id());
            let files = self.space.table.files();
            found = files
                .by_reference(self.space.record.id, reference, is_other)
                .await?;
        }
        Ok(None)
    }

    /// Deletes a pending upload that is to replace the bytes of a file. Its staged object expires.
    /// Fails with 404 if the upload has ended.
    pub async fn remove_replacement(self, upload: &File) -> Result<(), ServiceError> {
        if upload.status != FileStatus::Pending {
            return Err(ServiceError::not_found());
        }
        let removed = self.space.table.files().remove_replacement(upload).await;
        match removed {
            Err(WriteError::ConditionFailed(_)) => Err(ServiceError::not_found()),
            removed => Ok(removed?),
        }
    }

    /// Returns the messages to create with the event of a file, if it is announced.
    fn webhook_messages(
        self,
        announced: Option<&AnnouncedWebhook>,
        file: &File,
    ) -> Result<Vec<WebhookMessage>, ServiceError> {
        let created = announced.map(|one| webhook_message(one, file, self.space.now()));
        created.into_iter().collect()
    }

    /// Sends the webhook of the deletion of an active file, or of the restoration of a trashed one,
    /// if its upload config asks for it.
    async fn announce(
        self,
        event: WebhookEvent,
        file: &File,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<Option<AnnouncedWebhook>, ServiceError> {
        let sent_in = match event {
            WebhookEvent::Restored => FileStatus::Trashed,
            _ => FileStatus::Active,
        };
        if file.status != sent_in || !self.space.record.enabled {
            return Ok(None);
        }

        let reference = UploadConfigReference::Id(file.upload_config_id);
        let config = self
            .space
            .table
            .upload_configs()
            .get(file.space_id, &reference)
            .await?;
        let Some(notifications) = config.map(|config| config.config.notifications) else {
            return Ok(None);
        };

        let endpoint = self.space.record.webhook_receiver(event, &notifications);
        self.space
            .webhooks()
            .announce(event, endpoint, webhooks)
            .await
    }

    /// Returns the current version of a file. Fails with 404 if it was deleted.
    async fn current(self, id: FileId) -> Result<File, ServiceError> {
        self.get(id).await?.ok_or_else(ServiceError::not_found)
    }

    /// Returns a file of this space; `None` if it does not exist.
    pub async fn get(self, id: FileId) -> Result<Option<File>, ServiceError> {
        let found = self
            .space
            .table
            .spaces()
            .with_resource::<File>(self.space.record.id, id)
            .await?;
        Ok(found.record)
    }

    /// Returns a file of this space; `None` if it does not exist, or was deleted with a folder.
    pub async fn shown(self, id: FileId) -> Result<Option<File>, ServiceError> {
        let found = self.get(id).await?;
        Ok(self.without_deleted(Vec::from_iter(found)).await?.pop())
    }

    /// Returns the bytes of a file. Fails with 503 if it was deleted in the meantime.
    pub async fn bytes(self, file: &File, bucket: &FileBucket) -> Result<Bytes, ServiceError> {
        let object = bucket.0.get(&original_key(file)?, None).await?;
        let chunks = object.ok_or_else(|| ServiceError::contended("the file was deleted"))?;
        collect(chunks).await
    }
}

impl SpaceLists {
    /// Returns a page of a list of files.
    pub async fn files(
        &self,
        list: &FileList,
        page_request: &PageRequest,
    ) -> Result<Page<File>, ServiceError> {
        let page = self.table.files().list(self.space, list, page_request);
        Ok(page.await?)
    }

    /// Returns the newest active file with a reference.
    pub async fn file_by_reference(
        &self,
        reference: &Reference,
    ) -> Result<Option<File>, ServiceError> {
        Ok(self
            .table
            .files()
            .by_reference(self.space, reference, |_| true)
            .await?)
    }
}
