//! Background job that deletes what remains of deleted spaces, folders and files, and of replaced
//! bytes.
//!
//! Invariants:
//! - The objects of a space's files are deleted before their records, page by page. Wherever a
//!   job stops, the next one finds what remains from the records of the space or in the bucket.
//! - Of a replacement, the bytes remain that the file has, and the others for as long as a request
//!   or a redirect may read them.

use bucket::{Bucket, ObjectKey};
use domain::{
    env::Timestamp,
    errors::ServiceError,
    folders::Folder,
    id::{FileId, FolderId, Revision, SpaceId},
};
use queue::{PurgeJob, PurgePass, Queue};
use table::Table;
use tracing::instrument;

use super::{JobLimits, JobTime, TimeLeft, folder_purge::FolderPurge};
use crate::{folders::FOLDER_PURGE_AFTER_MS, spaces::SpaceScope};

/// Time after the purge job in which the record may still be deleted, in milliseconds: longer than
/// a request takes.
const DELETION_TIMEOUT_MS: i64 = 2 * 60_000;
/// Time from the request of a replacement after which none reads or writes what it leaves, in
/// milliseconds: URLs that redirects name are valid for an hour at most, and all functions end
/// within minutes.
pub(super) const REPLACEMENT_AGE_MS: i64 = 65 * 60_000;
/// Time after which a job checks again whether the record is deleted, in seconds.
const RECHECK_SECONDS: i64 = 15;

/// The background job that purges deleted spaces, folders and files.
#[derive(Clone, Debug)]
pub struct Purge {
    table: Table,
    bucket: Bucket,
    /// The queue of its jobs.
    queue: Queue<PurgeJob>,
    limits: JobLimits,
}

/// Outcome of a purge job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurgeOutcome {
    /// Nothing is left to do.
    Done,
    /// The job has to continue after this number of seconds.
    Continue(i64),
}

/// One pass over a deleted space.
struct SpacePass {
    space_id: SpaceId,
    pass: PurgePass,
    requested_at: Timestamp,
}

impl Purge {
    /// Creates the job for all spaces in a table and a bucket.
    pub fn new(table: Table, bucket: Bucket, queue: Queue<PurgeJob>, limits: JobLimits) -> Purge {
        Purge {
            table: table.for_background_job(),
            bucket,
            queue,
            limits,
        }
    }

    /// Processes at least one page of a job, and more while there is time. Idempotent, and safe to
    /// stop at any point.
    #[instrument(skip_all)]
    pub async fn work(
        &self,
        job: &PurgeJob,
        left: &TimeLeft<'_>,
    ) -> Result<PurgeOutcome, ServiceError> {
        let time = &JobTime {
            left,
            reserve: self.limits.reserve,
        };

        match *job {
            PurgeJob::Space {
                space_id,
                pass,
                requested_at,
            } => {
                let pass = SpacePass {
                    space_id,
                    pass,
                    requested_at,
                };
                self.purge_space(pass, time).await
            }

            PurgeJob::Folder {
                space_id,
                folder_id,
                requested_at,
            } => {
                let found = self
                    .deleted_folder(space_id, folder_id, requested_at)
                    .await?;
                match found {
                    Ok(folder) => folder.purge(time).await,
                    Err(outcome) => Ok(outcome),
                }
            }

            PurgeJob::File {
                space_id,
                file_id,
                requested_at,
            } => self.purge_file(space_id, file_id, requested_at).await,

            PurgeJob::Replacement {
                space_id,
                file_id,
                revisions,
                requested_at,
            } => {
                let due_at = requested_at.plus_ms(REPLACEMENT_AGE_MS);
                self.purge_revisions(space_id, file_id, &revisions, due_at)
                    .await
            }
        }
    }

    /// Deletes the objects of those revisions that the file does not have at this time, which is
    /// final: revisions are never reused.
    async fn purge_revisions(
        &self,
        space_id: SpaceId,
        file_id: FileId,
        revisions: &[Revision],
        due_at: Timestamp,
    ) -> Result<PurgeOutcome, ServiceError> {
        let now = self.table.env().now();
        if now < due_at {
            return Ok(PurgeOutcome::Continue(due_at.seconds_after(now).into()));
        }

        let found = self.table.sweeps().revisions(space_id, &[file_id]).await?;
        let current = found.get(&file_id).and_then(|file| file.revision);
        for revision in revisions {
            if current != Some(*revision) {
                self.bucket
                    .purge_revision(space_id, file_id, *revision)
                    .await?;
            }
        }
        Ok(PurgeOutcome::Done)
    }

    /// Deletes the objects of a deleted file. File ids are never reused, so a deleted record does
    /// not come back.
    async fn purge_file(
        &self,
        space_id: SpaceId,
        file_id: FileId,
        requested_at: Timestamp,
    ) -> Result<PurgeOutcome, ServiceError> {
        let files = self.table.files().get(space_id, &[file_id]).await?;
        if files.contains_key(&file_id) {
            return Ok(self.await_deletion(requested_at));
        }

        self.bucket.purge_file(space_id, file_id).await?;
        self.table
            .rendition_counts()
            .delete(space_id, file_id)
            .await?;
        Ok(PurgeOutcome::Done)
    }

    /// Returns the purge of a folder that was deleted with its contents, or the outcome if it
    /// cannot start.
    async fn deleted_folder(
        &self,
        space_id: SpaceId,
        folder_id: FolderId,
        requested_at: Timestamp,
    ) -> Result<Result<FolderPurge<'_>, PurgeOutcome>, ServiceError> {
        let spaces = self.table.spaces();
        let found = spaces.with_resource::<Folder>(space_id, folder_id).await?;
        // The contents of a deleted space are purged with it.
        let (Some(space), Some(folder)) = (found.space, found.record) else {
            return Ok(Err(PurgeOutcome::Done));
        };
        let Some(deleted_at) = folder.deleted_at else {
            return Ok(Err(self.await_deletion(requested_at)));
        };
        let now = self.table.env().now();
        let starts_at = deleted_at.plus_ms(FOLDER_PURGE_AFTER_MS);
        if now < starts_at {
            let seconds = starts_at.seconds_after(now).into();
            return Ok(Err(PurgeOutcome::Continue(seconds)));
        }

        Ok(Ok(FolderPurge {
            space: SpaceScope::for_background_job(self.table.clone(), space),
            folder,
            bucket: &self.bucket,
            queue: &self.queue,
            limits: self.limits,
        }))
    }

    /// Processes one pass over a deleted space, or a part of it.
    async fn purge_space(
        &self,
        pass: SpacePass,
        time: &JobTime<'_>,
    ) -> Result<PurgeOutcome, ServiceError> {
        let space = self
            .table
            .spaces()
            .deleted_or_existing(pass.space_id)
            .await?;
        let Some(space) = space else {
            return Ok(PurgeOutcome::Done);
        };
        let Some(deleted_at) = space.deleted_at else {
            return Ok(self.await_deletion(pass.requested_at));
        };
        let now = self.table.env().now();
        let starts_at = deleted_at.plus_ms(pass.pass.after_ms());
        if now < starts_at {
            return Ok(PurgeOutcome::Continue(starts_at.seconds_after(now).into()));
        }

        while self.delete_page(space.id).await? {
            if !time.allows_another_page() {
                return Ok(PurgeOutcome::Continue(0));
            }
        }

        if pass.pass == PurgePass::Last {
            self.table.spaces().retire_handle(&space.handle).await?;
            self.table.purges().delete_space(space.id).await?;
        }
        Ok(PurgeOutcome::Done)
    }

    /// Deletes a page of records with the objects of their files, or, if there are no records, a
    /// page of objects. Returns `false` if there is neither.
    async fn delete_page(&self, space: SpaceId) -> Result<bool, ServiceError> {
        let page = self
            .table
            .purges()
            .page(space, self.limits.records_per_page)
            .await?;
        if page.is_empty() {
            return Ok(self
                .bucket
                .purge_page(space, self.limits.objects_per_page)
                .await?);
        }

        let mut objects: Vec<ObjectKey> = Vec::new();
        for file in &page.files {
            objects.push(ObjectKey::staged(space, file.id));
            if let Some(revision) = file.revision {
                objects.push(ObjectKey::original(space, file.id, revision));
            }
        }
        self.bucket.delete_many(&objects).await?;
        self.table.purges().delete_page(&page).await?;
        Ok(true)
    }

    /// Returns the outcome for a record that is not deleted. The request that sent the job may
    /// still delete it, or may have failed.
    fn await_deletion(&self, requested_at: Timestamp) -> PurgeOutcome {
        if self.table.env().now() < requested_at.plus_ms(DELETION_TIMEOUT_MS) {
            PurgeOutcome::Continue(RECHECK_SECONDS)
        } else {
            PurgeOutcome::Done
        }
    }
}
