//! Progress of the sweep, the revisions that records refer to, and the files that are due to be
//! purged from the trash.

use std::collections::HashMap;

use domain::{
    env::Timestamp,
    files::File,
    id::{FileId, Revision, SpaceId},
    requests::{Cursor, PageRequest},
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    connection::Sweeps,
    errors::TableError,
    files::index::FileEntry,
    key::{Key, trash_partition, trash_time},
    query::{Range, Slice},
    read::MAX_BATCH_READS,
};

/// Progress of the sweep.
#[derive(Serialize, Deserialize)]
struct SweepProgress {
    checked_until: Timestamp,
}

/// The part of a file's record that identifies its object.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct FileRevision {
    /// `None` for a file without bytes.
    pub revision: Option<Revision>,
    /// Time when the bytes were replaced; `None` if they never were.
    #[serde(default)]
    pub replaced_at: Option<Timestamp>,
}

/// A page of the trashed files of a shard that are due to be purged.
#[derive(Debug)]
pub struct DueFiles {
    pub files: Vec<File>,
    /// Where the next page begins; `None` after the last one.
    pub next: Option<Cursor>,
}

impl Sweeps<'_> {
    /// Returns the time up to which stored objects were checked; 1970 before the first sweep.
    #[instrument(name = "swept_until", skip_all)]
    pub async fn checked_until(self) -> Result<Timestamp, TableError> {
        let progress: Option<SweepProgress> = self.table.get(Key::sweep()).await?;
        Ok(progress.map_or(Timestamp::from_ms(0), |progress| progress.checked_until))
    }

    /// Sets the time up to which stored objects were checked. Idempotent. An earlier time only
    /// causes objects to be checked again.
    #[instrument(name = "set_swept_until", skip_all)]
    pub async fn set_checked_until(self, checked_until: Timestamp) -> Result<(), TableError> {
        self.table
            .overwrite(Key::sweep(), &SweepProgress { checked_until })
            .await
    }

    /// Returns the revisions of a space's files. Files without a record are left out.
    #[instrument(skip_all)]
    pub async fn revisions(
        self,
        space: SpaceId,
        files: &[FileId],
    ) -> Result<HashMap<FileId, FileRevision>, TableError> {
        let mut revisions = HashMap::new();
        for batch in files.chunks(MAX_BATCH_READS) {
            let keys = batch.iter().map(|file| Key::file(space, *file));
            let mut found = self.table.batch_get(keys).await?;

            for file in batch {
                let record: Option<FileRevision> = found.take(&Key::file(space, *file))?;
                revisions.extend(record.map(|record| (*file, record)));
            }
        }
        Ok(revisions)
    }

    /// Returns a page of at most 100 trashed files of a shard that are due, the longest due first.
    /// Deletes entries without such a file: the purge of a space leaves one if a request moved the
    /// file to the trash meanwhile. A file that is trashed again has an entry with a later time.
    #[instrument(skip_all)]
    pub async fn due_files(
        self,
        shard: u8,
        page_request: &PageRequest,
    ) -> Result<DueFiles, TableError> {
        let after_now = self.table.env.now().plus_ms(1);
        let range = Range {
            partition: trash_partition(shard),
            prefix: String::new(),
            first: trash_time(Timestamp::from_ms(0)),
            last: trash_time(after_now),
            is_ascending: true,
        };
        let entries: Slice<FileEntry> = self.table.slice(range, page_request).await?;
        let last = entries.records.last().filter(|_| entries.has_more);
        let next = last.map(|last| Cursor::after(last.position.clone()));

        let keyed = entries.records.iter().filter_map(|entry| {
            let record = &entry.record;
            Some((Key::file(record.space_id?, record.id), &entry.position))
        });
        let keyed: Vec<(Key, &String)> = keyed.collect();
        let keys = keyed.iter().map(|(key, _)| key.clone());
        let mut found = self.table.batch_get(keys).await?;

        let mut files = Vec::new();
        let mut stale = Vec::new();
        for (key, position) in keyed {
            let file: Option<File> = found.take(&key)?;
            let entry = Key {
                partition: trash_partition(shard),
                sort: position.clone(),
            };
            match file.filter(|file| trash_key(file).as_ref() == Some(&entry)) {
                Some(file) => files.push(file),
                None => stale.push(entry),
            }
        }
        self.table.delete_all(&stale).await?;
        Ok(DueFiles { files, next })
    }
}

/// Returns the key of the entry by the time of the purge of a file; `None` if it is not trashed.
fn trash_key(file: &File) -> Option<Key> {
    let purge_at = file.trash?.purge_at;
    Some(Key::trash(file.space_id, file.id, purge_at))
}
