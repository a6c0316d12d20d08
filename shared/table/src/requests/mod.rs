//! What is stored of requests: reservations of idempotency keys, and counters.

pub(crate) mod idempotency;
pub(crate) mod rate_counters;

pub use crate::connection::Reservations;
pub use idempotency::RESERVATION_LEASE_MS;
pub use rate_counters::{ExhaustedQuota, RequestCount};
