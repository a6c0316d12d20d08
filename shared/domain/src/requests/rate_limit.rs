//! Rate limits of callers per minute, quotas of unsigned uploads per hour, and of stored
//! renditions.
//!
//! Rate limits and hourly quotas use fixed windows that start at full minutes and hours of UTC, the
//! same for all callers.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    env::Timestamp,
    errors::{RateLimitStatus, ServiceError},
    id::UploadConfigId,
    settings::FileStatus,
};

/// Length of a window, in milliseconds.
const WINDOW_MS: i64 = 60_000;
/// Length of an hour, in milliseconds.
const HOUR_MS: i64 = 60 * WINDOW_MS;
/// Length of a day, in milliseconds.
const DAY_MS: i64 = 24 * HOUR_MS;
/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;
/// Name of the hourly quota of unsigned uploads in headers.
const UNSIGNED_HOURLY: &str = "unsigned-hourly";
/// Name of the share of one client in that quota.
const UNSIGNED_HOURLY_CLIENT: &str = "unsigned-hourly-client";
/// Name of the limit of presigned uploads of one client in that quota.
const UNSIGNED_HOURLY_PRESIGNS: &str = "unsigned-hourly-presigns";
/// Number of clients that use up an hourly quota together, at least.
const CLIENTS_PER_QUOTA: u64 = 10;
/// Minimum of a client's share in an hourly quota.
const MIN_CLIENT_UPLOADS: u64 = 5;
/// Presigned uploads per accepted one of a client's share: some are never sent, or are rejected.
const PRESIGNS_PER_CLIENT_UPLOAD: u64 = 4;
/// Message of an error for an upload over the share of its client.
const CLIENT_QUOTA_MESSAGE: &str = "This address has used its share of the uploads of this hour. Retry after the number of seconds in Retry-After.";

/// Rate limit of a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Name of the tier in headers and records, of `a-z` only.
    pub tier: &'static str,
    /// Maximum number of requests of one caller per minute.
    pub requests_per_minute: u64,
}

/// Window of one minute, counted from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window(pub i64);

impl Window {
    /// Length of a window, in seconds.
    pub const SECONDS: i64 = WINDOW_MS / MS_PER_SECOND;

    /// Returns the window of a point in time.
    pub fn of(now: Timestamp) -> Window {
        Window(now.ms() / WINDOW_MS)
    }
}

impl RateLimit {
    /// Returns the status after `count` requests in the window of `now`.
    pub fn status(self, count: u64, now: Timestamp) -> RateLimitStatus {
        let resets_at = Timestamp::from_ms((Window::of(now).0 + 1) * WINDOW_MS);
        RateLimitStatus {
            name: self.tier,
            limit: self.requests_per_minute,
            window_seconds: Window::SECONDS,
            remaining: self.requests_per_minute.saturating_sub(count),
            resets_in_seconds: resets_at.seconds_after(now),
            resets_at,
        }
    }
}

/// Client of unsigned uploads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsignedClient {
    /// SHA-256, in lower-case hex, of its network and the upload config: files are stored without
    /// addresses.
    pub digest: String,
    /// Maximum number of uploads of all clients under the config in a clock hour, when the client
    /// sent its request.
    pub max_uploads_per_hour: u64,
}

impl UnsignedClient {
    /// Creates the client whose network under the config has this text.
    pub fn new(network: &str, max_uploads_per_hour: u64) -> UnsignedClient {
        UnsignedClient {
            digest: hex::encode(Sha256::digest(network)),
            max_uploads_per_hour,
        }
    }
}

/// Quota of unsigned uploads in one clock hour of UTC: of an upload config, and of one of its
/// clients, so that no client uses up the quota of all. No scope limits the presigned uploads of
/// all clients together: they count before they are accepted, so one client could use up such a
/// limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HourlyQuota {
    /// Id of the upload config.
    pub config: UploadConfigId,
    /// Hour, counted from 1970.
    pub hour: i64,
    pub client: UnsignedClient,
}

/// Scope of an hourly quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuotaScope {
    /// Accepted uploads of all clients of the upload config.
    Config,
    /// Accepted uploads of the client.
    Client,
    /// Presigned uploads of the client, accepted or not.
    ClientPresigns,
}

impl QuotaScope {
    /// Scopes that limit every accepted upload.
    pub const ACCEPTED: &[QuotaScope] = &[QuotaScope::Config, QuotaScope::Client];
    /// Scopes that limit every presigned upload.
    pub const PRESIGNED: &[QuotaScope] = &[
        QuotaScope::Config,
        QuotaScope::Client,
        QuotaScope::ClientPresigns,
    ];

    /// Returns the scopes that limit the writes of files with this status.
    pub fn of(status: FileStatus) -> &'static [QuotaScope] {
        match status {
            FileStatus::Active | FileStatus::Trashed => QuotaScope::ACCEPTED,
            FileStatus::Pending => &[QuotaScope::ClientPresigns],
        }
    }
}

impl HourlyQuota {
    /// Creates the quota of a client of a config for the hour of `now`.
    pub fn new(config: UploadConfigId, client: UnsignedClient, now: Timestamp) -> HourlyQuota {
        HourlyQuota {
            config,
            hour: now.ms() / HOUR_MS,
            client,
        }
    }

    /// Lowers the maximum number of uploads to this one, if it is smaller.
    #[must_use]
    pub fn at_most(mut self, max_uploads_per_hour: Option<u64>) -> HourlyQuota {
        if let Some(max) = max_uploads_per_hour {
            self.client.max_uploads_per_hour = self.client.max_uploads_per_hour.min(max);
        }
        self
    }

    /// Returns the maximum number of uploads.
    pub fn limit(&self, scope: QuotaScope) -> u64 {
        let limit = self.client.max_uploads_per_hour;
        match scope {
            QuotaScope::Config => limit,
            QuotaScope::Client => (limit / CLIENTS_PER_QUOTA).max(MIN_CLIENT_UPLOADS),
            QuotaScope::ClientPresigns => {
                PRESIGNS_PER_CLIENT_UPLOAD * self.limit(QuotaScope::Client)
            }
        }
    }

    /// Returns the end of the hour.
    pub fn ends_at(&self) -> Timestamp {
        Timestamp::from_ms((self.hour + 1) * HOUR_MS)
    }

    /// Creates the error for an upload over the quota.
    pub fn exceeded_error(&self, scope: QuotaScope, now: Timestamp) -> ServiceError {
        let error = ServiceError::rate_limited(RateLimitStatus {
            name: match scope {
                QuotaScope::Config => UNSIGNED_HOURLY,
                QuotaScope::Client => UNSIGNED_HOURLY_CLIENT,
                QuotaScope::ClientPresigns => UNSIGNED_HOURLY_PRESIGNS,
            },
            limit: self.limit(scope),
            window_seconds: HOUR_MS / MS_PER_SECOND,
            remaining: 0,
            resets_in_seconds: self.ends_at().seconds_after(now),
            resets_at: self.ends_at(),
        });

        match scope {
            QuotaScope::Config => error,
            QuotaScope::Client | QuotaScope::ClientPresigns => ServiceError {
                message: CLIENT_QUOTA_MESSAGE.into(),
                ..error
            },
        }
    }
}

/// Quota of the renditions of one file that are stored for some days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenditionQuota {
    /// Maximum number of stored renditions, at most [`RenditionQuota::MAX_LIMIT`].
    pub limit: u64,
    /// Days for which a rendition is stored.
    pub days: u64,
}

impl RenditionQuota {
    /// Maximum of `limit`. One item lists all renditions of a file, and each write of it costs its
    /// size.
    pub const MAX_LIMIT: u64 = 1_000;

    /// Returns the time after which a rendition is certainly not stored any more, in seconds: a day
    /// more than it is stored, because S3 rounds the expiry up to the next midnight of UTC
    /// ("Lifecycle configuration elements", Amazon S3 User Guide).
    pub fn max_age_seconds(self) -> i64 {
        let days = i64::try_from(self.days).unwrap_or(i64::MAX);
        let day_seconds = DAY_MS / MS_PER_SECOND;
        days.saturating_add(1).saturating_mul(day_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_has_a_tenth_of_the_quota_and_at_least_five() {
        for (limit, expected) in [(1, 5), (50, 5), (59, 5), (60, 6), (99, 9), (1_000, 100)] {
            let client = UnsignedClient::new("192.0.2.1", limit);
            let quota = HourlyQuota::new(UploadConfigId::MIN, client, Timestamp::from_ms(0));
            assert_eq!(quota.limit(QuotaScope::Config), limit);
            assert_eq!(quota.limit(QuotaScope::Client), expected, "{limit}");
            assert_eq!(quota.limit(QuotaScope::ClientPresigns), 4 * expected);
        }
    }

    #[test]
    fn status_resets_at_the_end_of_the_minute() {
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
