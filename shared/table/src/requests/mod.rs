//! What is stored of requests: reservations of idempotency keys, and counters.

pub(crate) mod idempotency;
pub(crate) mod rate_counters;
