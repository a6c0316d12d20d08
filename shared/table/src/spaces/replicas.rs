//! Replicas of what delivery reads of a space.
//!
//! A partition serves 3,000 read units per second ("Best practices for designing and using
//! partition keys effectively in DynamoDB", Amazon DynamoDB Developer Guide), and a transactional
//! read of up to 4 KB takes two ("DynamoDB read and write operations" there). So one item limits
//! the deliveries of a space to 1,500 per second. Each replica has a separate partition key, so
//! that DynamoDB can store it in a separate partition, and each delivery reads one of them at
//! random.
//!
//! Invariants:
//! - A space that is not deleted has all replicas, and a deleted space has none.
//! - The transaction that changes the space changes all of its replicas, so every replica decides
//!   as the space's record does.
//! - A replica takes at most 4 KB.

use domain::{
    env::Env,
    spaces::{DeliverySpace, Handle, Space},
};

use crate::{key::Key, transaction::Transaction};

/// Number of replicas of a space: enough for 12,000 deliveries per second, four times what a new
/// table serves.
pub(crate) const REPLICAS: u8 = 8;

/// Returns the key of a random replica of a space.
pub(crate) fn any_replica(handle: &Handle, env: &Env) -> Key {
    let [random] = env.random_bytes();
    Key::delivery_space(handle, random % REPLICAS)
}

impl Transaction<'_> {
    /// Writes the replicas of a space.
    pub(crate) fn put_replicas(&mut self, space: &Space) {
        let replica = DeliverySpace::from(space);
        for number in 0..REPLICAS {
            self.put(Key::delivery_space(&space.handle, number), &replica);
        }
    }

    /// Updates the replicas to a version of a space whose record the transaction replaces. Writes
    /// nothing if the change does not concern delivery.
    pub(crate) fn replace_replicas(&mut self, from: &Space, to: &Space) {
        if to.deleted_at.is_some() {
            for number in 0..REPLICAS {
                self.delete(Key::delivery_space(&to.handle, number));
            }
        } else if DeliverySpace::from(from) != DeliverySpace::from(to) {
            self.put_replicas(to);
        }
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue;
    use domain::{
        env::Timestamp,
        id::{Revision, SpaceId, UploadConfigId},
        naming::{Description, PublicHttpsUrl, SpaceName},
        settings::{AccessControl, FolderMode, Gravity, Security, StoredWatermark, TrashDays},
        signing::Signing,
    };

    use super::*;
    use crate::{read::Item, write::item};

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
            stored_watermark: Some(StoredWatermark {
                revision: Revision::MAX,
                copied: Some(Revision::MAX),
            }),
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
            version: u64::MAX,
        }
    }

    #[test]
    fn largest_replica_takes_the_minimum_of_read_units() {
        let space = largest_space();
        let key = Key::delivery_space(&space.handle, REPLICAS - 1);

        let item = item(key, &DeliverySpace::from(&space)).expect("an item");

        assert!(size(&item) <= READ_UNIT_BYTES, "{} bytes", size(&item));
    }
}
