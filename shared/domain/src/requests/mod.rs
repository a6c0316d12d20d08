//! Requests, independent of HTTP: errors, pages, idempotency and rate limits.

mod field_error;
mod idempotency;
mod page;
mod rate_limit;
mod service_error;

pub use field_error::{FieldError, FieldErrors, parse_integer, parse_variant};
pub use idempotency::{Completion, IdempotencyKey, IdempotencyReservation, ReservationOutcome};
pub use page::{Cursor, Direction, Page, PageBounds, PageRequest};
pub use rate_limit::{
    HourlyQuota, QuotaScope, RateLimit, RateLimitStatus, RenditionQuota, UnsignedClient, Window,
};
pub use service_error::{ErrorKind, ServiceError, error_chain};
