//! `GET /spaces/:id/webhook-deliveries/:deliveryId`: get a delivery of a webhook with its body.

use http_api::{ApiError, Can, Data, Endpoint, ManageWebhooks, WebhookDeliveryPath};

use super::{DELIVERY_PATH, views::DetailedWebhookDeliveryView};

pub(crate) const GET: Endpoint = Endpoint::get(
    "getWebhookDelivery",
    DELIVERY_PATH,
    "Get a webhook delivery with its body",
);

pub(crate) async fn get(
    can: Can<ManageWebhooks>,
    WebhookDeliveryPath(id): WebhookDeliveryPath,
) -> Result<Data<DetailedWebhookDeliveryView>, ApiError> {
    let delivery = can.space.webhooks().get(id).await?;
    Ok(Data(delivery.into()))
}
