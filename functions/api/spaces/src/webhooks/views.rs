//! Views of webhook deliveries.

use domain::{
    FileId, PublicHttpsUrl, WebhookAttempt, WebhookDelivery, WebhookDeliveryId, WebhookEvent,
    WebhookFailure, WebhookStatus,
};
use http_api::Rfc3339;
use schemars::JsonSchema;
use serde::Serialize;

/// A delivery of a webhook.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WebhookDeliveryView {
    /// Id of the delivery: the header `webhook-id` of its attempts.
    id: WebhookDeliveryId,
    event: WebhookEvent,
    /// Id of the file.
    file_id: FileId,
    /// URL of the endpoint.
    url: PublicHttpsUrl,
    status: WebhookStatus,
    /// Why the delivery failed. Null in other states.
    failure: Option<WebhookFailure>,
    /// The last 20 attempts, the oldest first.
    attempts: Vec<WebhookAttemptView>,
    /// Time of the next attempt. Null unless the delivery is pending.
    next_attempt_at: Option<Rfc3339>,
    /// Time of the last request that began a new series of attempts. Null if there was none.
    redelivered_at: Option<Rfc3339>,
    created_at: Rfc3339,
    /// Time of the last change.
    updated_at: Rfc3339,
}

impl From<WebhookDelivery> for WebhookDeliveryView {
    fn from(delivery: WebhookDelivery) -> WebhookDeliveryView {
        let attempts = delivery.attempts.into_iter().map(WebhookAttemptView::from);
        WebhookDeliveryView {
            id: delivery.id,
            event: delivery.event,
            file_id: delivery.file_id,
            url: delivery.endpoint.url,
            status: delivery.status,
            failure: delivery.failure,
            attempts: attempts.collect(),
            next_attempt_at: delivery.next_attempt_at.map(Rfc3339::from),
            redelivered_at: delivery.redelivered_at.map(Rfc3339::from),
            created_at: delivery.created_at.into(),
            updated_at: delivery.updated_at.into(),
        }
    }
}

/// An attempt to deliver a webhook.
#[derive(Serialize, JsonSchema)]
struct WebhookAttemptView {
    /// Number of the attempt, from 1. A redelivery continues the numbers.
    number: u32,
    /// Start of the attempt.
    at: Rfc3339,
    duration_ms: u64,
    /// Status of the response. Null without a response.
    status_code: Option<u16>,
    /// Why there was no valid response. Null if there was one.
    error: Option<String>,
    /// Beginning of the body of the response, at most 1,024 bytes. Null if it is empty.
    response_excerpt: Option<String>,
}

impl From<WebhookAttempt> for WebhookAttemptView {
    fn from(attempt: WebhookAttempt) -> WebhookAttemptView {
        let excerpt = attempt.response_excerpt.as_ref();
        WebhookAttemptView {
            number: attempt.number,
            at: attempt.at.into(),
            duration_ms: attempt.duration_ms,
            status_code: attempt.status_code,
            response_excerpt: excerpt.map(|excerpt| excerpt.as_str().to_owned()),
            error: attempt.error,
        }
    }
}

/// A delivery of a webhook with its body.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DetailedWebhookDeliveryView {
    #[serde(flatten)]
    delivery: WebhookDeliveryView,
    /// The body of the webhook, byte for byte.
    payload: String,
}

impl From<WebhookDelivery> for DetailedWebhookDeliveryView {
    fn from(delivery: WebhookDelivery) -> DetailedWebhookDeliveryView {
        DetailedWebhookDeliveryView {
            payload: delivery.payload.clone(),
            delivery: delivery.into(),
        }
    }
}
