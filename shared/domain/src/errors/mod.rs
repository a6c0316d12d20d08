//! Errors: of fields, of requests, and of rate limits.

mod field_error;
mod rate_limit_status;
mod service_error;

pub use field_error::{FieldError, FieldErrors, parse_integer, parse_variant};
pub use rate_limit_status::RateLimitStatus;
pub use service_error::{ErrorKind, ServiceError, error_chain};
