//! Pending files: those of one space, and those of all spaces for the background job that checks
//! unconfirmed uploads.

use domain::{
    errors::ServiceError,
    files::File,
    id::{FileId, Revision},
    settings::FileStatus,
};
use queue::ConfirmCheck;
use table::{Table, files::ReplacementUpload};

use super::{
    UploadStorage, Uploads,
    replacement::replaced_by,
    scopes::{invalid_key, may_upload},
};
use crate::spaces::{Caller, Scoped, SpaceScope, Tenants};

/// A pending file, and the uploads to its space.
#[derive(Clone, Copy)]
pub struct PendingFile<'a> {
    pub(super) uploads: Uploads<'a>,
    pub(super) file: &'a File,
    /// The file whose bytes the upload replaces; `None` if it becomes a file itself.
    pub(super) replaced: Option<&'a File>,
    /// Revision that this attempt stores the bytes under.
    pub(super) revision: Revision,
}

/// The record of a pending upload.
#[derive(Clone, Debug)]
pub struct PendingRecord {
    pub file: File,
    /// The file whose bytes the upload replaces; `None` if it becomes a file itself, or if that
    /// file was deleted.
    pub replaced: Option<File>,
}

impl Tenants {
    /// Returns a file, or an upload that replaces the bytes of one, by id; `None` if the caller has
    /// no access to it.
    pub async fn upload(
        &self,
        caller: &Caller,
        id: FileId,
    ) -> Result<Option<Scoped<PendingRecord>>, ServiceError> {
        let mut found = self.file(caller, id).await?;
        if found.is_none() {
            let replacement = self.resource::<ReplacementUpload>(caller, id).await?;
            found = replacement.map(|found| Scoped {
                space: found.space,
                record: found.record.upload,
            });
        }
        let Some(Scoped { space, record }) = found else {
            return Ok(None);
        };
        let record = PendingRecord::of(record, &space).await?;
        Ok(Some(Scoped { space, record }))
    }
}

impl PendingRecord {
    /// Returns the record of an upload, with the file whose bytes it replaces.
    pub async fn of(upload: File, space: &SpaceScope) -> Result<PendingRecord, ServiceError> {
        let replaced = match replaced_by(&upload) {
            Some(id) => space.files().shown(id).await?,
            None => None,
        };
        Ok(PendingRecord {
            file: upload,
            replaced,
        })
    }

    /// Whether the upload replaces the bytes of a file.
    pub fn is_replacement(&self) -> bool {
        replaced_by(&self.file).is_some()
    }

    /// Whether the file whose bytes the upload replaces was deleted.
    pub fn is_orphaned(&self) -> bool {
        self.replaced.is_none() && self.is_replacement()
    }

    /// Whether the file whose bytes the upload replaces was deleted, is in the trash, or has got
    /// other bytes since the upload was declared.
    pub fn is_outdated(&self) -> bool {
        let is_past = |file: &File| {
            file.status != FileStatus::Active || file.replaced_at > Some(self.file.created_at)
        };
        self.is_orphaned() || self.replaced.as_ref().is_some_and(is_past)
    }
}

impl<'a> Uploads<'a> {
    /// Returns the record of a pending or ended upload; `None` if it does not exist.
    pub async fn record(
        self,
        id: FileId,
        is_replacement: bool,
    ) -> Result<Option<File>, ServiceError> {
        if !is_replacement {
            return self.space.files().get(id).await;
        }
        let spaces = self.space.table.spaces();
        let found = spaces
            .with_resource::<ReplacementUpload>(self.space.record.id, id)
            .await?;
        Ok(found.record.map(|record| record.upload))
    }

    /// Returns access to the staged object and the activation of a pending upload.
    pub fn pending(self, record: &'a PendingRecord) -> PendingFile<'a> {
        PendingFile {
            uploads: self,
            file: &record.file,
            replaced: record.replaced.as_ref(),
            revision: Revision::new(self.space.env()),
        }
    }
}

impl<'a> PendingFile<'a> {
    /// Returns the file's record as it was read.
    pub fn record(self) -> &'a File {
        self.file
    }

    /// Returns the file whose bytes the upload replaces, if it is not to become a file.
    pub fn replaced(self) -> Option<&'a File> {
        self.replaced
    }

    /// Returns the current version of the record; `None` if it was deleted.
    pub async fn reload(self) -> Result<Option<File>, ServiceError> {
        let is_replacement = replaced_by(self.file).is_some();
        self.uploads.record(self.file.id, is_replacement).await
    }

    /// Fails with 403 if a signed URL declared the file, and its key is no longer valid.
    pub async fn require_signing_key(self) -> Result<(), ServiceError> {
        if self.has_signing_key().await? {
            Ok(())
        } else {
            Err(invalid_key())
        }
    }

    /// Whether the file can be confirmed: the key of the signed URL that declared it, if any, is
    /// valid.
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

    /// Returns the file of a check; `None` if it is no longer pending, or was deleted with its
    /// folder.
    pub async fn pending(
        &self,
        check: &ConfirmCheck,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        let ConfirmCheck {
            space_id, file_id, ..
        } = *check;

        let spaces = self.table.spaces();
        let (space, file) = if check.is_replacement {
            let found = spaces
                .with_resource::<ReplacementUpload>(space_id, file_id)
                .await?;
            (found.space, found.record.map(|record| record.upload))
        } else {
            let found = spaces.with_resource::<File>(space_id, file_id).await?;
            (found.space, found.record)
        };

        let (Some(space), Some(file)) = (space, file) else {
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
