//! Webhook messages, for the background job that sends them.
//!
//! Invariants:
//! - A message is created by the transaction of its event, so its job runs for an event that
//!   happened.
//! - Changes of a message that another job precedes fail as conflicts.

use domain::{
    errors::ServiceError,
    id::{SpaceId, WebhookMessageId},
    settings::{WebhookEndpoint, WebhookSource},
    spaces::Space,
    uploads::UploadConfigReference,
    webhooks::WebhookMessage,
};
use table::{
    Table,
    errors::{Reason, WriteError},
    webhooks::{HostReaction, WebhookClaim},
};
use tracing::instrument;

/// Webhook messages of all spaces.
#[derive(Clone, Debug)]
pub struct Webhooks {
    table: Table,
}

/// A webhook message and its space.
#[derive(Clone, Debug)]
pub struct WebhookMessageInSpace {
    pub space: Space,
    pub message: WebhookMessage,
}

impl Webhooks {
    /// Creates access to the messages in a table.
    pub fn new(table: Table) -> Webhooks {
        Webhooks {
            table: table.for_background_job(),
        }
    }

    /// Returns a message; `None` if it or its space do not exist.
    #[instrument(skip_all)]
    pub async fn message(
        &self,
        space_id: SpaceId,
        id: WebhookMessageId,
    ) -> Result<Option<WebhookMessageInSpace>, ServiceError> {
        let found = self.table.webhooks().with_space(space_id, id).await?;
        let (Some(space), Some(message)) = (found.space, found.record) else {
            return Ok(None);
        };
        Ok(Some(WebhookMessageInSpace { space, message }))
    }

    /// Changes a message. Returns `None` if it was changed or deleted since it was read.
    #[instrument(skip_all)]
    pub async fn change(
        &self,
        from: &WebhookMessage,
        change: impl FnOnce(&mut WebhookMessage),
    ) -> Result<Option<WebhookMessage>, ServiceError> {
        let mut changed = from.clone();
        change(&mut changed);
        match self.table.webhooks().change(from, changed).await {
            Ok(changed) => Ok(Some(changed)),
            Err(WriteError::ConditionFailed(Reason::VersionConflict)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Claims the next attempt of a message to an endpoint, and its slots.
    #[instrument(skip_all)]
    pub async fn claim(
        &self,
        from: &WebhookMessage,
        endpoint: WebhookEndpoint,
    ) -> Result<WebhookClaim, ServiceError> {
        let mut claimed = from.clone();
        claimed.endpoint = endpoint;
        claimed.claim(self.table.env().now());
        Ok(self.table.webhooks().claim_attempt(from, claimed).await?)
    }

    /// Records the result of a claimed attempt by `change`, and returns its slots. Returns whether
    /// the message was unchanged since the claim.
    #[instrument(skip_all)]
    pub async fn conclude(
        &self,
        claimed: &WebhookMessage,
        reaction: HostReaction,
        change: impl FnOnce(&mut WebhookMessage),
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

    /// Returns the endpoint that receives the event of a message now; `None` if the space and the
    /// upload config have none any more. That of a deleted config is the one of the last attempt,
    /// or of the space if it had none.
    #[instrument(skip_all)]
    pub async fn current_endpoint(
        &self,
        found: &WebhookMessageInSpace,
    ) -> Result<Option<WebhookEndpoint>, ServiceError> {
        let WebhookMessageInSpace { space, message } = found;
        let reference = UploadConfigReference::Id(message.upload_config_id);
        let config = self
            .table
            .upload_configs()
            .get(space.id, &reference)
            .await?;
        if let Some(config) = config {
            return Ok(space.webhook_receiver(message.event, &config.config.notifications));
        }
        Ok(match message.endpoint.source {
            WebhookSource::UploadConfig => Some(message.endpoint.clone()),
            WebhookSource::Space => space.webhook_endpoint(),
        })
    }
}
