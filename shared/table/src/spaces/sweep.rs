//! Progress of the sweep, and the revisions that records refer to.

use std::collections::HashMap;

use domain::{FileId, Revision, SpaceId, Timestamp};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{Sweeps, TableError, key::Key, read::MAX_BATCH_READS};

/// Progress of the sweep.
#[derive(Serialize, Deserialize)]
struct SweepProgress {
    checked_until: Timestamp,
}

/// The part of a file's record that identifies its object.
#[derive(Deserialize)]
struct FileRevision {
    revision: Option<Revision>,
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

    /// Returns the revisions of a space's files. Files without a record or without bytes are left
    /// out.
    #[instrument(skip_all)]
    pub async fn revisions(
        self,
        space: SpaceId,
        files: &[FileId],
    ) -> Result<HashMap<FileId, Revision>, TableError> {
        let mut revisions = HashMap::new();
        for batch in files.chunks(MAX_BATCH_READS) {
            let keys = batch.iter().map(|file| Key::file(space, *file));
            let mut found = self.table.batch_get(keys).await?;

            for file in batch {
                let record: Option<FileRevision> = found.take(&Key::file(space, *file))?;
                let revision = record.and_then(|record| record.revision);
                revisions.extend(revision.map(|revision| (*file, revision)));
            }
        }
        Ok(revisions)
    }
}
