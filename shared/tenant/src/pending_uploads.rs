//! Access to pending files for the background job that checks unconfirmed uploads.

use bucket::Bucket;
use domain::{File, FileStatus, ServiceError};
use queue::ConfirmCheck;
use table::Table;

use crate::{FileBucket, Scoped, SpaceScope};

/// Pending files of all spaces.
#[derive(Clone, Debug)]
pub struct PendingUploads {
    table: Table,
    /// The bucket of their bytes.
    pub bucket: FileBucket,
}

impl PendingUploads {
    /// Creates access to the pending files in a table and a bucket.
    pub fn new(table: Table, bucket: Bucket) -> PendingUploads {
        PendingUploads {
            table: table.for_background_job(),
            bucket: FileBucket(bucket),
        }
    }

    /// Returns the file of a check; `None` if it is no longer pending.
    pub async fn pending(
        &self,
        check: &ConfirmCheck,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        let found = self
            .table
            .space_with_file(check.space_id, check.file_id)
            .await?;
        let (Some(space), Some(file)) = (found.space, found.record) else {
            return Ok(None);
        };
        if file.status != FileStatus::Pending {
            return Ok(None);
        }
        Ok(Some(Scoped {
            space: SpaceScope::for_background_job(self.table.clone(), space),
            record: file,
        }))
    }
}
