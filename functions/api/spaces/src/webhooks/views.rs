//! Views of webhook messages.

use domain::{
    id::{FileId, WebhookMessageId},
    naming::PublicHttpsUrl,
    settings::WebhookEvent,
    webhooks::{WebhookAttempt, WebhookFailure, WebhookMessage, WebhookStatus},
};
use http_api::response::Rfc3339;
use schemars::JsonSchema;
use serde::Serialize;

/// A webhook message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookMessage")]
pub(crate) struct WebhookMessageView {
    /// Id of the message: the header `webhook-id` of its attempts.
    id: WebhookMessageId,
    event: WebhookEvent,
    /// Id of the file.
    file_id: FileId,
    /// URL of the endpoint.
    url: PublicHttpsUrl,
    status: WebhookStatus,
    /// Why the message failed. Null in other states.
    failure: Option<WebhookFailure>,
    /// The last 20 attempts, the oldest first.
    attempts: Vec<WebhookAttemptView>,
    /// Time of the next attempt. Null unless the message is pending.
    next_attempt_at: Option<Rfc3339>,
    /// Time of the last request that began a new series of attempts. Null if there was none.
    redelivered_at: Option<Rfc3339>,
    created_at: Rfc3339,
    /// Time of the last change.
    updated_at: Rfc3339,
}

impl From<WebhookMessage> for WebhookMessageView {
    fn from(message: WebhookMessage) -> WebhookMessageView {
        let attempts = message.attempts.into_iter().map(WebhookAttemptView::from);
        WebhookMessageView {
            id: message.id,
            event: message.event,
            file_id: message.file_id,
            url: message.endpoint.url,
            status: message.status,
            failure: message.failure,
            attempts: attempts.collect(),
            next_attempt_at: message.next_attempt_at.map(Rfc3339::from),
            redelivered_at: message.redelivered_at.map(Rfc3339::from),
            created_at: message.created_at.into(),
            updated_at: message.updated_at.into(),
        }
    }
}

/// An attempt to send a webhook message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookAttempt")]
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

/// A webhook message with its body.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DetailedWebhookMessage")]
pub(crate) struct DetailedWebhookMessageView {
    #[serde(flatten)]
    message: WebhookMessageView,
    /// The body of the message, byte for byte.
    payload: String,
}

impl From<WebhookMessage> for DetailedWebhookMessageView {
    fn from(message: WebhookMessage) -> DetailedWebhookMessageView {
        DetailedWebhookMessageView {
            payload: message.payload.clone(),
            message: message.into(),
        }
    }
}
