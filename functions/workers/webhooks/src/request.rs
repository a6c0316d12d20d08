//! The request of one attempt, signed as [Standard Webhooks](https://www.standardwebhooks.com)
//! specifies.

use domain::{
    env::Timestamp,
    errors::ServiceError,
    signing::MasterSecret,
    spaces::Space,
    webhooks::{SignedWebhook, WebhookAttempt, WebhookExcerpt, WebhookMessage, WebhookSecret},
};
use http::{HeaderMap, HeaderValue, header::CONTENT_TYPE};
use safe_http::{FetchLimits, OutboundError, PostRequest, Posted, RetryAfter};
use space_store::webhooks::HostReaction;
use tokio::time::Instant;
use worker::{JobContext, JobError};

use crate::WebhookWorker;

/// Maximum size of the part of a response that is read, in bytes: an excerpt of it is stored.
const MAX_RESPONSE_BYTES: usize = 4_096;

/// Header of the message's id.
const ID: &str = "webhook-id";
/// Header of the attempt's time, in seconds since 1970.
const TIMESTAMP: &str = "webhook-timestamp";
/// Header of the signatures, separated by spaces.
const SIGNATURE: &str = "webhook-signature";

/// An attempt that was made.
pub(crate) struct SentAttempt {
    pub(crate) attempt: WebhookAttempt,
    pub(crate) reaction: HostReaction,
    /// When the endpoint asks for the next attempt.
    pub(crate) retry_after: Option<RetryAfter>,
}

impl WebhookWorker {
    /// Sends a webhook once. A failure of the endpoint is part of the result.
    pub(crate) async fn request(
        &self,
        space: &Space,
        message: &WebhookMessage,
        context: &JobContext,
    ) -> Result<SentAttempt, JobError> {
        let master_secret = self.master_secret.get().await.map_err(JobError::new)?;
        let at = context.env.now();
        let headers = headers(space, message, master_secret, at).map_err(JobError::new)?;
        let request = PostRequest {
            headers,
            body: message.payload.clone().into(),
        };
        let limits = FetchLimits {
            deadline: self.deadline,
            max_body_bytes: MAX_RESPONSE_BYTES,
        };

        let started = Instant::now();
        let url = &message.endpoint.url;
        let posted = self.outbound.post(url, request, limits).await;
        let duration = started.elapsed();

        let attempt = WebhookAttempt {
            number: message.next_number,
            at,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            status_code: status_code(&posted),
            error: posted.as_ref().err().map(ToString::to_string),
            response_excerpt: excerpt(&posted),
        };
        Ok(SentAttempt {
            attempt,
            reaction: reaction(&posted),
            retry_after: posted.ok().and_then(|posted| posted.retry_after),
        })
    }
}

fn status_code(posted: &Result<Posted, OutboundError>) -> Option<u16> {
    match posted {
        Ok(posted) => Some(posted.status.as_u16()),
        Err(OutboundError::Redirect(status)) => Some(status.as_u16()),
        Err(_) => None,
    }
}

fn reaction(posted: &Result<Posted, OutboundError>) -> HostReaction {
    match posted {
        Err(OutboundError::ConnectTimeout(_) | OutboundError::DeadlineExceeded(_)) => {
            HostReaction::TimedOut
        }
        Ok(_) | Err(OutboundError::Redirect(_)) => HostReaction::Responded,
        Err(_) => HostReaction::Unreachable,
    }
}

fn excerpt(posted: &Result<Posted, OutboundError>) -> Option<WebhookExcerpt> {
    let posted = posted.as_ref().ok()?;
    WebhookExcerpt::of(&posted.body_start)
}

fn headers(
    space: &Space,
    message: &WebhookMessage,
    master_secret: &MasterSecret,
    sent_at: Timestamp,
) -> Result<HeaderMap, ServiceError> {
    let id = message.id.to_string();
    let webhook = SignedWebhook {
        id: &id,
        sent_at,
        body: &message.payload,
    };
    let signing = &space.webhook_signing;
    let signatures = WebhookSecret::sign_with_valid(space.id, signing, master_secret, &webhook);

    let value = |text: &str| HeaderValue::from_str(text).map_err(ServiceError::internal);
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ID, value(&id)?);
    headers.insert(TIMESTAMP, value(&sent_at.seconds().to_string())?);
    headers.insert(SIGNATURE, value(&signatures)?);
    Ok(headers)
}
