//! The status of a rate limit, which errors and responses contain.

use crate::env::Timestamp;

/// Status of a rate limit after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// Name of the limit in headers, of `a-z` and hyphens.
    pub name: &'static str,
    /// Maximum number of requests in a window.
    pub limit: u64,
    /// Length of a window, in seconds.
    pub window_seconds: i64,
    /// Number of requests left in this window.
    pub remaining: u64,
    /// Seconds until the next window, rounded up: at least 1.
    pub resets_in_seconds: u32,
    /// Start of the next window.
    pub resets_at: Timestamp,
}
