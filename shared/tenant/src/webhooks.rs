//! Deliveries of webhooks, for the background job that sends them.
//!
//! Invariants:
//! - Each event of a file has one delivery, however often its job runs.
//! - Changes of a delivery that another job precedes fail as conflicts.

use domain::{
    FileId, FileStatus, NewWebhookDelivery, NotificationRules, ProcessedMedia, ProcessingStatus,
    PublicHttpsUrl, ServiceError, Space, SpaceId, UploadConfigId, UploadConfigReference,
    WebhookDelivery, WebhookDeliveryId, WebhookEvent, WebhookFile, WebhookPayload,
};
use table::{Reason, Table, WebhookEventRecords, WriteError};
use tracing::instrument;

/// Deliveries of all spaces.
#[derive(Clone, Debug)]
pub struct Webhooks {
    table: Table,
}

/// An event of a file.
#[derive(Clone, Debug)]
pub struct FileEvent {
    /// The space of the file.
    pub space_id: SpaceId,
    /// The file.
    pub file_id: FileId,
    /// The event.
    pub event: WebhookEvent,
    /// The deleted file and its upload config, of an event of a deletion.
    pub deleted: Option<DeletedFile>,
}

impl FileEvent {
    /// Returns the event of a deletion.
    pub fn of_deletion(deleted: DeletedFile) -> FileEvent {
        FileEvent {
            space_id: deleted.file.space_id,
            file_id: deleted.file.id,
            event: WebhookEvent::Deleted,
            deleted: Some(deleted),
        }
    }
}

/// A file whose record does not exist any more.
#[derive(Clone, Debug)]
pub struct DeletedFile {
    /// The file.
    pub file: WebhookFile,
    /// The upload config of the file.
    pub upload_config_id: UploadConfigId,
}

/// A delivery and its space.
#[derive(Clone, Debug)]
pub struct DeliveryInSpace {
    /// The space.
    pub space: Space,
    /// The delivery.
    pub delivery: WebhookDelivery,
}

/// Outcome of an event.
#[derive(Clone, Debug)]
pub enum EventOutcome {
    /// The record that the event is about is not written yet, or never will be.
    NotYet,
    /// Nothing is sent: the space does not exist or is disabled, or no URL receives the event.
    Ignored,
    /// The event has this delivery.
    Delivery(Box<DeliveryInSpace>),
}

impl Webhooks {
    /// Creates access to the deliveries in a table.
    pub fn new(table: Table) -> Webhooks {
        Webhooks {
            table: table.for_background_job(),
        }
    }

    /// Returns the delivery of an event, which is created if it does not exist.
    #[instrument(skip_all)]
    pub async fn delivery_of(&self, event: &FileEvent) -> Result<EventOutcome, ServiceError> {
        let config_id = event.deleted.as_ref().map(|file| file.upload_config_id);
        let found = self
            .table
            .webhook_event(event.space_id, event.file_id, event.event, config_id)
            .await?;

        if let Some(id) = found.delivery_id {
            return self.existing(event.space_id, id).await;
        }
        let Some(space) = found.space.clone().filter(|space| space.enabled) else {
            return Ok(EventOutcome::Ignored);
        };
        let Some(subject) = Subject::of(event, &found) else {
            return Ok(EventOutcome::NotYet);
        };

        let notifications = match found.upload_config {
            Some(config) => config.config.notifications,
            None => {
                self.notifications(event.space_id, subject.upload_config_id)
                    .await?
            }
        };
        let url = space.webhook_receiver(event.event, &notifications);
        let Some(url) = url.cloned() else {
            return Ok(EventOutcome::Ignored);
        };
        self.create(event, subject, url, space).await
    }

    /// Returns a delivery; `None` if it or its space do not exist.
    #[instrument(skip_all)]
    pub async fn delivery(
        &self,
        space_id: SpaceId,
        id: WebhookDeliveryId,
    ) -> Result<Option<DeliveryInSpace>, ServiceError> {
        let found = self.table.space_with_webhook_delivery(space_id, id).await?;
        let (Some(space), Some(delivery)) = (found.space, found.record) else {
            return Ok(None);
        };
        Ok(Some(DeliveryInSpace { space, delivery }))
    }

    /// Changes a delivery. Returns `None` if it was changed or deleted since it was read.
    #[instrument(skip_all)]
    pub async fn change(
        &self,
        from: &WebhookDelivery,
        change: impl FnOnce(&mut WebhookDelivery),
    ) -> Result<Option<WebhookDelivery>, ServiceError> {
        let mut changed = from.clone();
        change(&mut changed);
        match self.table.change_webhook_delivery(from, changed).await {
            Ok(changed) => Ok(Some(changed)),
            Err(WriteError::ConditionFailed(Reason::VersionConflict)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the URL that receives the event of a delivery now; `None` if it is not sent any more.
    #[instrument(skip_all)]
    pub async fn current_url(
        &self,
        found: &DeliveryInSpace,
    ) -> Result<Option<PublicHttpsUrl>, ServiceError> {
        let DeliveryInSpace { space, delivery } = found;
        let notifications = self
            .notifications(space.id, delivery.upload_config_id)
            .await?;
        let url = space.webhook_receiver(delivery.event, &notifications);
        Ok(url.cloned())
    }

    async fn existing(
        &self,
        space_id: SpaceId,
        id: WebhookDeliveryId,
    ) -> Result<EventOutcome, ServiceError> {
        let found = self.delivery(space_id, id).await?;
        Ok(found.map_or(EventOutcome::Ignored, |found| {
            EventOutcome::Delivery(Box::new(found))
        }))
    }

    async fn create(
        &self,
        event: &FileEvent,
        subject: Subject,
        url: PublicHttpsUrl,
        space: Space,
    ) -> Result<EventOutcome, ServiceError> {
        let payload = WebhookPayload {
            event: event.event,
            file: subject.file,
        };
        let new = NewWebhookDelivery {
            space_id: event.space_id,
            file_id: event.file_id,
            upload_config_id: subject.upload_config_id,
            event: event.event,
            url,
            payload: serde_json::to_string(&payload).map_err(ServiceError::internal)?,
        };
        let delivery = WebhookDelivery::new(new, self.table.env());

        match self.table.create_webhook_delivery(&delivery).await {
            Ok(()) => {
                let created = DeliveryInSpace { space, delivery };
                Ok(EventOutcome::Delivery(Box::new(created)))
            }
            // Another message of the same event created it first.
            Err(WriteError::ConditionFailed(Reason::IdTaken)) => {
                Err(ServiceError::contended("the event has a delivery already"))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the notifications of an upload config; the default if it was deleted.
    async fn notifications(
        &self,
        space: SpaceId,
        config: UploadConfigId,
    ) -> Result<NotificationRules, ServiceError> {
        let reference = UploadConfigReference::Id(config);
        let found = self.table.upload_config(space, &reference).await?;
        Ok(found
            .map(|config| config.config.notifications)
            .unwrap_or_default())
    }
}

/// What an event is about.
struct Subject {
    file: WebhookFile,
    upload_config_id: UploadConfigId,
}

impl Subject {
    /// Returns `None` while the records do not show that the event has happened.
    fn of(event: &FileEvent, found: &WebhookEventRecords) -> Option<Subject> {
        if let Some(deleted) = &event.deleted {
            return found.file.is_none().then(|| Subject {
                file: deleted.file.clone(),
                upload_config_id: deleted.upload_config_id,
            });
        }

        let file = found.file.as_ref()?;
        let processing = file.media.as_ref().map(ProcessedMedia::status);
        let has_happened = file.status == FileStatus::Active
            && match event.event {
                WebhookEvent::Uploaded => true,
                WebhookEvent::Processed => processing == Some(ProcessingStatus::Completed),
                WebhookEvent::Failed => processing == Some(ProcessingStatus::Failed),
                WebhookEvent::Deleted => false,
            };
        has_happened.then(|| Subject {
            file: WebhookFile::from(file),
            upload_config_id: file.upload_config_id,
        })
    }
}
