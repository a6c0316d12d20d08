//! Daily background job that purges the files that are due in the trash, and deletes objects that
//! are no longer used: originals and renditions without a record, and renditions with a replaced
//! watermark or of another version of the rendering. An object without a record remains if a
//! function stops between storing the object and writing its record.
//!
//! Invariants:
//! - An object is deleted only at an age at which no request can still write its record, and the
//!   record is read after that.
//! - The record of each object is read once, in the first round after its first day.
//! - The settings name a watermark only while its image is stored, so a rendition whose watermark
//!   has no stored image is never delivered again.

mod renditions;
mod trash;

use std::collections::{BTreeSet, HashMap};

use bucket::{Bucket, ListedObject, ObjectKey, OriginalsPosition};
use domain::{
    errors::ServiceError,
    id::{FileId, SpaceId},
};
use queue::{PurgeJob, Queue, RenditionPosition, SweepJob, SweepPosition, SweepRound};
use table::{Table, purges::FileRevision};
use tracing::instrument;

use super::{JobLimits, JobTime, TimeLeft, purge::REPLACEMENT_AGE_MS};

/// Milliseconds in a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Age at which an object is checked, in milliseconds: far longer than the time from storing an
/// object to writing its record.
const CHECK_AGE_MS: i64 = DAY_MS;
/// Maximum time from the creation of a file's id to the storage of its bytes, in milliseconds. A
/// request is repeated under its ids for a day, and a presigned upload expires after hours.
const MAX_STORAGE_DELAY_MS: i64 = 7 * DAY_MS;

/// The background job that sweeps all spaces.
#[derive(Clone, Debug)]
pub struct Sweep {
    table: Table,
    bucket: Bucket,
    purge: Queue<PurgeJob>,
    limits: JobLimits,
}

/// Outcome of a sweep job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SweepOutcome {
    /// The round is complete.
    Done,
    /// The round continues with this job.
    Continue(SweepJob),
}

impl Sweep {
    /// Creates the job for all spaces in a table and a bucket. The jobs that delete the objects of
    /// purged files are sent to `purge`.
    pub fn new(table: Table, bucket: Bucket, purge: Queue<PurgeJob>, limits: JobLimits) -> Sweep {
        Sweep {
            table: table.for_background_job(),
            bucket,
            purge,
            limits,
        }
    }

    /// Processes at least one page of a round, and more while there is time. Idempotent, and safe
    /// to stop at any point.
    #[instrument(skip_all)]
    pub async fn pass(
        &self,
        job: &SweepJob,
        left: &TimeLeft<'_>,
    ) -> Result<SweepOutcome, ServiceError> {
        let time = &JobTime {
            left,
            reserve: self.limits.reserve,
        };
        let round = match &job.round {
            Some(round) => round.clone(),
            None if self.purge_trash(time).await? => self.new_round().await?,
            None => return Ok(SweepOutcome::Continue(job.clone())),
        };
        let scan = Scan {
            sweep: self,
            round: &round,
            time,
        };

        if let Some(after) = scan.scan_spaces().await? {
            let round = SweepRound {
                after: Some(after),
                ..round
            };
            return Ok(SweepOutcome::Continue(SweepJob { round: Some(round) }));
        }
        self.table.sweeps().set_checked_until(round.until).await?;
        Ok(SweepOutcome::Done)
    }

    async fn new_round(&self) -> Result<SweepRound, ServiceError> {
        let until = self.table.env().now().plus_ms(-CHECK_AGE_MS);
        let checked_until = self.table.sweeps().checked_until().await?;
        Ok(SweepRound {
            checked_until,
            until,
            after: None,
        })
    }
}

/// A scan of all spaces, their originals and their renditions.
struct Scan<'a> {
    sweep: &'a Sweep,
    round: &'a SweepRound,
    time: &'a JobTime<'a>,
}

impl Scan<'_> {
    /// Scans the rest of the round. Returns the position to continue from if the time runs out.
    async fn scan_spaces(&self) -> Result<Option<SweepPosition>, ServiceError> {
        let mut last_space = None;
        if let Some(position) = &self.round.after {
            let stopped = self.resume(position).await?;
            if stopped.is_some() {
                return Ok(stopped);
            }
            last_space = Some(position.space_id);
        }

        let oldest_id = self.round.checked_until.plus_ms(-MAX_STORAGE_DELAY_MS);
        let start = OriginalsPosition {
            file: FileId::min_at(oldest_id),
            after: None,
        };
        loop {
            let spaces = self.sweep.bucket.spaces_page(last_space).await?;
            if spaces.is_empty() {
                return Ok(None);
            }
            for space in &spaces {
                let stopped = self.scan_space(*space, start).await?;
                if stopped.is_some() {
                    return Ok(stopped);
                }
            }
            last_space = spaces.last().copied();
        }
    }

    /// Scans the rest of a space. Returns the position to continue from if the time runs out.
    async fn resume(
        &self,
        position: &SweepPosition,
    ) -> Result<Option<SweepPosition>, ServiceError> {
        let space_id = position.space_id;
        if position.is_end_of_space() {
            return Ok(None);
        }
        if let Some(rendition) = &position.rendition {
            return self.scan_renditions(space_id, rendition.clone()).await;
        }

        let start = OriginalsPosition {
            file: position.file_id,
            after: Some(position.revision),
        };
        self.scan_space(space_id, start).await
    }

    /// Scans a space from a position. Returns the position to continue from if the time runs out.
    async fn scan_space(
        &self,
        space_id: SpaceId,
        start: OriginalsPosition,
    ) -> Result<Option<SweepPosition>, ServiceError> {
        let stopped = self.scan_originals(space_id, start).await?;
        if stopped.is_some() {
            return Ok(stopped);
        }
        self.scan_renditions(space_id, RenditionPosition::START)
            .await
    }

    /// Scans the originals of a space from a position. Returns the position to continue from if the
    /// time runs out.
    async fn scan_originals(
        &self,
        space_id: SpaceId,
        mut start: OriginalsPosition,
    ) -> Result<Option<SweepPosition>, ServiceError> {
        let limit = self.sweep.limits.objects_per_page;
        loop {
            let page = self
                .sweep
                .bucket
                .originals_page(space_id, start, limit)
                .await?;
            let orphans = self.orphans(space_id, page.originals.iter()).await?;
            self.delete(space_id, &orphans).await?;

            let last = page.originals.last().filter(|_| page.has_more);
            if !self.time.allows_another_page() {
                let position = last.map(|last| SweepPosition {
                    space_id,
                    file_id: last.file_id,
                    revision: last.revision,
                    rendition: None,
                });
                let renditions = || SweepPosition::of_rendition(space_id, RenditionPosition::START);
                return Ok(Some(position.unwrap_or_else(renditions)));
            }
            let Some(last) = last else {
                return Ok(None);
            };
            start = OriginalsPosition {
                file: last.file_id,
                after: Some(last.revision),
            };
        }
    }

    /// Returns those objects that are due in this round and that no record refers to.
    async fn orphans(
        &self,
        space_id: SpaceId,
        objects: impl Iterator<Item = &ListedObject>,
    ) -> Result<Vec<ObjectKey>, ServiceError> {
        let round = self.round;
        let due: Vec<&ListedObject> = objects
            .filter(|object| object.stored_at > round.checked_until)
            .filter(|object| object.stored_at <= round.until)
            .collect();
        let files: BTreeSet<FileId> = due.iter().map(|object| object.file_id).collect();
        let files: Vec<FileId> = files.into_iter().collect();
        let revisions: HashMap<FileId, FileRevision> = self
            .sweep
            .table
            .sweeps()
            .revisions(space_id, &files)
            .await?;

        let now = self.sweep.table.env().now();
        let is_orphan = |object: &&&ListedObject| {
            let Some(file) = revisions.get(&object.file_id) else {
                return true;
            };
            // Redirects may name bytes that were just replaced. The job of the replacement deletes
            // them.
            let is_kept = file
                .replaced_at
                .is_some_and(|at| now < at.plus_ms(REPLACEMENT_AGE_MS));
            file.revision != Some(object.revision) && !is_kept
        };
        let orphans = due.iter().filter(is_orphan);
        Ok(orphans.map(|object| object.key.clone()).collect())
    }

    async fn delete(&self, space_id: SpaceId, unused: &[ObjectKey]) -> Result<(), ServiceError> {
        if !unused.is_empty() {
            self.sweep.bucket.delete_many(unused).await?;
            tracing::info!(%space_id, objects = unused.len(), "deleted unused objects");
        }
        Ok(())
    }
}
