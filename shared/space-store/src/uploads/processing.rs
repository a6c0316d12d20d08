//! Access to uploaded files for the background jobs that process them.
//!
//! Invariant: a job finds a file only if it has the bytes that the job is about, and is active, or
//! in the trash, from which it may be restored. The job is sent before the record is written, so it
//! waits for the record until every request that could write it has ended.

use std::{ops::RangeInclusive, time::Duration};

use bucket::Bucket;
use bytes::Bytes;
use domain::{
    access::EffectiveSecurity,
    errors::{ServiceError, error_chain},
    files::File,
    settings::FileStatus,
};
use queue::{DelayedJob, MAX_DELAY_SECONDS, ProcessingJob, Queue, recheck_delay_seconds};
use table::Table;
use tracing::instrument;

use crate::{
    delivery::AuthorizedFile,
    objects::original_key,
    objects::{FileBucket, collect},
    spaces::{Scoped, SpaceScope, Tenants},
};

/// Number of reads of one invocation that wait for a record. It is usually written within
/// milliseconds after the job.
const READS: u32 = 4;
/// Time between two of these reads.
const READ_PAUSE: Duration = Duration::from_millis(100);

/// Files of all spaces.
#[derive(Clone, Debug)]
pub struct ProcessedFiles {
    tenants: Tenants,
    bucket: FileBucket,
}

impl ProcessedFiles {
    /// Creates access to the files in a table and a bucket.
    pub fn new(table: Table, bucket: Bucket) -> ProcessedFiles {
        ProcessedFiles {
            tenants: Tenants::new(table.for_background_job()),
            bucket: FileBucket::new(bucket),
        }
    }

    /// Returns the access that renditions need.
    pub fn tenants(&self) -> &Tenants {
        &self.tenants
    }

    /// Returns the bucket of the files.
    pub fn bucket(&self) -> &FileBucket {
        &self.bucket
    }

    /// Returns the file of a job once it is active or trashed. Otherwise returns `None`: the file
    /// does not exist yet, and the job was sent to `jobs` again, or it was deleted, or its request
    /// failed.
    pub async fn announced(
        &self,
        job: &ProcessingJob,
        jobs: &Queue<ProcessingJob>,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        let active = self.active(job).await?;
        if active.is_some() {
            return Ok(active);
        }

        let now = self.tenants.table.env().now();
        if let Some(delay_seconds) = recheck_delay_seconds(job.announced_at, now) {
            let job = job.clone();
            jobs.send(&[DelayedJob { job, delay_seconds }]).await?;
        }
        Ok(None)
    }

    /// Sends a job that has failed again, as a new queue message after the maximum delay.
    pub async fn restart(
        &self,
        job: ProcessingJob,
        jobs: &Queue<ProcessingJob>,
        error: &ServiceError,
    ) -> Result<(), ServiceError> {
        let error = error_chain(error);
        tracing::warn!(
            error,
            "job failed, and is sent again as a new queue message"
        );
        let delay_seconds = MAX_DELAY_SECONDS;
        Ok(jobs.send(&[DelayedJob { job, delay_seconds }]).await?)
    }

    /// Returns the file of a job if it is active or trashed, after several reads within a short
    /// time if it is not.
    #[instrument(skip_all)]
    async fn active(&self, job: &ProcessingJob) -> Result<Option<Scoped<File>>, ServiceError> {
        for read in 0..READS {
            if read > 0 {
                tokio::time::sleep(READ_PAUSE).await;
            }

            let found = self
                .tenants
                .table
                .spaces()
                .with_resource::<File>(job.space_id, job.file_id)
                .await?;
            let (Some(space), Some(file)) = (found.space, found.record) else {
                continue;
            };

            let is_announced = job.revision.is_none_or(|job| file.revision == Some(job));
            if file.status != FileStatus::Pending && is_announced {
                let table = self.tenants.table.clone();
                return Ok(Some(Scoped {
                    space: SpaceScope::for_background_job(table, space),
                    record: file,
                }));
            }
        }
        Ok(None)
    }

    /// Returns a range of the bytes of a file; `None` if it was deleted.
    #[instrument(skip_all)]
    pub async fn range(
        &self,
        file: &File,
        range: RangeInclusive<u64>,
    ) -> Result<Option<Bytes>, ServiceError> {
        let object = self.bucket.0.get(&original_key(file)?, Some(range)).await?;
        match object {
            Some(chunks) => collect(chunks).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns a file with the watermark that its renditions must have; `None` if it was deleted.
    /// Fails if the folder of the file does not exist.
    #[instrument(skip_all)]
    pub async fn for_renditions(
        &self,
        file: &File,
    ) -> Result<Option<AuthorizedFile>, ServiceError> {
        let delivery = self.tenants.delivery();
        let resolved = delivery.resolve_active(&file.storage_path).await?;

        // Another file may have the name of a trashed one.
        let Some(resolved) = resolved.filter(|resolved| resolved.file.id == file.id) else {
            return self.trashed_for_renditions(file).await;
        };

        let folders = resolved
            .folders
            .ok_or_else(|| ServiceError::contended("the folder of the file is gone"))?;
        let security = EffectiveSecurity::of(&folders, &resolved.space);
        let watermark = security.watermark_of(&resolved.file)?;

        Ok(Some(AuthorizedFile::for_background_job(
            resolved.file,
            watermark,
        )))
    }

    /// Returns a file in the trash with the watermark that its renditions would have if it were
    /// restored now; `None` if it was deleted.
    async fn trashed_for_renditions(
        &self,
        file: &File,
    ) -> Result<Option<AuthorizedFile>, ServiceError> {
        let table = &self.tenants.table;
        let found = table
            .spaces()
            .with_resource::<File>(file.space_id, file.id)
            .await?;
        let (Some(space), Some(file)) = (found.space, found.record) else {
            return Ok(None);
        };

        let space = SpaceScope::for_background_job(table.clone(), space);
        let folders = space.folders().chain(file.folder.as_ref()).await?;
        let folders = folders.unwrap_or_default();
        let watermark = EffectiveSecurity::of(&folders, space.record()).watermark_of(&file)?;
        Ok(Some(AuthorizedFile::for_background_job(file, watermark)))
    }

    /// Returns a file for a job that stores no rendition. Its watermark does not matter then.
    pub fn without_renditions(&self, file: File) -> AuthorizedFile {
        AuthorizedFile::for_background_job(file, None)
    }

    /// Returns the bytes of a file; `None` if it was deleted, or has other bytes.
    pub async fn original(&self, file: &AuthorizedFile) -> Result<Option<Bytes>, ServiceError> {
        match file
            .objects(&self.bucket)
            .original(&self.tenants, None)
            .await?
        {
            Ok(chunks) => collect(chunks).await.map(Some),
            Err(_gone) => Ok(None),
        }
    }
}
