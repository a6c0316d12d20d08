//! Access to pending files for the background job that checks unconfirmed uploads.

use domain::{File, FileStatus, ServiceError};
use queue::ConfirmCheck;
use table::Table;

use crate::{Scoped, SpaceScope, UploadStorage};

/// Pending files of all spaces.
#[derive(Clone, Debug)]
pub struct PendingUploads {
    table: Table,
    /// Storage of their bytes.
    pub storage: UploadStorage,
}

impl PendingUploads {
    /// Creates access to the pending files in a table and a storage.
    pub fn new(table: Table, storage: UploadStorage) -> PendingUploads {
        PendingUploads {
            table: table.for_background_job(),
            storage,
        }
    }

    /// Returns the file of a check; `None` if it is no longer pending.
    pub async fn pending(
        &self,
        check: &ConfirmCheck,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        let found = self
            .table
            .spaces()
            .with_resource::<File>(check.space_id, check.file_id)
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
