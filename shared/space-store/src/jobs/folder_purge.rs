//! Purge of a folder that was deleted with its contents.
//!
//! Invariants:
//! - A folder is marked as deleted before its contents are read. An upload reads its folder after
//!   the write, and rolls back if the folder is deleted: so either the purge sees the file, or the
//!   upload fails.
//! - The job that deletes the bytes of a file is sent before its record is deleted. Bytes are
//!   deleted after the record, since a rendition that is being stored remains only if the record
//!   exists then.
//! - A folder is deleted after its subfolders and files. Wherever a job stops, the next one finds
//!   what remains from the folder that was deleted first.

use bucket::{Bucket, ObjectKey};
use domain::{
    errors::ServiceError,
    files::{File, FileFilter, FileList},
    folders::{Folder, FolderChain},
    requests::PageRequest,
};
use futures::future::try_join_all;
use queue::{DelayedJob, PurgeJob, Queue};
use table::errors::{Reason, WriteError};

use super::{JobLimits, JobTime, PurgeOutcome};
use crate::spaces::SpaceScope;

/// Files that are deleted at a time, as many as the jobs of one call.
const FILES_AT_ONCE: usize = 10;

/// A folder that was deleted with its contents, and what its purge works with.
pub(super) struct FolderPurge<'a> {
    pub(super) space: SpaceScope,
    pub(super) folder: Folder,
    pub(super) bucket: &'a Bucket,
    pub(super) queue: &'a Queue<PurgeJob>,
    pub(super) limits: JobLimits,
}

impl FolderPurge<'_> {
    /// Deletes the contents, then the folder. Stops if no time is left, but not before it has
    /// changed something.
    pub(super) async fn purge(self, time: &JobTime<'_>) -> Result<PurgeOutcome, ServiceError> {
        let mut above: Vec<Folder> = Vec::new();
        let mut folder = self.folder.clone();

        loop {
            if let Some(child) = self.child_of(&folder).await? {
                above.push(folder);
                if child.deleted_at.is_some() {
                    // An earlier job marked it. Going there is no page: each job has to get
                    // further.
                    folder = child;
                    continue;
                }
                folder = self.mark(child).await?;
            } else if !self.delete_files(&folder).await? {
                self.delete(&folder).await?;
                match above.pop() {
                    Some(parent) => folder = parent,
                    None => return Ok(PurgeOutcome::Done),
                }
            }
            if !time.allows_another_page() {
                return Ok(PurgeOutcome::Continue(0));
            }
        }
    }

    async fn child_of(&self, folder: &Folder) -> Result<Option<Folder>, ServiceError> {
        let folders = self.space.table.folders();
        let one = PageRequest::first(1);
        let page = folders.list_in(folder.space_id, Some(folder.id), &one);
        Ok(page.await?.items.pop())
    }

    /// Marks a subfolder as deleted. It stays in its parent, where the next job finds it.
    async fn mark(&self, folder: Folder) -> Result<Folder, ServiceError> {
        let deleted = Folder {
            deleted_at: Some(self.space.now()),
            ..folder.clone()
        };
        let folders = self.space.table.folders();
        let version = folders.change(&folder, &deleted).await?;
        Ok(Folder { version, ..deleted })
    }

    /// Deletes a page of the files directly in a folder. Returns `false` if there are none.
    async fn delete_files(&self, folder: &Folder) -> Result<bool, ServiceError> {
        let in_folder = FileFilter {
            folder: Some(Some(folder.id)),
            ..FileFilter::default()
        };
        let list = FileList {
            filter: in_folder,
            ..FileList::default()
        };
        let page_request = PageRequest::first(self.limits.records_per_page);
        let files = self.space.table.files();
        let page = files.list(folder.space_id, &list, &page_request).await?;

        let files = self.space.files();
        for some in page.items.chunks(FILES_AT_ONCE) {
            let jobs: Vec<DelayedJob<PurgeJob>> =
                some.iter().map(|file| files.purge_job(file.id)).collect();
            self.queue.send(&jobs).await?;
            let remove = |file: &File| files.remove_from(folder.id, file.clone());
            try_join_all(some.iter().map(remove)).await?;
        }
        Ok(!page.items.is_empty())
    }

    /// Deletes an empty folder and the stored image of its watermark.
    async fn delete(&self, folder: &Folder) -> Result<(), ServiceError> {
        if let Some(stored) = folder.stored_watermark {
            let image = ObjectKey::watermark(folder.space_id, stored.revision);
            self.bucket.delete(&image).await?;
        }

        let folders = self.space.table.folders();
        if folder.id != self.folder.id {
            // The ancestors no longer count.
            return Ok(folders.remove(folder, &FolderChain::default()).await?);
        }
        match folders.end_purge(folder).await {
            // The purge of the space deletes the folder.
            Err(WriteError::ConditionFailed(Reason::SpaceDeleted)) => Ok(()),
            ended => Ok(ended?),
        }
    }
}
