//! Records of a space's files: changes and deletion.

use std::collections::HashMap;

use domain::{
    AnnouncedWebhook, FieldError, FieldErrors, File, FileId, FileStatus, FolderId, Role,
    ServiceError, UploadConfigReference, WebhookDelivery, WebhookEndpoint, WebhookEvent,
};
use futures::future;
use queue::{DelayedJob, PurgeJob, Queue, WebhookJob};
use table::{ChangeError, FileInSpace, Reason, WriteError};
use tracing::instrument;

use crate::{
    Caller, SpaceScope, Tenants,
    deletion::PURGE_DELAY_SECONDS,
    folder_deletion::folder_locked,
    upload_storage::{delivery, event_job},
};

/// The field of a file's folder.
pub(crate) const FOLDER_FIELD: &str = "folder_id";

/// The queues of the jobs that precede the deletion of a file.
#[derive(Clone, Debug)]
pub struct DeletionQueues {
    /// Jobs that delete its bytes.
    pub purge: Queue<PurgeJob>,
    pub webhooks: Queue<WebhookJob>,
}

impl SpaceScope {
    /// Fails with 403 unless the caller uploaded the file or has the role admin.
    pub fn require_file_manager(&self, file: &File, caller: &Caller) -> Result<(), ServiceError> {
        if file.uploaded_by == caller.principal() || self.role() >= Role::Admin {
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
    pub async fn change_file(
        &self,
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
            changed.updated_at = self.now();

            match self.table.files().change(&from, &changed, &[]).await {
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

        self.table
            .retry_on_conflict(from, || self.current_file(id), write)
            .await
    }

    /// Fails if a folder does not exist, or if a concurrent deletion still locks it.
    async fn require_unlocked_folder(&self, folder: Option<FolderId>) -> Result<(), ServiceError> {
        let found = self.with_unlocked_folder(folder).await?;
        let folder = found
            .record
            .ok_or_else(|| FieldErrors::from((FOLDER_FIELD, FieldError::InvalidSelection)))?;
        if folder.is_locked(self.now()) {
            Err(folder_locked())
        } else {
            Ok(())
        }
    }

    /// Deletes a file. Its bytes are deleted by the purge, whose job is sent first, as is the webhook of
    /// the deletion.
    #[instrument(skip_all)]
    pub async fn delete_file(
        &self,
        file: File,
        queues: &DeletionQueues,
    ) -> Result<(), ServiceError> {
        let id = file.id;
        let job = PurgeJob::File {
            space_id: file.space_id,
            file_id: id,
            requested_at: self.now(),
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
            let created = webhook.iter().map(|one| delivery(one, &file, self.now()));
            let created: Vec<WebhookDelivery> = created.collect::<Result<_, _>>()?;
            Ok(self.table.files().remove(&file, &created).await?)
        };
        self.table
            .retry_on_conflict(file, || self.current_file(id), remove)
            .await
    }

    /// Sends the webhook of the deletion of an active file, if its upload config asks for it.
    async fn announce_deletion(
        &self,
        file: &File,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<Option<AnnouncedWebhook>, ServiceError> {
        if file.status != FileStatus::Active || !self.record.enabled {
            return Ok(None);
        }
        let reference = UploadConfigReference::Id(file.upload_config_id);
        let config = self
            .table
            .upload_configs()
            .get(file.space_id, &reference)
            .await?;
        let Some(notifications) = config.map(|config| config.config.notifications) else {
            return Ok(None);
        };
        let event = WebhookEvent::Deleted;
        let endpoint = self.record.webhook_receiver(event, &notifications);
        self.announce_event(event, endpoint, webhooks).await
    }

    /// Sends the job of an event if an endpoint receives it. The event happens with the transaction that creates
    /// its delivery, for example [`SpaceScope::record_processing`].
    pub async fn announce_event(
        &self,
        event: WebhookEvent,
        endpoint: Option<WebhookEndpoint>,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<Option<AnnouncedWebhook>, ServiceError> {
        let Some(endpoint) = endpoint else {
            return Ok(None);
        };
        let announced = AnnouncedWebhook::new(event, endpoint, self.env());
        let job = event_job(&announced, &self.record, self.now());
        webhooks.send(&[job]).await?;
        Ok(Some(announced))
    }

    /// Returns the current version of a file. Fails with 404 if it was deleted.
    async fn current_file(&self, id: FileId) -> Result<File, ServiceError> {
        self.file(id).await?.ok_or_else(ServiceError::not_found)
    }

    /// Returns a file of this space; `None` if it does not exist.
    pub(crate) async fn file(&self, id: FileId) -> Result<Option<File>, ServiceError> {
        let found = self
            .table
            .spaces()
            .with_resource::<File>(self.record.id, id)
            .await?;
        Ok(found.record)
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
