//! `GET /spaces/:id/webhook-deliveries/:deliveryId`: get a webhook message with its body.

use http_api::{
    caller::{Can, ManageWebhooks, WebhookMessagePath},
    describe::Endpoint,
    response::{ApiError, Data},
};

use super::{MESSAGE_PATH, views::DetailedWebhookMessageView};

pub(crate) const GET: Endpoint = Endpoint::get(
    "getWebhookDelivery",
    MESSAGE_PATH,
    "Get a webhook message with its body",
)
.description(
    "`payload` is the body byte for byte, as it is signed and sent. `status`, `failure` and \
     `next_attempt_at` show whether attempts follow; `redeliverWebhook` begins new ones. Messages \
     are kept for 30 days.",
);

pub(crate) async fn get(
    can: Can<ManageWebhooks>,
    WebhookMessagePath(id): WebhookMessagePath,
) -> Result<Data<DetailedWebhookMessageView>, ApiError> {
    let message = can.space.webhooks().get(id).await?;
    Ok(Data(message.into()))
}
