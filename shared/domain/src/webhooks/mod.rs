//! Webhooks: payloads, signatures, the record of a message with its attempts, and when
//! they are repeated.

mod attempt;
mod message;
mod payload;
mod retries;
mod secret;
mod slot_wait;

pub use attempt::{MAX_RESPONSE_EXCERPT_BYTES, WebhookAttempt, WebhookExcerpt};
pub use message::{
    AnnouncedWebhook, WebhookConclusion, WebhookFailure, WebhookFilter, WebhookMessage,
    WebhookStatus,
};
pub use payload::{WebhookFile, WebhookPayload};
pub use secret::{SignedWebhook, WebhookSecret};
pub use slot_wait::WebhookSlotWait;
