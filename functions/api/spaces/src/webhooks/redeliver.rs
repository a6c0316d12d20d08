//! `POST /spaces/:id/webhook-deliveries/:deliveryId/redeliver`: send a webhook message again.

use axum::extract::State;
use http_api::{
    caller::{Can, ManageWebhooks, WebhookMessagePath},
    describe::Endpoint,
    response::{Accepted, ApiError},
};
use space_store::jobs::{Queue, WebhookJob};

pub(crate) const REDELIVER: Endpoint = Endpoint::post(
    "redeliverWebhook",
    "/spaces/{id}/webhook-deliveries/{deliveryId}/redeliver",
    "Send a webhook message again",
)
.description(
    "Begins a new series of attempts in the background, with the same `webhook-id` and body; a \
     pending message is sent at once instead. It goes to the URL that receives the event at that \
     time, and `getWebhookDelivery` shows the result.",
);

/// Begins a new series of attempts in the background, with the same id and body. Also advances the
/// next attempt of a pending message. Fails with 403 if the space is disabled.
pub(crate) async fn redeliver(
    can: Can<ManageWebhooks>,
    WebhookMessagePath(id): WebhookMessagePath,
    State(webhooks): State<Queue<WebhookJob>>,
) -> Result<Accepted, ApiError> {
    let message = can.space.webhooks().get(id).await?;
    can.space.webhooks().redeliver(&message, &webhooks).await?;
    Ok(Accepted)
}
