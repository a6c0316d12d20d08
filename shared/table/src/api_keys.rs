//! API keys: the small item that requests are authenticated and counted by, and the whole record
//! that lists show.
//!
//! The small item is changed by single updates alone: in a transaction it would conflict with the
//! requests it counts. Its counters are attributes, one for each tier and minute, so that instances
//! whose clocks differ do not disturb each other.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    ApiKey, Completion, KeyHash, KeyId, KeyOwner, KeyScope, Page, PageRequest, RateLimit,
    RateLimitStatus, Space, SpaceId, Timestamp, Window,
};
use futures::future::try_join;
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError, WriteError,
    condition::{Condition, number},
    key::{API_KEYS, listed_api_keys},
    read::{Item, Range, record},
    spaces::existing,
    write::Updated,
};

/// How old `last_used_at` grows before it is written again, in milliseconds.
const LAST_USED_STEP_MS: i64 = 60_000;
/// What the names of counters begin with; tier and window follow.
const COUNTERS: &str = "requests_";
/// Windows after which a counter is dropped: clocks differ by less.
const STALE_WINDOWS: i64 = 3;

/// Keys of a deleted space that are read at once.
const KEYS_PAGE: u16 = 100;
/// What a request is authenticated by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthenticatedKey {
    /// The key's number.
    pub key_id: KeyId,
    /// Whom it speaks for.
    pub scope: KeyScope,
    is_active: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
}

impl AuthenticatedKey {
    fn holds(&self, now: Timestamp) -> bool {
        self.is_active && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Outcome of authenticating and counting a request.
#[derive(Clone, Debug)]
pub enum KeyCheck {
    /// The key is unknown, revoked or expired.
    UnknownKey,
    /// The key has no requests left in this minute.
    RateLimited(RateLimitStatus),
    /// The request is counted.
    Counted {
        /// The key.
        key: AuthenticatedKey,
        /// What is left of the key's requests.
        rate_limit: RateLimitStatus,
    },
}

impl Table {
    /// The next key's number. Where an answer is lost a number is left out, never given twice.
    #[instrument(skip_all)]
    pub async fn next_key_id(&self) -> Result<KeyId, TableError> {
        let values = Condition::default()
            .name("last", "last")
            .value("one", number(1));
        let Updated::Written(item) = self
            .update(Key::last_api_key(), "ADD #last :one", &values)
            .await?
        else {
            return Err(TableError::refused(
                "an update without a condition failed its condition",
            ));
        };
        let counted: Counter = record(item)?;
        Ok(KeyId(counted.last))
    }

    /// Writes a new key. Fails with [`Reason::SpaceDeleted`] if its space no longer exists.
    #[instrument(skip_all)]
    pub async fn create_key(
        &self,
        key: &ApiKey,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let small = AuthenticatedKey {
            key_id: key.id,
            scope: key.scope,
            is_active: key.is_active,
            expires_at: key.expires_at,
            last_used_at: None,
        };
        let mut transaction = self.transaction();
        transaction.insert(Key::api_key(&key.hash), &small, Reason::IdTaken);
        transaction.insert(
            Key::listed_api_key(key.scope.owner(), key.id),
            key,
            Reason::IdTaken,
        );
        if let KeyOwner::Space(space) = key.scope.owner() {
            let exists = Condition::exists().and("attribute_not_exists(deleted_at)");
            transaction.check(Key::space(space), &exists, Reason::SpaceDeleted);
        }
        transaction.commit_with(completion).await
    }

    /// Deletes the authentication items of all keys of a deleted space: none of them authenticates
    /// any longer. Safe to repeat. A key that is created concurrently is refused, because its
    /// transaction checks the space.
    #[instrument(skip_all)]
    pub async fn delete_space_authentication(&self, space: SpaceId) -> Result<(), TableError> {
        let mut page_request = PageRequest::first(KEYS_PAGE);
        loop {
            let page = self
                .list_keys(KeyOwner::Space(space), &page_request)
                .await?;
            let items: Vec<Key> = page
                .items
                .iter()
                .map(|key| Key::api_key(&key.hash))
                .collect();
            self.delete_all(&items).await?;

            if page.next.is_none() {
                return Ok(());
            }
            page_request.cursor = page.next;
        }
    }

    /// Authenticates a request and counts it, in one call: an unknown key creates nothing, and a
    /// key at its limit counts no further. Once a minute two more calls note the key's use and drop
    /// the counters of minutes gone.
    #[instrument(skip_all)]
    pub async fn authenticate_and_count(
        &self,
        hash: &KeyHash,
        limit: RateLimit,
    ) -> Result<KeyCheck, TableError> {
        let now = self.env.now();
        let counter = format!("{COUNTERS}{}_{}", limit.tier, Window::of(now).0);
        let condition = Condition::equals("is_active", AttributeValue::Bool(true))
            .and("(attribute_not_exists(expires_at) OR expires_at > :now)")
            .and("(attribute_not_exists(#counter) OR #counter < :limit)")
            .name("counter", &counter)
            .value("one", number(1))
            .value("now", number(now.ms()))
            .value("limit", number(limit.requests_per_minute));
        let item = match self
            .update(Key::api_key(hash), "ADD #counter :one", &condition)
            .await?
        {
            Updated::Written(item) => {
                let made = item
                    .get(&counter)
                    .and_then(|made| made.as_n().ok()?.parse().ok())
                    .unwrap_or(u64::MAX);
                let stale = stale_counters(&item, Window::of(now));
                let key: AuthenticatedKey = record(item)?;
                unless_busy(self.touch_last_used(hash, &key, stale, now).await)?;
                return Ok(KeyCheck::Counted {
                    key,
                    rate_limit: limit.status(made, now),
                });
            }
            // The old item says why; where there is none, the key is unknown.
            Updated::ConditionFailed(None) => return Ok(KeyCheck::UnknownKey),
            Updated::ConditionFailed(Some(item)) => item,
        };
        let key: AuthenticatedKey = record(item)?;
        Ok(if key.holds(now) {
            KeyCheck::RateLimited(limit.status(limit.requests_per_minute, now))
        } else {
            KeyCheck::UnknownKey
        })
    }

    /// Whom a key speaks for, where it is known, active and not expired, without counting: delivery
    /// has no limit per key.
    #[instrument(skip_all)]
    pub async fn authenticate(
        &self,
        hash: &KeyHash,
    ) -> Result<Option<AuthenticatedKey>, TableError> {
        let now = self.env.now();
        let key = self
            .get::<AuthenticatedKey>(Key::api_key(hash))
            .await?
            .filter(|key| key.holds(now));
        if let Some(key) = &key {
            unless_busy(self.touch_last_used(hash, key, Vec::new(), now).await)?;
        }
        Ok(key)
    }

    async fn touch_last_used(
        &self,
        hash: &KeyHash,
        key: &AuthenticatedKey,
        stale: Vec<String>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        if key
            .last_used_at
            .is_some_and(|last| now < last.plus_ms(LAST_USED_STEP_MS))
        {
            if stale.is_empty() {
                return Ok(());
            }
            // Delivery has noted it, which sees no counters.
            return self
                .update_where_there(Key::api_key(hash), &[], &stale)
                .await;
        }
        let used = [("last_used_at", number(now.ms()))];
        let listed = Key::listed_api_key(key.scope.owner(), key.key_id);
        try_join(
            self.update_where_there(Key::api_key(hash), &used, &stale),
            self.update_where_there(listed, &used, &[]),
        )
        .await?;
        Ok(())
    }

    /// One listed key.
    #[instrument(skip_all)]
    pub async fn listed_key(
        &self,
        owner: KeyOwner,
        id: KeyId,
    ) -> Result<Option<ApiKey>, TableError> {
        self.get(Key::listed_api_key(owner, id)).await
    }

    /// A space, and one of its keys.
    #[instrument(skip_all)]
    pub async fn space_and_key(
        &self,
        space: SpaceId,
        key: KeyId,
    ) -> Result<(Option<Space>, Option<ApiKey>), TableError> {
        let (space, key) = (
            Key::space(space),
            Key::listed_api_key(KeyOwner::Space(space), key),
        );
        let mut found = self.batch_get([space.clone(), key.clone()]).await?;
        Ok((existing(found.take(&space)?), found.take(&key)?))
    }

    /// Returns a page of a space's or a user's keys, newest first.
    #[instrument(skip_all)]
    pub async fn list_keys(
        &self,
        owner: KeyOwner,
        page_request: &PageRequest,
    ) -> Result<Page<ApiKey>, TableError> {
        self.page(
            Range::newest_first(listed_api_keys(owner), API_KEYS),
            page_request,
        )
        .await
    }

    /// Revokes a key: it holds from the next request on, and shows in the list right after. Safe to
    /// repeat.
    #[instrument(skip_all)]
    pub async fn revoke_key(&self, key: &ApiKey) -> Result<(), TableError> {
        let now = number(self.env.now().ms());
        let revoked = [
            ("is_active", AttributeValue::Bool(false)),
            ("updated_at", now),
        ];
        self.update_where_there(Key::api_key(&key.hash), &revoked[..1], &[])
            .await?;
        self.update_where_there(
            Key::listed_api_key(key.scope.owner(), key.id),
            &revoked,
            &[],
        )
        .await
    }

    /// Sets and removes attributes of an item that is there; where it is not, nothing is created.
    async fn update_where_there(
        &self,
        key: Key,
        set: &[(&str, AttributeValue)],
        remove: &[String],
    ) -> Result<(), TableError> {
        let mut condition = Condition::exists();
        let mut assignments = Vec::new();
        for (name, value) in set {
            condition = condition.name(name, name).value(name, value.clone());
            assignments.push(format!("#{name} = :{name}"));
        }
        let mut removals = Vec::new();
        for name in remove {
            condition = condition.name(name, name);
            removals.push(format!("#{name}"));
        }
        let clauses = [("SET", assignments), ("REMOVE", removals)]
            .into_iter()
            .filter(|(_, parts)| !parts.is_empty());
        let clauses: Vec<String> = clauses
            .map(|(verb, parts)| format!("{verb} {}", parts.join(", ")))
            .collect();
        self.update(key, &clauses.join(" "), &condition).await?;
        Ok(())
    }
}

/// A busy table notes a key's use with a later request: this one is authenticated already.
fn unless_busy(noted: Result<(), TableError>) -> Result<(), TableError> {
    noted.or_else(|error| {
        if error.is_retryable() {
            Ok(())
        } else {
            Err(error)
        }
    })
}

/// Names of the counters that no clock counts by any more.
fn stale_counters(item: &Item, present: Window) -> Vec<String> {
    let is_stale = |name: &&String| {
        let window = name
            .strip_prefix(COUNTERS)
            .and_then(|rest| rest.rsplit_once('_')?.1.parse::<i64>().ok());
        window.is_some_and(|window| window + STALE_WINDOWS <= present.0)
    };
    item.keys().filter(is_stale).cloned().collect()
}

#[derive(Deserialize)]
struct Counter {
    last: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_minutes_gone_are_stale_and_nothing_else_is() {
        let names = [
            "requests_admin_97",
            "requests_admin_98",
            "requests_upload_1",
            "is_active",
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
