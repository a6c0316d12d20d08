//! Purge of the files that are due in the trash.
//!
//! Invariants:
//! - The job that deletes the objects of a file is sent before the record is removed, and waits
//!   until it is. So the objects are deleted wherever the sweep stops.
//! - A record is removed only as the version that is due, so a file that is restored meanwhile
//!   stays.

use domain::{errors::ServiceError, files::File, requests::PageRequest};
use queue::{DelayedJob, PurgeJob};
use table::{
    errors::{Reason, WriteError},
    item_keys::TRASH_SHARDS,
};
use tracing::instrument;

use super::Sweep;
use crate::{jobs::JobTime, spaces::PURGE_DELAY_SECONDS};

/// Maximum files of a page: the jobs that one call sends.
const PAGE_FILES: u16 = 10;

impl Sweep {
    /// Purges the files that are due in the trash, page by page. Returns `false` if the time runs
    /// out before.
    #[instrument(skip_all)]
    pub(super) async fn purge_trash(&self, time: &JobTime<'_>) -> Result<bool, ServiceError> {
        for shard in 0..TRASH_SHARDS {
            let mut page = PageRequest::first(self.limits.records_per_page.min(PAGE_FILES));
            loop {
                let due = self.table.sweeps().due_files(shard, &page).await?;
                self.purge_files(&due.files).await?;

                if !due.files.is_empty() && !time.allows_another_page() {
                    return Ok(false);
                }
                let Some(next) = due.next else {
                    break;
                };
                page.cursor = Some(next);
            }
        }
        Ok(true)
    }

    /// Removes the records of trashed files, and has their objects deleted.
    async fn purge_files(&self, files: &[File]) -> Result<(), ServiceError> {
        let requested_at = self.table.env().now();
        let jobs = files.iter().map(|file| DelayedJob {
            job: PurgeJob::File {
                space_id: file.space_id,
                file_id: file.id,
                requested_at,
            },
            delay_seconds: PURGE_DELAY_SECONDS,
        });
        let jobs: Vec<_> = jobs.collect();
        self.purge.send(&jobs).await?;

        for file in files {
            match self.table.files().remove(file, &[]).await {
                // It was restored, purged or changed meanwhile. If it is still due, the next sweep
                // removes it.
                Ok(()) | Err(WriteError::ConditionFailed(Reason::VersionConflict)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
