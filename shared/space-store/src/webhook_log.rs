//! One delivery of a webhook, and its redelivery.

use domain::{ServiceError, WebhookDelivery, WebhookDeliveryId};
use queue::{DelayedJob, Queue, WebhookJob};

use crate::SpaceScope;

impl SpaceScope {
    /// Returns a delivery of this space. Fails with 404 if it does not exist.
    pub async fn webhook_delivery(
        &self,
        id: WebhookDeliveryId,
    ) -> Result<WebhookDelivery, ServiceError> {
        let delivery = self.table.webhooks().get(self.record.id, id).await?;
        delivery.ok_or_else(ServiceError::not_found)
    }

    /// Requests a new series of attempts of a delivery, which begins in the background. Fails with 403
    /// if the space is disabled.
    pub async fn redeliver_webhook(
        &self,
        delivery: &WebhookDelivery,
        webhooks: &Queue<WebhookJob>,
    ) -> Result<(), ServiceError> {
        if !self.record.enabled {
            return Err(ServiceError::forbidden(
                "This space is disabled and sends no webhooks.",
            ));
        }

        let job = WebhookJob::Redeliver {
            space_id: self.record.id,
            delivery_id: delivery.id,
            requested_at: self.now(),
            cause: None,
        };
        Ok(webhooks.send(&[DelayedJob::immediate(job)]).await?)
    }
}
