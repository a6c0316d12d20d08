//! Counts of the stored variants of a file that expire: one item per file, which expires too.
//!
//! Invariant: in two successive periods, the file stores at most as many variants as its quota. So, by the
//! invariant of [`VariantQuota`], it never has more.

use domain::{FileId, SpaceId, VariantQuota};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    Key, Table, TableError,
    condition::{Condition, number},
    read::record,
    write::Updated,
};

/// Counts a variant in the current period, which begins with the first variant of a file.
const RESERVE: &str = "SET #period = :period, #left = if_not_exists(#left, :limit) - :one, \
    #used = if_not_exists(#used, :zero) + :one, expires_at_seconds = :expires";
/// Begins a period with one variant.
const BEGIN: &str =
    "SET #period = :begun, #left = :left, #used = :one, expires_at_seconds = :expires";

/// The item of a count.
#[derive(Deserialize)]
struct VariantCount {
    period: i64,
    /// Number of variants that were stored in the period.
    used: u64,
}

impl Table {
    /// Counts a variant of a file that is to be stored. Returns `false` if the quota is exhausted, or if another
    /// request began a period at the same time.
    #[instrument(skip_all)]
    pub async fn reserve_variant(
        &self,
        space: SpaceId,
        file: FileId,
        quota: VariantQuota,
    ) -> Result<bool, TableError> {
        let period = quota.period(self.env.now());
        let expires_at = quota.ends_at(period.saturating_add(1));
        let is_available = Condition::default()
            .and("(attribute_not_exists(#period) OR (#period = :period AND #left > :zero))")
            .name("period", "period")
            .name("left", "left")
            .name("used", "used")
            .value("period", number(period))
            .value("limit", number(quota.limit))
            .value("zero", number(0))
            .value("one", number(1))
            .value("expires", number(expires_at.seconds()));

        let key = Key::variant_count(space, file);
        let item = match self.update(key.clone(), RESERVE, &is_available).await? {
            Updated::Written(_) => return Ok(true),
            Updated::ConditionFailed(item) => item.unwrap_or_default(),
        };
        let counted: VariantCount = record(item)?;
        if counted.period >= period {
            return Ok(false);
        }

        let is_previous = counted.period == period - 1;
        let stored = if is_previous { counted.used } else { 0 };
        let left = quota.limit.saturating_sub(stored);
        if left == 0 {
            return Ok(false);
        }
        let is_unchanged = Condition::equals("period", number(counted.period))
            .name("left", "left")
            .name("used", "used")
            .value("begun", number(period))
            .value("left", number(left - 1))
            .value("one", number(1))
            .value("expires", number(expires_at.seconds()));
        let begun = self.update(key, BEGIN, &is_unchanged).await?;
        Ok(matches!(begun, Updated::Written(_)))
    }

    /// Deletes the count of a deleted file. Idempotent.
    #[instrument(skip_all)]
    pub async fn delete_variant_count(
        &self,
        space: SpaceId,
        file: FileId,
    ) -> Result<(), TableError> {
        self.delete_all(&[Key::variant_count(space, file)]).await
    }
}
