//! `/spaces/:id/webhook-deliveries` and `/spaces/:id/webhook-secret`.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod redeliver;
pub(crate) mod secret;
mod views;

/// Path of a webhook message in the delivery log of its space.
const MESSAGE_PATH: &str = "/spaces/{id}/webhook-deliveries/{deliveryId}";
