//! Scan of the renditions of a space.

use std::collections::BTreeSet;

use bucket::{ListedRendition, ObjectKey};
use domain::{
    errors::ServiceError,
    id::{Revision, SpaceId},
};
use queue::{RenditionPosition, SweepPosition};

use super::Scan;

impl Scan<'_> {
    /// Scans the renditions of a space after a position. Returns the position to continue from if
    /// the time runs out.
    pub(super) async fn scan_renditions(
        &self,
        space_id: SpaceId,
        mut position: RenditionPosition,
    ) -> Result<Option<SweepPosition>, ServiceError> {
        let limit = self.sweep.limits.objects_per_page;
        let bucket = &self.sweep.bucket;
        let mut watermarks = None;
        loop {
            let RenditionPosition { retention, after } = &position;
            let page = bucket
                .renditions_page(space_id, *retention, after, limit)
                .await?;
            let has_watermarks = page.renditions.iter().any(is_marked);
            if has_watermarks && watermarks.is_none() {
                watermarks = Some(bucket.watermarks(space_id).await?);
            }
            let unused = self
                .unused_renditions(space_id, &page.renditions, watermarks.as_ref())
                .await?;
            self.delete(space_id, &unused).await?;

            let last = page.renditions.last().filter(|_| page.has_more);
            let next = match last {
                Some(last) => Some(RenditionPosition {
                    retention: *retention,
                    after: last.position.clone(),
                }),
                None => position.next_list(),
            };
            if !self.time.allows_another_page() {
                let end = || SweepPosition::end_of(space_id);
                let position = next.map(|next| SweepPosition::of_rendition(space_id, next));
                return Ok(Some(position.unwrap_or_else(end)));
            }
            let Some(next) = next else {
                return Ok(None);
            };
            position = next;
        }
    }

    /// Returns the renditions that are old enough and that are no longer delivered.
    async fn unused_renditions(
        &self,
        space_id: SpaceId,
        renditions: &[ListedRendition],
        watermarks: Option<&BTreeSet<Revision>>,
    ) -> Result<Vec<ObjectKey>, ServiceError> {
        let until = self.round.until;
        let is_outdated = |rendition: &ListedRendition| {
            let Some(id) = &rendition.id else {
                return true;
            };
            let is_stored = |revision| watermarks.is_some_and(|stored| stored.contains(&revision));
            id.watermark().is_some_and(|revision| !is_stored(revision))
        };
        let due = renditions
            .iter()
            .filter(|rendition| rendition.object.stored_at <= until);
        let (outdated, current): (Vec<_>, Vec<_>) =
            due.partition(|rendition| is_outdated(rendition));

        let current = current.iter().map(|rendition| &rendition.object);
        let mut unused = self.orphans(space_id, current).await?;
        unused.extend(
            outdated
                .iter()
                .map(|rendition| rendition.object.key.clone()),
        );
        Ok(unused)
    }
}

fn is_marked(rendition: &ListedRendition) -> bool {
    let id = rendition.id.as_ref();
    id.is_some_and(|id| id.watermark().is_some())
}
