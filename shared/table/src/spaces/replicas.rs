//! Replicas of what delivery reads of a space.
//!
//! A partition serves 3,000 read units per second ("Best practices for designing and using partition
//! keys effectively in DynamoDB", Amazon DynamoDB Developer Guide), and a transactional read of up to
//! 4 KB takes two ("DynamoDB read and write operations" there). So one item limits the deliveries
//! of a space to 1,500 per second. Each replica has a separate partition key, so that DynamoDB can store
//! it in a separate partition, and each delivery reads one of them at random.
//!
//! Invariants:
//! - A space that is not deleted has the replicas `0..delivery_replicas`, and no others. A deleted
//!   space has none.
//! - The transaction that changes the space changes all of its replicas, so every replica decides as
//!   the space's record does.
//! - A replica takes at most 4 KB.
//! - Functions with different replica counts may run at the same time, as during a deployment. A
//!   reader that expects more replicas than exist reads replica 0 instead.

use std::{
    collections::HashMap,
    str::FromStr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{DeliverySpace, Env, Handle, Space};
use serde::{Deserialize, Serialize};

use crate::{
    key::Key,
    transaction::{MAX_OPERATIONS, Transaction},
};

/// Maximum replicas of a space. All of them are written in one transaction.
const MAX_REPLICAS: u16 = 64;
/// Maximum operations on other items in a transaction that writes replicas: the creation of the
/// first user with a space.
const MAX_OTHER_OPERATIONS: usize = 12;
const _: () = assert!(MAX_REPLICAS as usize + MAX_OTHER_OPERATIONS <= MAX_OPERATIONS);

/// Maximum spaces whose number of replicas is remembered. A full memory is cleared.
const MAX_REMEMBERED: usize = 10_000;

/// Number of replicas of each space that is written: 1 to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaCount(u16);

/// The text is not a number of replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the number of replicas must be from 1 to {max}", max = MAX_REPLICAS)]
pub struct InvalidReplicaCount;

impl ReplicaCount {
    pub const ONE: ReplicaCount = ReplicaCount(1);

    /// Returns the number of replicas that a version of a space has.
    pub(crate) fn of(self, space: &Space) -> u16 {
        if space.deleted_at.is_some() {
            0
        } else {
            self.0
        }
    }
}

impl FromStr for ReplicaCount {
    type Err = InvalidReplicaCount;

    fn from_str(text: &str) -> Result<ReplicaCount, InvalidReplicaCount> {
        match text.parse() {
            Ok(count @ 1..=MAX_REPLICAS) => Ok(ReplicaCount(count)),
            _ => Err(InvalidReplicaCount),
        }
    }
}

/// Stored form of a replica.
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct Replica {
    pub(crate) space: DeliverySpace,
    /// Number of replicas of the space.
    pub(crate) replicas: u16,
}

impl Replica {
    fn of(space: &Space) -> Replica {
        Replica {
            space: DeliverySpace::from(space),
            replicas: space.delivery_replicas,
        }
    }
}

impl Transaction<'_> {
    /// Writes the replicas of a new space.
    pub(crate) fn put_replicas(&mut self, space: &Space) {
        let replica = Replica::of(space);
        for number in 0..space.delivery_replicas {
            self.put(Key::delivery_space(&space.handle, number), &replica);
        }
    }

    /// Updates the replicas to a version of a space whose record the transaction replaces. Writes
    /// nothing if the change does not concern delivery.
    pub(crate) fn replace_replicas(&mut self, from: &Space, to: &Space) {
        if Replica::of(from) != Replica::of(to) {
            self.put_replicas(to);
        }
        for number in to.delivery_replicas..from.delivery_replicas {
            self.delete(Key::delivery_space(&to.handle, number));
        }
    }
}

/// Selects the replica that a delivery reads. Clones share what they remember.
#[derive(Clone, Debug)]
pub(crate) struct ReplicaSelector {
    pub(crate) count: ReplicaCount,
    /// The number of replicas of spaces that had fewer than `count` at the last read, which saves
    /// reads of replicas that do not exist. Never decides the outcome of a read.
    remembered: Arc<Mutex<HashMap<Handle, u16>>>,
}

impl ReplicaSelector {
    pub(crate) fn new(count: ReplicaCount) -> ReplicaSelector {
        ReplicaSelector {
            count,
            remembered: Arc::default(),
        }
    }

    /// Returns the number of a random replica of a space.
    pub(crate) fn select(&self, handle: &Handle, env: &Env) -> u16 {
        let remembered = self.remembered().get(handle).copied();
        let replicas = remembered.map_or(self.count.0, |replicas| replicas.min(self.count.0));
        let random = u16::from_be_bytes(env.random_bytes());
        random % replicas.max(1)
    }

    /// Remembers how many replicas a space has.
    pub(crate) fn remember(&self, handle: &Handle, replicas: u16) {
        let mut remembered = self.remembered();
        if replicas >= self.count.0 {
            remembered.remove(handle);
            return;
        }
        if remembered.len() >= MAX_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(handle.clone(), replicas);
    }

    fn remembered(&self) -> MutexGuard<'_, HashMap<Handle, u16>> {
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue;
    use domain::{
        AccessControl, Description, FolderMode, Gravity, PublicHttpsUrl, Revision, Security,
        Signing, SpaceId, SpaceName, Timestamp, TrashDays, UploadConfigId,
    };

    use super::*;
    use crate::{read::Item, retry::tests::table, write::item};

    /// Maximum size of an item that two read units pay for in a transaction, in bytes.
    const READ_UNIT_BYTES: usize = 4_096;

    /// Returns the size of an item in bytes ("DynamoDB Item sizes and formats", Amazon DynamoDB
    /// Developer Guide). A number takes at most 21 bytes.
    fn size(item: &Item) -> usize {
        item.iter()
            .map(|(name, value)| name.len() + value_size(value))
            .sum()
    }

    fn value_size(value: &AttributeValue) -> usize {
        match value {
            AttributeValue::S(text) => text.len(),
            AttributeValue::N(_) => 21,
            AttributeValue::Bool(_) | AttributeValue::Null(_) => 1,
            AttributeValue::M(values) => 3 + values.len() + size(values),
            other => panic!("a replica has no {other:?}"),
        }
    }

    /// Returns a space whose settings take the most bytes.
    fn largest_space() -> Space {
        let url = format!("https://example.com/{}", "🦀".repeat(2_000));
        let mut security = Security::default();
        security.watermark.url = Some(PublicHttpsUrl::parse(&url).expect("a URL"));
        security.watermark.position = Gravity::Northwest;
        let end = Timestamp::from_ms(i64::MAX);

        Space {
            id: SpaceId::MAX,
            stored_watermark: Some(Revision::MAX),
            name: SpaceName::parse("largest").expect("a name"),
            description: Some(Description::parse(&"🦀".repeat(500)).expect("a description")),
            handle: Handle::parse("abcdef").expect("a handle"),
            enabled: true,
            folder_mode: FolderMode::Dynamic,
            custom_domain: None,
            webhook_url: Some(PublicHttpsUrl::parse(&url).expect("a URL")),
            access_control: AccessControl::default(),
            access_version: u64::MAX,
            security,
            trash_days: TrashDays::default(),
            webhook_signing: Signing::default(),
            signing: Signing {
                generation: u32::MAX,
                rotated_at: Some(end),
            },
            active_upload_config_id: UploadConfigId::MAX,
            created_at: end,
            updated_at: end,
            delete_lock: None,
            deleted_at: None,
            folder_purges: u64::MAX,
            delivery_replicas: MAX_REPLICAS,
            version: u64::MAX,
        }
    }

    #[test]
    fn largest_replica_takes_the_minimum_of_read_units() {
        let space = largest_space();
        let key = Key::delivery_space(&space.handle, MAX_REPLICAS - 1);

        let item = item(key, &Replica::of(&space)).expect("an item");

        assert!(size(&item) <= READ_UNIT_BYTES, "{} bytes", size(&item));
    }

    #[test]
    fn replica_count_is_between_1_and_64() {
        for (text, count) in [("1", 1), ("8", 8), ("64", 64)] {
            assert_eq!(text.parse(), Ok(ReplicaCount(count)));
        }
        for text in ["0", "65", "65536", "-1", "", "8.0", "eight"] {
            assert_eq!(
                text.parse::<ReplicaCount>(),
                Err(InvalidReplicaCount),
                "{text}"
            );
        }
    }

    #[test]
    fn replicas_that_do_not_exist_are_not_selected_again() {
        let env = table().env;
        let handle = Handle::parse("abcdef").expect("a handle");
        let selector = ReplicaSelector::new(ReplicaCount(64));
        // The random bytes of this environment are constant.
        let without_memory = selector.select(&handle, &env);
        assert!(without_memory >= 8, "{without_memory}");

        selector.remember(&handle, 8);
        assert!(selector.select(&handle, &env) < 8);

        selector.remember(&handle, 64);
        assert_eq!(selector.select(&handle, &env), without_memory);
    }
}
