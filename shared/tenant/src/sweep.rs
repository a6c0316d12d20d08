//! What the sweep does: objects that no record speaks of are removed once they are a day old. They
//! are what is left where somebody died between storing bytes and writing their record.
//!
//! Invariant: an object is removed only where it is so old that nobody can still be about to write
//! its record, and the record is read after that. Each object is judged once, in the round after
//! its first day.

use std::collections::{BTreeSet, HashMap};

use bucket::{Bucket, ListedOriginal, ObjectKey};
use domain::{FileId, Revision, ServiceError, SpaceId};
use queue::{SweepJob, SweepPosition, SweepRound};
use table::Table;
use tracing::instrument;

use crate::{JobLimits, JobTime};

/// Milliseconds in a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// How old an object is when it is judged, in milliseconds: far older than whoever stored it takes
/// to write its record.
const JUDGED_AFTER_MS: i64 = DAY_MS;
/// How long after a file's id was drawn bytes may be stored for it, in milliseconds: a request is
/// repeated under its ids for a day, and what was sent to a presigned address is gone after a few.
const STORED_WITHIN_MS: i64 = 7 * DAY_MS;

/// The sweep's way to tables and buckets.
#[derive(Clone, Debug)]
pub struct Sweep {
    table: Table,
    bucket: Bucket,
    limits: JobLimits,
}

/// What became of a sweep's job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepOutcome {
    /// The round is done.
    Done,
    /// The round goes on with this job.
    Continue(SweepJob),
}

impl Sweep {
    /// Reaches all spaces of a table and a bucket.
    pub fn new(table: Table, bucket: Bucket, limits: JobLimits) -> Sweep {
        Sweep {
            table: table.for_background_job(),
            bucket,
            limits,
        }
    }

    /// Does at least a page of a round, and more while there is time. Safe to repeat, and to end
    /// anywhere.
    #[instrument(skip_all)]
    pub async fn pass(
        &self,
        job: &SweepJob,
        time: &JobTime<'_>,
    ) -> Result<SweepOutcome, ServiceError> {
        let round = match job.round {
            Some(round) => round,
            None => self.begin().await?,
        };
        let walk = Walk {
            sweep: self,
            round,
            time,
        };
        if let Some(after) = walk.go_on().await? {
            let round = SweepRound {
                after: Some(after),
                ..round
            };
            return Ok(SweepOutcome::Continue(SweepJob { round: Some(round) }));
        }
        self.table.set_swept_until(round.until).await?;
        Ok(SweepOutcome::Done)
    }

    async fn begin(&self) -> Result<SweepRound, ServiceError> {
        let until = self.table.env().now().plus_ms(-JUDGED_AFTER_MS);
        let checked_until = self.table.swept_until().await?;
        Ok(SweepRound {
            checked_until,
            until,
            after: None,
        })
    }
}

/// A way through the spaces and their originals.
struct Walk<'a> {
    sweep: &'a Sweep,
    round: SweepRound,
    time: &'a JobTime<'a>,
}

impl Walk<'_> {
    /// Looks at what is left of the round; where that is too much, says where to go on.
    async fn go_on(&self) -> Result<Option<SweepPosition>, ServiceError> {
        let mut last = None;
        if let Some(place) = self.round.after {
            if !place.is_end_of_space() {
                let stopped = self
                    .through(place.space_id, place.file_id, Some(place.revision))
                    .await?;
                if stopped.is_some() {
                    return Ok(stopped);
                }
            }
            last = Some(place.space_id);
        }
        let first_file = FileId::min_at(self.round.checked_until.plus_ms(-STORED_WITHIN_MS));
        loop {
            let spaces = self.sweep.bucket.spaces_page(last).await?;
            if spaces.is_empty() {
                return Ok(None);
            }
            for space in &spaces {
                let stopped = self.through(*space, first_file, None).await?;
                if stopped.is_some() {
                    return Ok(stopped);
                }
            }
            last = spaces.last().copied();
        }
    }

    /// Looks at the originals of a space, from a file on, behind one of its objects where one is
    /// named.
    async fn through(
        &self,
        space_id: SpaceId,
        mut from: FileId,
        mut after: Option<Revision>,
    ) -> Result<Option<SweepPosition>, ServiceError> {
        loop {
            let limit = self.sweep.limits.objects_per_page;
            let page = self
                .sweep
                .bucket
                .originals_page(space_id, from, after, limit)
                .await?;
            self.judge(space_id, &page.originals).await?;
            let next = page
                .originals
                .last()
                .filter(|_| page.more)
                .map(|last| (last.file_id, last.revision));
            if !self.time.allows_another_page() {
                let place = next.map(|(file_id, revision)| SweepPosition {
                    space_id,
                    file_id,
                    revision,
                });
                return Ok(Some(
                    place.unwrap_or_else(|| SweepPosition::end_of(space_id)),
                ));
            }
            let Some((file_id, revision)) = next else {
                return Ok(None);
            };
            (from, after) = (file_id, Some(revision));
        }
    }

    /// Removes those originals of this round that no record names.
    async fn judge(
        &self,
        space_id: SpaceId,
        originals: &[ListedOriginal],
    ) -> Result<(), ServiceError> {
        let SweepRound {
            checked_until,
            until,
            ..
        } = self.round;
        let due = |original: &&ListedOriginal| {
            original.stored_at > checked_until && original.stored_at <= until
        };
        let due: Vec<&ListedOriginal> = originals.iter().filter(due).collect();
        let files: BTreeSet<FileId> = due.iter().map(|original| original.file_id).collect();
        let files: Vec<FileId> = files.into_iter().collect();
        let kept: HashMap<FileId, Revision> = self.sweep.table.revisions(space_id, &files).await?;
        let unnamed = due
            .iter()
            .filter(|original| kept.get(&original.file_id) != Some(&original.revision));
        let unnamed: Vec<ObjectKey> = unnamed.map(|original| original.key.clone()).collect();
        if !unnamed.is_empty() {
            self.sweep.bucket.delete_many(&unnamed).await?;
            tracing::info!(%space_id, objects = unnamed.len(), "removed objects that no record speaks of");
        }
        Ok(())
    }
}
