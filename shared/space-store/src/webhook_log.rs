//! One webhook message, and its redelivery.

use domain::{ServiceError, WebhookMessage, WebhookMessageId};
use queue::{DelayedJob, Queue, WebhookJob};

use crate::SpaceScope;

/// The log of a space's webhooks.
#[derive(Clone, Copy, Debug)]
pub struct WebhookLog<'a> {
    space: &'a SpaceScope,
}

impl SpaceScope {
    pub fn webhooks(&self) -> WebhookLog<'_> {
        WebhookLog { space: self }
    }
}

impl WebhookLog<'_> {
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

    /// Requests a new series of attempts of a webhook message, which begins in the background. Fails with 403
    /// if the space is disabled.
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
            message_id: message.id,
            requested_at: self.space.now(),
            cause: None,
        };
        Ok(webhooks.send(&[DelayedJob::immediate(job)]).await?)
    }
}
