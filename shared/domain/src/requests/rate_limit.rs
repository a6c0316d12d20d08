//! How many requests a caller may make in a minute, and where a request stands in that; how many
//! uploads a config takes from strangers in an hour.
//!
//! Time is cut into windows of a minute or an hour, the same for everyone; each counts by itself.

use crate::{ServiceError, Timestamp, UploadConfigId};

/// Milliseconds of a window.
const WINDOW_MS: i64 = 60_000;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 60 * WINDOW_MS;
/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;
/// Name of the hourly limit of unsigned uploads, in headers.
const UNSIGNED_HOURLY: &str = "unsigned-hourly";

/// A tier's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The tier's name, in headers and records: of `a-z` only.
    pub tier: &'static str,
    /// Requests that one caller may make in a minute.
    pub requests_per_minute: u64,
}

/// One minute, counted from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window(pub i64);

/// Where a request stands in a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// The limit's name, in headers: of `a-z` and hyphens.
    pub name: &'static str,
    /// Maximum number of requests in a window.
    pub limit: u64,
    /// Length of a window, in seconds.
    pub window_seconds: i64,
    /// Requests that are left in this window.
    pub remaining: u64,
    /// Seconds until the next window, rounded up: at least 1.
    pub resets_in_seconds: u32,
    /// When the next window begins.
    pub resets_at: Timestamp,
}

impl Window {
    /// Seconds of a window.
    pub const SECONDS: i64 = WINDOW_MS / MS_PER_SECOND;

    /// The window of a moment.
    pub fn of(now: Timestamp) -> Window {
        Window(now.ms() / WINDOW_MS)
    }
}

impl RateLimit {
    /// What is left at a moment after so many requests of its window.
    pub fn status(self, made: u64, now: Timestamp) -> RateLimitStatus {
        let resets_at = Timestamp::from_ms((Window::of(now).0 + 1) * WINDOW_MS);
        RateLimitStatus {
            name: self.tier,
            limit: self.requests_per_minute,
            window_seconds: Window::SECONDS,
            remaining: self.requests_per_minute.saturating_sub(made),
            resets_in_seconds: resets_at.seconds_after(now),
            resets_at,
        }
    }
}

/// The uploads that a config takes from strangers in one hour of the clock, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourlyQuota {
    /// The config.
    pub config: UploadConfigId,
    /// The hour, counted from 1970.
    pub hour: i64,
    /// Uploads.
    pub limit: u64,
}

impl HourlyQuota {
    /// Returns the quota of a config for the hour of `now`.
    pub fn new(config: UploadConfigId, limit: u64, now: Timestamp) -> HourlyQuota {
        HourlyQuota {
            config,
            hour: now.ms() / HOUR_MS,
            limit,
        }
    }

    /// When its hour is over.
    pub fn ends_at(self) -> Timestamp {
        Timestamp::from_ms((self.hour + 1) * HOUR_MS)
    }

    /// Returns the refusal of an upload over the quota.
    pub fn exceeded_error(self, now: Timestamp) -> ServiceError {
        ServiceError::rate_limited(RateLimitStatus {
            name: UNSIGNED_HOURLY,
            limit: self.limit,
            window_seconds: HOUR_MS / MS_PER_SECOND,
            remaining: 0,
            resets_in_seconds: self.ends_at().seconds_after(now),
            resets_at: self.ends_at(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_with_its_minute() {
        let limit = RateLimit {
            tier: "admin",
            requests_per_minute: 10,
        };
        let at = |ms| limit.status(4, Timestamp::from_ms(ms));
        assert_eq!(
            (
                at(0).remaining,
                at(0).resets_in_seconds,
                at(0).resets_at.ms()
            ),
            (6, 60, 60_000)
        );
        assert_eq!(
            (at(59_999).resets_in_seconds, at(59_999).resets_at.seconds()),
            (1, 60)
        );
        assert_eq!(
            (at(1).resets_in_seconds, at(59_000).resets_in_seconds),
            (60, 1)
        );
        assert_eq!(limit.status(11, Timestamp::from_ms(0)).remaining, 0);
        assert!(Window::of(Timestamp::from_ms(59_999)) < Window::of(Timestamp::from_ms(60_000)));
    }
}
