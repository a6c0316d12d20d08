//! Webhooks: payloads, signatures, and the record of a delivery with its attempts.

mod attempt;
mod delivery;
mod endpoint;
mod payload;
mod secret;
mod slot_wait;

pub use attempt::{MAX_RESPONSE_EXCERPT_BYTES, WebhookAttempt, WebhookExcerpt};
pub use delivery::{
    AnnouncedWebhook, WebhookConclusion, WebhookDelivery, WebhookFailure, WebhookFilter,
    WebhookStatus,
};
pub use endpoint::{WebhookEndpoint, WebhookSource};
pub use payload::{WebhookFile, WebhookPayload};
pub use secret::{SignedWebhook, WebhookSecret};
pub use slot_wait::WebhookSlotWait;
