//! Scan of the variants of a space.

use std::collections::BTreeSet;

use bucket::{ListedVariant, ObjectKey};
use domain::{Revision, ServiceError, SpaceId};
use queue::{SweepPosition, VariantPosition};

use super::Scan;

impl Scan<'_> {
    /// Scans the variants of a space after a position. Returns the position to continue from if the time
    /// runs out.
    pub(super) async fn scan_variants(
        &self,
        space_id: SpaceId,
        mut position: VariantPosition,
    ) -> Result<Option<SweepPosition>, ServiceError> {
        let limit = self.sweep.limits.objects_per_page;
        let bucket = &self.sweep.bucket;
        let mut watermarks = None;
        loop {
            let VariantPosition { retention, after } = &position;
            let page = bucket
                .variants_page(space_id, *retention, after, limit)
                .await?;
            let has_watermarks = page.variants.iter().any(is_marked);
            if has_watermarks && watermarks.is_none() {
                watermarks = Some(bucket.watermarks(space_id).await?);
            }
            let unused = self
                .unused_variants(space_id, &page.variants, watermarks.as_ref())
                .await?;
            self.delete(space_id, &unused).await?;

            let last = page.variants.last().filter(|_| page.has_more);
            let next = match last {
                Some(last) => Some(VariantPosition {
                    retention: *retention,
                    after: last.position.clone(),
                }),
                None => position.next_list(),
            };
            if !self.time.allows_another_page() {
                let end = || SweepPosition::end_of(space_id);
                let position = next.map(|next| SweepPosition::of_variant(space_id, next));
                return Ok(Some(position.unwrap_or_else(end)));
            }
            let Some(next) = next else {
                return Ok(None);
            };
            position = next;
        }
    }

    /// Returns the variants that are old enough and that are no longer delivered.
    async fn unused_variants(
        &self,
        space_id: SpaceId,
        variants: &[ListedVariant],
        watermarks: Option<&BTreeSet<Revision>>,
    ) -> Result<Vec<ObjectKey>, ServiceError> {
        let until = self.round.until;
        let is_outdated = |variant: &ListedVariant| {
            let Some(id) = &variant.id else {
                return true;
            };
            let is_stored = |revision| watermarks.is_some_and(|stored| stored.contains(&revision));
            id.watermark().is_some_and(|revision| !is_stored(revision))
        };
        let due = variants
            .iter()
            .filter(|variant| variant.object.stored_at <= until);
        let (outdated, current): (Vec<_>, Vec<_>) = due.partition(|variant| is_outdated(variant));

        let current = current.iter().map(|variant| &variant.object);
        let mut unused = self.orphans(space_id, current).await?;
        unused.extend(outdated.iter().map(|variant| variant.object.key.clone()));
        Ok(unused)
    }
}

fn is_marked(variant: &ListedVariant) -> bool {
    let id = variant.id.as_ref();
    id.is_some_and(|id| id.watermark().is_some())
}
