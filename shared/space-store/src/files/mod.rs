//! Files: their records, and the bucket of their bytes.

mod bucket;

pub use bucket::FileBucket;
pub(crate) use bucket::original_key;

use std::collections::HashMap;

use bytes::Bytes;
use domain::{
    AnnouncedWebhook, FieldError, FieldErrors, File, FileId, FileList, FileStatus, FolderId, Page,
    PageRequest, Reference, Role, ServiceError, UploadConfigReference, WebhookEvent,
    WebhookMessage,
};
use futures::future;
use queue::{DelayedJob, PurgeJob, Queue, WebhookJob};
use table::{ChangeError, FileInSpace, Reason, WriteError};
use tracing::instrument;

use crate::{
    Caller, SpaceLists, SpaceScope, Tenants, collect,
    folders::{FOLDER_FIELD, folder_locked},
    spaces::PURGE_DELAY_SECONDS,
    webhooks::webhook_message,
};

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
        if file.uploaded_by == caller.principal() || self.space.role() >= Role::Admin {
            return Ok(());
        }
        let message = if file.uploaded_by.is_anonymous() {
            "This file was uploaded without an API key. This action requires the role admin or higher."
        } else {
            "Another user or API key uploaded this file. This action requires the role admin or higher."
        };
        Err(ServiceError::forbidden(message))
    }

    /// Changes a file's record. On a conflict, `change` is applied to the current version.
    pub async fn change(
        self,
        from: File,
        change: impl Fn(&mut File) -> Result<(), ServiceError>,
    ) -> Result<File, ServiceError> {
        let id = from.id;
        let change = &change;
        let write = |from: File| async move {
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

    /// Changes the record of a file after its processing, and creates the delivery of an announced event.
    /// Does neither if the file was deleted or `change` changes nothing.
    pub async fn record_processing(
        self,
        file: File,
        announced: Option<AnnouncedWebhook>,
        change: impl Fn(&mut File),
    ) -> Result<(), ServiceError> {
        let id = file.id;
        let change = &change;
        let announced = &announced;
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
            let created = announced.iter();
            let created = created.map(|one| webhook_message(one, &changed, self.space.now()));
            let created: Vec<WebhookMessage> = created.collect::<Result<_, _>>()?;
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

    /// Deletes a file. Its bytes are deleted by the purge, whose job is sent first, as is the webhook of
    /// the deletion.
    #[instrument(name = "delete_file", skip_all)]
    pub async fn delete(self, file: File, queues: &DeletionQueues) -> Result<(), ServiceError> {
        let id = file.id;
        let job = PurgeJob::File {
            space_id: file.space_id,
            file_id: id,
            requested_at: self.space.now(),
        };
        let purge = [DelayedJob {
            job,
            delay_seconds: PURGE_DELAY_SECONDS,
        }];
        let sent = future::join(
            queues.purge.send(&purge),
            self.announce_deletion(&file, &queues.webhooks),
        );
        // Boxed to keep the futures of requests small.
        let (purge, webhook) = Box::pin(sent).await;
        purge?;
        let webhook = &webhook?;

        let remove = |file: File| async move {
            let created = webhook
                .iter()
                .map(|one| webhook_message(one, &file, self.space.now()));
            let created: Vec<WebhookMessage> = created.collect::<Result<_, _>>()?;
            Ok(self.space.table.files().remove(&file, &created).await?)
        };
        self.space
            .table
            .retry_on_conflict(file, || self.current(id), remove)
            .await
    }

    /// Sends the webhook of the deletion of an active file, if its upload config asks for it.
    async fn announce_deletion(
        self,
        file: &File,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<Option<AnnouncedWebhook>, ServiceError> {
        if file.status != FileStatus::Active || !self.space.record.enabled {
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
        let event = WebhookEvent::Deleted;
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
            .by_reference(self.space, reference)
            .await?)
    }
}

impl Tenants {
    /// Returns the files with these ids, at most 100, that the caller has access to.
    pub async fn files(
        &self,
        caller: &Caller,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, FileInSpace>, ServiceError> {
        if let Some(user) = caller.user() {
            return Ok(self.table.files().of_member(user, ids).await?);
        }

        let own_space = match caller.space_role() {
            Some(own) => self.table.spaces().get(own.space_id).await?,
            None => None,
        };
        let Some(space) = own_space else {
            return Ok(HashMap::new());
        };
        let files = self.table.files().get(space.id, ids).await?;
        let with_space = |(id, file)| {
            let space = space.clone();
            (id, FileInSpace { space, file })
        };
        Ok(files.into_iter().map(with_space).collect())
    }
}
