//! Webhook messages, and the slots of their attempts.

pub(crate) mod messages;
pub(crate) mod slots;

pub use slots::{HostReaction, WebhookClaim};
