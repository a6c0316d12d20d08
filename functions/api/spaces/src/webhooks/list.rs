//! `GET /spaces/:id/webhook-deliveries`: the delivery log of a space, with the webhook messages of
//! the last 30 days, newest first.

use domain::{
    errors::{FieldError, parse_variant},
    webhooks::WebhookFilter,
};
use http_api::{
    caller::{ManageWebhooks, SpacePath},
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::{ListQuery, PageResponse},
    response::ApiError,
};

use super::views::WebhookMessageView;

pub(crate) const LIST: Endpoint = Endpoint::get(
    "listWebhookDeliveries",
    "/spaces/{id}/webhook-deliveries",
    "List the delivery log of a space: its webhook messages and their attempts",
)
.description(
    "The messages of the last 30 days from newest to oldest, each with its last 20 attempts: \
     time, duration, status or error, and the beginning of the response. `next_cursor` continues \
     the list. `getWebhookDelivery` also returns the body.",
);

pub(crate) struct MessageQuery(WebhookFilter);

impl FromFields for MessageQuery {
    fn read(fields: &mut impl FieldReader) -> Option<MessageQuery> {
        let filter = WebhookFilter {
            status: fields.optional("status", parse_variant),
            event: fields.optional("event", parse_variant),
            file_id: fields.optional("file_id", |id| {
                id.parse().map_err(|_| FieldError::InvalidSelection)
            }),
        };
        fields.describe("status", "Only messages with this status.");
        fields.describe("event", "Only messages of this event.");
        fields.describe("file_id", "Only messages of events of this file.");
        Some(MessageQuery(filter))
    }
}

pub(crate) async fn list(
    space: SpacePath<ManageWebhooks>,
    ListQuery {
        page: request,
        filter: MessageQuery(filter),
        ..
    }: ListQuery<MessageQuery>,
) -> Result<PageResponse<WebhookMessageView>, ApiError> {
    let listed = space
        .list(async |lists| {
            lists
                .webhook_messages(&filter, request.page_request())
                .await
        })
        .await?;
    Ok(request.response(listed.found, WebhookMessageView::from))
}
