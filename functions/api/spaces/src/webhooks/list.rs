//! `GET /spaces/:id/webhook-deliveries`: list the deliveries of webhooks of the last 30 days, newest
//! first.

use domain::{FieldError, WebhookFilter, parse_variant};
use http_api::{
    ApiError, Endpoint, FieldReader, FromFields, ListQuery, ManageWebhooks, PageResponse, SpacePath,
};

use super::views::WebhookDeliveryView;

pub(crate) const LIST: Endpoint = Endpoint::get(
    "listWebhookDeliveries",
    "/spaces/{id}/webhook-deliveries",
    "List the webhook deliveries of a space",
);

pub(crate) struct DeliveryQuery(WebhookFilter);

impl FromFields for DeliveryQuery {
    fn read(fields: &mut impl FieldReader) -> Option<DeliveryQuery> {
        let filter = WebhookFilter {
            status: fields.optional("status", parse_variant),
            event: fields.optional("event", parse_variant),
            file_id: fields.optional("file_id", |id| {
                id.parse().map_err(|_| FieldError::InvalidSelection)
            }),
        };
        fields.describe("status", "Only deliveries with this status.");
        fields.describe("event", "Only deliveries of this event.");
        fields.describe("file_id", "Only deliveries of events of this file.");
        Some(DeliveryQuery(filter))
    }
}

pub(crate) async fn list(
    space: SpacePath<ManageWebhooks>,
    ListQuery {
        page: request,
        filter: DeliveryQuery(filter),
    }: ListQuery<DeliveryQuery>,
) -> Result<PageResponse<WebhookDeliveryView>, ApiError> {
    let listed = space
        .list(async |lists| {
            lists
                .webhook_deliveries(&filter, request.page_request())
                .await
        })
        .await?;
    Ok(request.response(listed.found, WebhookDeliveryView::from))
}
