//! Requests, independent of HTTP: pages, idempotency and rate limits.

mod idempotency;
mod page;
mod rate_limit;

pub use idempotency::{Completion, IdempotencyKey, IdempotencyReservation, ReservationOutcome};
pub use page::{Cursor, Direction, Page, PageBounds, PageRequest};
pub use rate_limit::{HourlyQuota, QuotaScope, RateLimit, RenditionQuota, UnsignedClient, Window};
