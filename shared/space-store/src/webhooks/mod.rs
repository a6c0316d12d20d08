//! Webhook messages: those of an event, the log of a space, and the attempts to send them.
//!
//! Invariant: a message is created by the transaction of its event, and its job is sent before.

mod attempts;

pub use attempts::{WebhookMessageInSpace, Webhooks};
pub use table::webhooks::{HostReaction, WebhookClaim};

use domain::{
    env::Timestamp,
    errors::ServiceError,
    files::File,
    id::WebhookMessageId,
    requests::{Page, PageRequest},
    settings::{WebhookEndpoint, WebhookEvent},
    spaces::Space,
    webhooks::{AnnouncedWebhook, WebhookFilter, WebhookMessage, WebhookPayload},
};
use queue::{DelayedJob, Queue, WebhookJob};

use crate::spaces::{SpaceLists, SpaceScope};

/// The webhook messages of a space.
#[derive(Clone, Copy, Debug)]
pub struct WebhookMessages<'a> {
    space: &'a SpaceScope,
}

impl SpaceScope {
    pub fn webhooks(&self) -> WebhookMessages<'_> {
        WebhookMessages { space: self }
    }
}

impl SpaceLists {
    /// Returns a page of the webhook messages that pass a filter, newest first.
    pub async fn webhook_messages(
        &self,
        filter: &WebhookFilter,
        page_request: &PageRequest,
    ) -> Result<Page<WebhookMessage>, ServiceError> {
        let page = self.table.webhooks().list(self.space, filter, page_request);
        Ok(page.await?)
    }
}

impl WebhookMessages<'_> {
    /// Sends the job of an event if an endpoint receives it. The event happens with the transaction
    /// that creates its message, for example that of the processing.
    pub async fn announce(
        self,
        event: WebhookEvent,
        endpoint: Option<WebhookEndpoint>,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<Option<AnnouncedWebhook>, ServiceError> {
        let Some(endpoint) = endpoint else {
            return Ok(None);
        };
        let announced = AnnouncedWebhook::new(event, endpoint, self.space.env());
        let job = event_job(&announced, &self.space.record, self.space.now());
        webhooks.send(&[job]).await?;
        Ok(Some(announced))
    }

    /// Returns a webhook message of this space. Fails with 404 if it does not exist.
    pub async fn get(self, id: WebhookMessageId) -> Result<WebhookMessage, ServiceError> {
        let message = self
            .space
            .table
            .webhooks()
            .get(self.space.record.id, id)
            .await?;
        message.ok_or_else(ServiceError::not_found)
    }

    /// Requests a new series of attempts of a webhook message, which begins in the background.
    /// Fails with 403 if the space is disabled.
    pub async fn redeliver(
        self,
        message: &WebhookMessage,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<(), ServiceError> {
        if !self.space.record.enabled {
            return Err(ServiceError::forbidden(
                "This space is disabled and sends no webhooks.",
            ));
        }

        let job = WebhookJob::Redeliver {
            space_id: self.space.record.id,
            webhook_message_id: message.id,
            requested_at: self.space.now(),
            cause: None,
        };
        Ok(webhooks.send(&[DelayedJob::immediate(job)]).await?)
    }
}

/// Returns the webhook message of an announced event of a file.
pub(crate) fn webhook_message(
    announced: &AnnouncedWebhook,
    file: &File,
    now: Timestamp,
) -> Result<WebhookMessage, ServiceError> {
    let payload = WebhookPayload::new(announced.event, file);
    let payload = serde_json::to_string(&payload).map_err(ServiceError::internal)?;
    Ok(WebhookMessage::new(announced, file, payload, now))
}

/// Returns the job of an announced event.
pub(crate) fn event_job(
    announced: &AnnouncedWebhook,
    space: &Space,
    announced_at: Timestamp,
) -> DelayedJob<WebhookJob> {
    DelayedJob::immediate(WebhookJob::Event {
        space_id: space.id,
        webhook_message_id: announced.id,
        announced_at,
    })
}
