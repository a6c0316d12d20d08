//! Deliveries of webhooks, for the background job that sends them.
//!
//! Invariants:
//! - A delivery is created by the transaction of its event, so its job runs for an event that happened.
//! - Changes of a delivery that another job precedes fail as conflicts.

use domain::{
    ServiceError, Space, SpaceId, UploadConfigReference, WebhookDelivery, WebhookDeliveryId,
    WebhookEndpoint, WebhookSource,
};
use table::{HostReaction, Reason, Table, WebhookClaim, WriteError};
use tracing::instrument;

/// Deliveries of all spaces.
#[derive(Clone, Debug)]
pub struct Webhooks {
    table: Table,
}

/// A delivery and its space.
#[derive(Clone, Debug)]
pub struct DeliveryInSpace {
    pub space: Space,
    pub delivery: WebhookDelivery,
}

impl Webhooks {
    /// Creates access to the deliveries in a table.
    pub fn new(table: Table) -> Webhooks {
        Webhooks {
            table: table.for_background_job(),
        }
    }

    /// Returns a delivery; `None` if it or its space do not exist.
    #[instrument(skip_all)]
    pub async fn delivery(
        &self,
        space_id: SpaceId,
        id: WebhookDeliveryId,
    ) -> Result<Option<DeliveryInSpace>, ServiceError> {
        let found = self.table.webhooks().with_space(space_id, id).await?;
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
        match self.table.webhooks().change(from, changed).await {
            Ok(changed) => Ok(Some(changed)),
            Err(WriteError::ConditionFailed(Reason::VersionConflict)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Claims the next attempt of a delivery to an endpoint, and its slots.
    #[instrument(skip_all)]
    pub async fn claim(
        &self,
        from: &WebhookDelivery,
        endpoint: WebhookEndpoint,
    ) -> Result<WebhookClaim, ServiceError> {
        let mut claimed = from.clone();
        claimed.endpoint = endpoint;
        claimed.claim(self.table.env().now());
        Ok(self.table.webhooks().claim_attempt(from, claimed).await?)
    }

    /// Records the result of a claimed attempt by `change`, and returns its slots. Returns whether the delivery
    /// was unchanged since the claim.
    #[instrument(skip_all)]
    pub async fn conclude(
        &self,
        claimed: &WebhookDelivery,
        reaction: HostReaction,
        change: impl FnOnce(&mut WebhookDelivery),
    ) -> Result<bool, ServiceError> {
        let mut concluded = claimed.clone();
        change(&mut concluded);
        let recorded = self
            .table
            .webhooks()
            .conclude_attempt(claimed, concluded, reaction)
            .await;
        match recorded {
            Ok(()) => Ok(true),
            Err(WriteError::ConditionFailed(Reason::VersionConflict)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the endpoint that receives the event of a delivery now; `None` if the space and the upload config
    /// have none any more. That of a deleted config is the one of the last attempt, or of the space if it had none.
    #[instrument(skip_all)]
    pub async fn current_endpoint(
        &self,
        found: &DeliveryInSpace,
    ) -> Result<Option<WebhookEndpoint>, ServiceError> {
        let DeliveryInSpace { space, delivery } = found;
        let reference = UploadConfigReference::Id(delivery.upload_config_id);
        let config = self
            .table
            .upload_configs()
            .get(space.id, &reference)
            .await?;
        if let Some(config) = config {
            return Ok(space.webhook_receiver(delivery.event, &config.config.notifications));
        }
        Ok(match delivery.endpoint.source {
            WebhookSource::UploadConfig => Some(delivery.endpoint.clone()),
            WebhookSource::Space => space.webhook_endpoint(),
        })
    }
}
