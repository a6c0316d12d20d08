//! The stored renditions of a file that expire: one item per file with their digests, which expires
//! too.
//!
//! Invariant: a file has at most as many digests as its quota, among them that of each rendition
//! that may be stored. The attribute whose name is a digest contains when its rendition was stored
//! last, in seconds, so that a change of the days for which renditions are stored applies to all.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    id::{FileId, SpaceId},
    renditions::RenditionId,
    requests::RenditionQuota,
};
use sha2::{Digest, Sha256};
use tracing::instrument;

use crate::{
    condition::{Condition, number, text},
    connection::RenditionCounts,
    errors::TableError,
    key::Key,
    read::Item,
    write::Updated,
};

/// Attribute with the set of digests.
const DIGESTS: &str = "digests";
/// Number of bytes of a digest.
const DIGEST_BYTES: usize = 8;
/// Maximum number of digests that are removed at once. An expression has at most 4 KB, and 300
/// operators ("Constraints in Amazon DynamoDB", Amazon DynamoDB Developer Guide).
const MAX_REMOVED: usize = 64;

const RESERVE: &str = "ADD #digests :digests SET #digest = :now, expires_at_seconds = :expires";

impl RenditionCounts<'_> {
    /// Records that a rendition of a file is to be stored. Returns `false` if the file has as many
    /// others as its quota.
    #[instrument(name = "reserve_rendition", skip_all)]
    pub async fn reserve(
        self,
        space: SpaceId,
        file: FileId,
        rendition: &RenditionId,
        quota: RenditionQuota,
    ) -> Result<bool, TableError> {
        let now = self.table.env.now().seconds();
        let max_age = quota.max_age_seconds();
        let hash = Sha256::digest(rendition.as_str());
        let digest = hex::encode(&hash[..DIGEST_BYTES]);
        let has_place = Condition::default()
            .and("(attribute_not_exists(#digests) OR size(#digests) < :limit OR contains(#digests, :digest))")
            .name("digests", DIGESTS)
            .name("digest", &digest)
            .value("limit", number(quota.limit))
            .value("digest", text(&digest))
            .value("digests", AttributeValue::Ss(vec![digest.clone()]))
            .value("now", number(now))
            .value("expires", number(now.saturating_add(max_age)));

        let key = Key::rendition_count(space, file);
        let full = match self.table.update(key.clone(), RESERVE, &has_place).await? {
            Updated::Written(_) => return Ok(true),
            Updated::ConditionFailed(item) => item.unwrap_or_default(),
        };
        let expired = stored_until(&full, now.saturating_sub(max_age));
        if expired.is_empty() {
            return Ok(false);
        }

        self.remove_expired(key.clone(), expired).await?;
        let reserved = self.table.update(key, RESERVE, &has_place).await?;
        Ok(matches!(reserved, Updated::Written(_)))
    }

    /// Removes digests, unless one of the renditions has been stored again or removed since. Then
    /// this rendition is not stored, unless another request has made room.
    async fn remove_expired(
        self,
        key: Key,
        expired: HashMap<String, AttributeValue>,
    ) -> Result<(), TableError> {
        let digests: Vec<String> = expired.keys().cloned().collect();
        let remove = format!("DELETE #digests :expired REMOVE #{}", digests.join(", #"));
        let are_unchanged = expired.into_iter().fold(
            Condition::default()
                .name("digests", DIGESTS)
                .value("expired", AttributeValue::Ss(digests)),
            |condition, (digest, stored_at)| condition.and_equals(&digest, stored_at),
        );
        self.table.update(key, &remove, &are_unchanged).await?;
        Ok(())
    }

    /// Deletes the item of a deleted file. Idempotent.
    #[instrument(name = "delete_rendition_count", skip_all)]
    pub async fn delete(self, space: SpaceId, file: FileId) -> Result<(), TableError> {
        self.table
            .delete_all(&[Key::rendition_count(space, file)])
            .await
    }
}

/// Returns digests of renditions that were stored last at this time or before, with that time.
fn stored_until(item: &Item, seconds: i64) -> HashMap<String, AttributeValue> {
    let digests = item.get(DIGESTS).and_then(|digests| digests.as_ss().ok());
    let renditions = digests.into_iter().flatten().filter_map(|digest| {
        let stored_at = item.get(digest)?;
        let stored_at_seconds: i64 = stored_at.as_n().ok()?.parse().ok()?;
        (stored_at_seconds <= seconds).then(|| (digest.clone(), stored_at.clone()))
    });
    renditions.take(MAX_REMOVED).collect()
}
