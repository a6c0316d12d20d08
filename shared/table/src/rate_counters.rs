//! Rate counters of anonymous clients: requests per client and minute, uploads per config and hour.
//!
//! A counter is an item of its own, which expires some time after its minute or hour.

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

/// Adds one to a counter, which expires some time after it ended.
const COUNT: &str = "ADD made :one SET expires_at_seconds = :expires";
/// How long a counter is kept after its time, in milliseconds: clocks differ by less.
const KEPT_MS: i64 = 10 * 60 * 1_000;

/// A counter.
#[derive(Deserialize)]
struct Counted {
    made: u64,
}

impl Table {
    /// Counts a request of an anonymous client. Returns `false` if its requests of this minute are
    /// used up.
    #[instrument(skip_all)]
    pub async fn count(
        &self,
        who: &str,
        limit: RateLimit,
    ) -> Result<(bool, RateLimitStatus), TableError> {
        let now = self.env.now();
        let used_up = limit.status(limit.requests_per_minute, now);
        let counter = Key::rate_counter(limit.tier, who, Window::of(now));
        let condition = below(limit.requests_per_minute, used_up.resets_at);
        Ok(match self.update(counter, COUNT, &condition).await? {
            Updated::Written(item) => {
                let Counted { made } = record(item)?;
                (true, limit.status(made, now))
            }
            Updated::ConditionFailed(_) => (false, used_up),
        })
    }

    /// Returns the number of anonymous uploads that a config has received in an hour.
    #[instrument(skip_all)]
    pub async fn uploads_in_hour(
        &self,
        space: SpaceId,
        quota: HourlyQuota,
    ) -> Result<u64, TableError> {
        let counted: Option<Counted> = self.get(Key::hour(space, quota)).await?;
        Ok(counted.map_or(0, |counted| counted.made))
    }
}

impl Transaction<'_> {
    /// Counts one upload if the quota is not used up.
    pub(crate) fn count_upload(&mut self, space: SpaceId, quota: HourlyQuota) {
        self.update(
            Key::hour(space, quota),
            COUNT,
            &below(quota.limit, quota.ends_at()),
            Reason::QuotaExhausted,
        );
    }
}

/// Holds while a counter is below its limit. Defines the values of [`COUNT`] for one that ends at a
/// moment.
fn below(limit: u64, ends_at: Timestamp) -> Condition {
    Condition::default()
        .and("(attribute_not_exists(made) OR made < :limit)")
        .value("limit", number(limit))
        .value("one", number(1))
        .value("expires", number(ends_at.plus_ms(KEPT_MS).seconds()))
}
