//! Removes what is left of deleted spaces and files. It is a background job, so it reaches a space
//! without a caller.
//!
//! Invariant: the objects of a file go before its record, page by page, so that both shrink
//! together, and what is left of a space is found from its records or in the bucket, wherever a job
//! ends.

use bucket::{Bucket, ObjectKey};
use domain::{FileId, ServiceError, SpaceId, Timestamp};
use queue::{PurgeJob, PurgePass};
use table::Table;
use tracing::instrument;

use crate::{JobLimits, JobTime};

/// How long the mark of a deletion may come after its announcement, in milliseconds: longer than a
/// request lasts.
const MARK_MS: i64 = 2 * 60_000;
/// Seconds after which a job looks again for the mark.
const UNMARKED_SECONDS: i64 = 15;

/// The purge's way to tables and buckets.
#[derive(Clone, Debug)]
pub struct Purge {
    table: Table,
    bucket: Bucket,
    limits: JobLimits,
}

/// What became of a purge job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurgeOutcome {
    /// It is done, or nothing is to be done.
    Done,
    /// It has to be done, or gone on with, after so many seconds.
    Continue(i64),
}

impl Purge {
    /// Reaches all spaces of a table and a bucket.
    pub fn new(table: Table, bucket: Bucket, limits: JobLimits) -> Purge {
        Purge {
            table: table.for_background_job(),
            bucket,
            limits,
        }
    }

    /// Does at least a page of a job, and more while there is time. Safe to repeat, and to end
    /// anywhere.
    #[instrument(skip_all)]
    pub async fn work(
        &self,
        job: &PurgeJob,
        time: &JobTime<'_>,
    ) -> Result<PurgeOutcome, ServiceError> {
        let now = self.table.env().now();
        match *job {
            PurgeJob::Space {
                space_id,
                pass,
                requested_at,
            } => self.pass(space_id, pass, requested_at, time, now).await,
            PurgeJob::File {
                space_id,
                file_id,
                requested_at,
            } => self.file(space_id, file_id, requested_at, now).await,
        }
    }

    /// Removes what is left of a file. A record that is gone never comes back: each is written
    /// under an id of its own.
    async fn file(
        &self,
        space_id: SpaceId,
        file_id: FileId,
        requested_at: Timestamp,
        now: Timestamp,
    ) -> Result<PurgeOutcome, ServiceError> {
        if self
            .table
            .files(space_id, &[file_id])
            .await?
            .contains_key(&file_id)
        {
            return Ok(await_mark(requested_at, now));
        }
        self.bucket.purge_file(space_id, file_id).await?;
        Ok(PurgeOutcome::Done)
    }

    /// Does one pass over a deleted space, or a part of it.
    async fn pass(
        &self,
        space_id: SpaceId,
        pass: PurgePass,
        requested_at: Timestamp,
        time: &JobTime<'_>,
        now: Timestamp,
    ) -> Result<PurgeOutcome, ServiceError> {
        let Some(space) = self.table.deleted_or_existing_space(space_id).await? else {
            return Ok(PurgeOutcome::Done);
        };
        let Some(deleted_at) = space.deleted_at else {
            return Ok(await_mark(requested_at, now));
        };
        let begins_at = deleted_at.plus_ms(pass.after_ms());
        if now < begins_at {
            return Ok(PurgeOutcome::Continue(begins_at.seconds_after(now).into()));
        }

        while self.remove_page(space.id).await? {
            if !time.allows_another_page() {
                return Ok(PurgeOutcome::Continue(0));
            }
        }

        if pass == PurgePass::Last {
            self.table.retire_handle(&space.handle).await?;
            self.table.purge_space(space.id).await?;
        }
        Ok(PurgeOutcome::Done)
    }

    /// Removes a page of records with the objects of their files, or, once there are no records, a
    /// page of the objects that no record named; `false` if there is neither.
    async fn remove_page(&self, space: SpaceId) -> Result<bool, ServiceError> {
        let page = self
            .table
            .purge_page(space, self.limits.records_per_page)
            .await?;
        if page.is_empty() {
            return Ok(self
                .bucket
                .purge_page(space, self.limits.objects_per_page)
                .await?);
        }

        let mut objects: Vec<ObjectKey> = Vec::new();
        for (file, revision) in &page.files {
            objects.push(ObjectKey::staged(space, *file));
            objects.extend(revision.map(|revision| ObjectKey::original(space, *file, revision)));
        }
        self.bucket.delete_many(&objects).await?;
        self.table.delete_purge_page(&page).await?;
        Ok(true)
    }
}

/// What is not deleted may yet be, as long as whoever announced its deletion may be at work.
fn await_mark(requested_at: Timestamp, now: Timestamp) -> PurgeOutcome {
    if now < requested_at.plus_ms(MARK_MS) {
        PurgeOutcome::Continue(UNMARKED_SECONDS)
    } else {
        PurgeOutcome::Done
    }
}
