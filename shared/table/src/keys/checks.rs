//! Authentication of requests by API key, and the count of requests per key.
//!
//! Invariants:
//! - The authentication item of a key is changed by single updates only. In a transaction it would
//!   conflict with the requests that it counts.
//! - The counters are attributes of the item, one per rate limit tier and minute, so instances with
//!   different clocks do not interfere.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    env::Timestamp,
    errors::RateLimitStatus,
    keys::{ApiKey, KeyHash, KeyId, KeyScope},
    requests::{RateLimit, Window},
};
use futures::future::try_join;
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    condition::{Condition, number},
    connection::KeyRecords,
    errors::TableError,
    key::Key,
    read::{Item, record},
    write::{AttributeChanges, Updated},
};

/// Age at which `last_used_at` is updated, in milliseconds.
const LAST_USED_INTERVAL_MS: i64 = 60_000;
/// Prefix of the names of counters. Tier and window follow.
const COUNTER_PREFIX: &str = "requests_";
/// Number of windows after which a counter is removed. Clocks differ by less.
const STALE_WINDOWS: i64 = 3;

/// The authentication item of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthenticatedKey {
    /// Id of the key.
    pub key_id: KeyId,
    /// The account or the space and role that the key authenticates.
    pub scope: KeyScope,
    is_revoked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
}

impl AuthenticatedKey {
    pub(crate) fn new(key: &ApiKey) -> AuthenticatedKey {
        AuthenticatedKey {
            key_id: key.id,
            scope: key.scope,
            is_revoked: key.is_revoked,
            expires_at: key.expires_at,
            last_used_at: None,
        }
    }

    fn is_valid(&self, now: Timestamp) -> bool {
        !self.is_revoked && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    fn is_recently_used(&self, now: Timestamp) -> bool {
        self.last_used_at
            .is_some_and(|last| now < last.plus_ms(LAST_USED_INTERVAL_MS))
    }
}

/// Outcome of authenticating and counting a request.
#[derive(Clone, Debug)]
pub enum KeyCheck {
    /// The key is unknown, revoked or expired.
    InvalidKey,
    /// The key has no requests left in this minute.
    RateLimited(RateLimitStatus),
    /// The request is counted.
    Counted {
        key: AuthenticatedKey,
        /// The remaining requests of the key.
        rate_limit: RateLimitStatus,
    },
}

impl KeyRecords<'_> {
    /// Authenticates and counts a request in one call. Creates nothing for an unknown key, and does
    /// not count beyond the limit. Once a minute, two more calls update `last_used_at` and remove
    /// stale counters.
    #[instrument(skip_all)]
    pub async fn authenticate_and_count(
        self,
        hash: &KeyHash,
        limit: RateLimit,
    ) -> Result<KeyCheck, TableError> {
        let now = self.table.env.now();
        let counter = format!("{COUNTER_PREFIX}{}_{}", limit.tier, Window::of(now).0);
        let is_allowed = Condition::equals("is_revoked", AttributeValue::Bool(false))
            .and("(attribute_not_exists(expires_at) OR expires_at > :now)")
            .and("(attribute_not_exists(#counter) OR #counter < :limit)")
            .name("counter", &counter)
            .value("one", number(1))
            .value("now", number(now.ms()))
            .value("limit", number(limit.requests_per_minute));

        let updated = self
            .table
            .update(Key::api_key(hash), "ADD #counter :one", &is_allowed)
            .await?;

        match updated {
            Updated::Written(item) => {
                let count = item
                    .get(&counter)
                    .and_then(|count| count.as_n().ok()?.parse().ok())
                    .unwrap_or(u64::MAX);
                let stale = stale_counters(&item, Window::of(now));
                let key: AuthenticatedKey = record(item)?;
                ignore_retryable(self.touch_last_used(hash, &key, stale, now).await)?;
                Ok(KeyCheck::Counted {
                    key,
                    rate_limit: limit.status(count, now),
                })
            }
            Updated::ConditionFailed(None) => Ok(KeyCheck::InvalidKey),
            Updated::ConditionFailed(Some(item)) => {
                let key: AuthenticatedKey = record(item)?;
                Ok(if key.is_valid(now) {
                    KeyCheck::RateLimited(limit.status(limit.requests_per_minute, now))
                } else {
                    KeyCheck::InvalidKey
                })
            }
        }
    }

    /// Authenticates a request without counting it, for delivery, which has no rate limit per key.
    /// Returns `None` if the key is unknown, revoked or expired.
    #[instrument(skip_all)]
    pub async fn authenticate(
        self,
        hash: &KeyHash,
    ) -> Result<Option<AuthenticatedKey>, TableError> {
        let now = self.table.env.now();
        let key: Option<AuthenticatedKey> = self.table.get(Key::api_key(hash)).await?;
        let Some(key) = key.filter(|key| key.is_valid(now)) else {
            return Ok(None);
        };

        ignore_retryable(self.touch_last_used(hash, &key, Vec::new(), now).await)?;
        Ok(Some(key))
    }

    /// Updates `last_used_at` once a minute, and removes stale counters.
    async fn touch_last_used(
        self,
        hash: &KeyHash,
        key: &AuthenticatedKey,
        stale_counters: Vec<String>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let mut changes = AttributeChanges {
            set: Vec::new(),
            remove: stale_counters,
        };
        if key.is_recently_used(now) {
            // A delivery, which sees no counters, may have updated `last_used_at` already.
            if !changes.remove.is_empty() {
                self.table
                    .change_existing(Key::api_key(hash), &changes)
                    .await?;
            }
            return Ok(());
        }

        let used = ("last_used_at", number(now.ms()));
        changes.set.push(used.clone());
        let listed = Key::listed_api_key(key.scope.owner(), key.key_id);
        let listed_changes = AttributeChanges {
            set: vec![used],
            remove: Vec::new(),
        };
        try_join(
            self.table.change_existing(Key::api_key(hash), &changes),
            self.table.change_existing(listed, &listed_changes),
        )
        .await?;
        Ok(())
    }
}

/// Ignores a retryable error of an update that a later request repeats.
fn ignore_retryable(updated: Result<(), TableError>) -> Result<(), TableError> {
    match updated {
        Err(error) if error.is_retryable() => Ok(()),
        updated => updated,
    }
}

/// Returns the names of the counters of windows that no clock is in any more.
fn stale_counters(item: &Item, current: Window) -> Vec<String> {
    let is_stale = |name: &&String| {
        let window = name
            .strip_prefix(COUNTER_PREFIX)
            .and_then(|rest| rest.rsplit_once('_')?.1.parse::<i64>().ok());
        window.is_some_and(|window| window + STALE_WINDOWS <= current.0)
    };
    item.keys().filter(is_stale).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counters_of_past_windows_are_stale() {
        let names = [
            "requests_admin_97",
            "requests_admin_98",
            "requests_upload_1",
            "is_revoked",
            "requests_odd",
            "pk",
        ];
        let item = names
            .map(|name| (name.to_owned(), AttributeValue::N("1".to_owned())))
            .into();

        let mut stale = stale_counters(&item, Window(100));

        stale.sort();
        assert_eq!(stale, ["requests_admin_97", "requests_upload_1"]);
    }
}
