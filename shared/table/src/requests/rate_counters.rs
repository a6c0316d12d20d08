//! Counters of requests without a key per client and minute, of renderings per space and minute, of
//! accepted unsigned uploads per config and hour, and of accepted and of presigned ones per client
//! of a config and hour.
//!
//! Each counter is a separate item, which expires after its minute or hour.

use domain::{
    env::Timestamp,
    errors::RateLimitStatus,
    files::File,
    id::SpaceId,
    requests::{HourlyQuota, QuotaScope, RateLimit, Window},
    uploads::UploadConfig,
};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    condition::{Condition, number},
    connection::RateCounters,
    errors::{Reason, TableError},
    key::Key,
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

/// Outcome of counting a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestCount {
    /// Whether the request is within the limit.
    pub is_allowed: bool,
    /// The remaining requests in this minute.
    pub rate_limit: RateLimitStatus,
}

/// A quota that is exhausted.
#[derive(Clone, Debug)]
pub struct ExhaustedQuota {
    /// The quota, with the current maximum of its upload config.
    pub quota: HourlyQuota,
    /// The part that is exhausted.
    pub scope: QuotaScope,
}

impl RateCounters<'_> {
    /// Counts a request of a client, or of a space, unless its limit for this minute is reached.
    #[instrument(skip_all)]
    pub async fn count_request(
        self,
        client: &str,
        limit: RateLimit,
    ) -> Result<RequestCount, TableError> {
        let now = self.table.env.now();
        let exhausted = limit.status(limit.requests_per_minute, now);
        let key = Key::rate_counter(limit.tier, client, Window::of(now));
        let is_below = below(limit.requests_per_minute, exhausted.resets_at);

        match self.table.update(key, INCREMENT, &is_below).await? {
            Updated::Written(item) => {
                let counter: RateCounter = record(item)?;
                Ok(RequestCount {
                    is_allowed: true,
                    rate_limit: limit.status(counter.count, now),
                })
            }
            Updated::ConditionFailed(_) => Ok(RequestCount {
                is_allowed: false,
                rate_limit: exhausted,
            }),
        }
    }

    /// Returns which of these parts of a quota is exhausted, by the current maximum of its upload
    /// config; `None` if an upload may still be accepted.
    #[instrument(skip_all)]
    pub async fn exhausted_quota(
        self,
        space: SpaceId,
        quota: HourlyQuota,
        scopes: &[QuotaScope],
    ) -> Result<Option<ExhaustedQuota>, TableError> {
        let config_key = Key::upload_config(space, quota.config);
        let key = |scope: &QuotaScope| Key::upload_quota(space, &quota, *scope);
        let keys: Vec<Key> = scopes.iter().map(key).collect();
        let all_keys = keys.iter().chain([&config_key]).cloned();
        let mut found = self.table.batch_get(all_keys).await?;
        let config: Option<UploadConfig> = found.take(&config_key)?;
        let current = quota.at_most(config.as_ref().and_then(UploadConfig::max_uploads_per_hour));

        for (scope, key) in scopes.iter().zip(&keys) {
            let counter: Option<RateCounter> = found.take(key)?;
            if counter.is_some_and(|counter| counter.count >= current.limit(*scope)) {
                return Ok(Some(ExhaustedQuota {
                    quota: current,
                    scope: *scope,
                }));
            }
        }
        Ok(None)
    }
}

impl Transaction<'_> {
    /// Counts one upload whose file becomes active, or pending, if the quota is not exhausted.
    pub(crate) fn count_upload(&mut self, file: &File, quota: &HourlyQuota) {
        for scope in QuotaScope::of(file.status).iter().copied() {
            self.update(
                Key::upload_quota(file.space_id, quota, scope),
                INCREMENT,
                &below(quota.limit(scope), quota.ends_at()),
                Reason::QuotaExhausted(scope),
            );
        }
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
