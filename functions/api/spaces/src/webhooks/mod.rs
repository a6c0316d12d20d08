//! `/spaces/:id/webhook-deliveries` and `/spaces/:id/webhook-secret`.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod redeliver;
pub(crate) mod secret;
mod views;

/// Path of a delivery.
const DELIVERY_PATH: &str = "/spaces/{id}/webhook-deliveries/{deliveryId}";
