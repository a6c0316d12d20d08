//! Counters of requests without a key per client and minute, and of unsigned uploads per config
//! and hour.
//!
//! Each counter is a separate item, which expires after its minute or hour.

use domain::{HourlyQuota, RateLimit, RateLimitStatus, SpaceId, Timestamp, Window};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError,
    condition::{Condition, number},
    read::record,
    transaction::Transaction,
    write::Updated,
};

/// Increments a counter and sets its expiry.
const INCREMENT: &str = "ADD #count :one SET expires_at_seconds = :expires";
/// Time for which a counter is stored after its window, in milliseconds. Clocks differ by less.
const RETENTION_MS: i64 = 10 * 60 * 1_000;

/// The item of a counter.
#[derive(Deserialize)]
struct RateCounter {
    count: u64,
}

/// Outcome of counting an anonymous request.
#[derive(Clone, Copy, Debug)]
pub struct AnonymousCount {
    /// Whether the request is within the limit.
    pub is_allowed: bool,
    /// The remaining requests of the client in this minute.
    pub rate_limit: RateLimitStatus,
}

impl Table {
    /// Counts a request of an anonymous client, unless its limit for this minute is reached.
    #[instrument(skip_all)]
    pub async fn count_anonymous_request(
        &self,
        client: &str,
        limit: RateLimit,
    ) -> Result<AnonymousCount, TableError> {
        let now = self.env.now();
        let exhausted = limit.status(limit.requests_per_minute, now);
        let key = Key::rate_counter(limit.tier, client, Window::of(now));
        let is_below = below(limit.requests_per_minute, exhausted.resets_at);

        match self.update(key, INCREMENT, &is_below).await? {
            Updated::Written(item) => {
                let counter: RateCounter = record(item)?;
                Ok(AnonymousCount {
                    is_allowed: true,
                    rate_limit: limit.status(counter.count, now),
                })
            }
            Updated::ConditionFailed(_) => Ok(AnonymousCount {
                is_allowed: false,
                rate_limit: exhausted,
            }),
        }
    }

    /// Returns the number of unsigned uploads that a config has received in an hour.
    #[instrument(skip_all)]
    pub async fn uploads_in_hour(
        &self,
        space: SpaceId,
        quota: HourlyQuota,
    ) -> Result<u64, TableError> {
        let counter: Option<RateCounter> = self.get(Key::upload_quota(space, quota)).await?;
        Ok(counter.map_or(0, |counter| counter.count))
    }
}

impl Transaction<'_> {
    /// Counts one upload, if the quota is not exhausted.
    pub(crate) fn count_upload(&mut self, space: SpaceId, quota: HourlyQuota) {
        self.update(
            Key::upload_quota(space, quota),
            INCREMENT,
            &below(quota.limit, quota.ends_at()),
            Reason::QuotaExhausted,
        );
    }
}

/// Holds while a counter is below its limit. Defines the names and values of [`INCREMENT`] for a
/// window that ends at `ends_at`.
fn below(limit: u64, ends_at: Timestamp) -> Condition {
    Condition::default()
        .and("(attribute_not_exists(#count) OR #count < :limit)")
        .name("count", "count")
        .value("limit", number(limit))
        .value("one", number(1))
        .value("expires", number(ends_at.plus_ms(RETENTION_MS).seconds()))
}
