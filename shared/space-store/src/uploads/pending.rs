//! Pending files: those of one space, and those of all spaces for the background job that checks unconfirmed
//! uploads.

use domain::{File, FileStatus, ServiceError};
use queue::ConfirmCheck;
use table::Table;

use super::{
    UploadStorage, Uploads,
    targets::{invalid_key, may_upload},
};
use crate::{Scoped, SpaceScope};

/// A pending file, and the uploads to its space.
#[derive(Clone, Copy)]
pub struct PendingFile<'a> {
    pub(super) uploads: Uploads<'a>,
    pub(super) file: &'a File,
}

impl<'a> Uploads<'a> {
    /// Returns access to the staged object and the activation of a pending file.
    pub fn pending(self, file: &'a File) -> PendingFile<'a> {
        PendingFile {
            uploads: self,
            file,
        }
    }
}

impl<'a> PendingFile<'a> {
    /// Returns the file's record as it was read.
    pub fn record(self) -> &'a File {
        self.file
    }

    /// Fails with 403 if a signed URL declared the file, and its key is no longer valid.
    pub async fn require_signing_key(self) -> Result<(), ServiceError> {
        if self.has_signing_key().await? {
            Ok(())
        } else {
            Err(invalid_key())
        }
    }

    /// Whether the file can be confirmed: the key of the signed URL that declared it, if any, is valid.
    pub async fn has_signing_key(self) -> Result<bool, ServiceError> {
        let pending = self.file.pending_upload.as_ref();
        let Some(key) = pending.and_then(|pending| pending.signed_by) else {
            return Ok(true);
        };
        let space = self.uploads.space;
        let found = space.table.keys().signing(space.record.id, key).await?;
        Ok(may_upload(found.as_ref(), space.now()))
    }
}

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

    /// Returns the file of a check; `None` if it is no longer pending, or was deleted with its folder.
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
        let space = SpaceScope::for_background_job(self.table.clone(), space);
        let file = space.files().without_deleted(vec![file]).await?.pop();
        Ok(file.map(|record| Scoped { space, record }))
    }
}
