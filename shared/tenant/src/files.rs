//! The files of a space as records: found, listed, changed, deleted.

use std::collections::HashMap;

use domain::{
    FieldError, FieldErrors, File, FileFilter, FileId, FolderId, Page, PageRequest, Reference,
    ServiceError,
};
use queue::{PurgeJob, Queue};
use table::{ChangeError, Reason, WriteError};
use tracing::instrument;

use crate::{Caller, SpaceScope, Tenants, folders::folder_closed};

/// Seconds by which the announcement of a deletion is kept back, so that the record is gone when it
/// is read.
const ANNOUNCEMENT_SECONDS: i32 = 1;

/// The field that names the folder of a file.
pub(crate) const FOLDER: &str = "folder_id";

impl SpaceScope {
    /// Returns a page of the files that a filter admits.
    pub async fn list_files(
        &self,
        filter: &FileFilter,
        page_request: &PageRequest,
    ) -> Result<Page<File>, ServiceError> {
        Ok(self
            .table
            .list_files(self.record.id, filter, page_request)
            .await?)
    }

    /// The newest file that has a reference.
    pub async fn file_by_reference(
        &self,
        reference: &Reference,
    ) -> Result<Option<File>, ServiceError> {
        Ok(self
            .table
            .file_by_reference(self.record.id, reference)
            .await?)
    }

    /// Refuses a caller who may manage no files but their own, and whose own this is not.
    pub fn require_file_manager(&self, file: &File, caller: &Caller) -> Result<(), ServiceError> {
        if file.uploaded_by == caller.principal() {
            Ok(())
        } else {
            self.require_role(domain::Role::Admin)
        }
    }

    /// Changes a file's record. Where others change it at the same time, the change is made again
    /// upon theirs.
    pub async fn change_file(
        &self,
        from: File,
        change: impl Fn(&mut File) -> Result<(), ServiceError>,
    ) -> Result<File, ServiceError> {
        let id = from.id;
        let change = &change;
        let write = |from: File| async move {
            let mut changed = from.clone();
            change(&mut changed)?;
            changed.bump_access_version(&from);
            changed.record_activation_snapshot(&from);
            changed.updated_at = self.now();
            match self.table.change_file(&from, &changed).await {
                Err(WriteError::ConditionFailed(Reason::FolderClosed)) => {
                    self.require_open_folder(changed.folder_id()).await?;
                    Err(ChangeError::Conflict)
                }
                version => Ok(File {
                    version: version?,
                    ..changed
                }),
            }
        };
        self.table
            .retry_on_conflict(from, || self.file_again(id), write)
            .await
    }

    /// Refuses files that are to be put into a folder that is gone or, once it is decided, still
    /// about to go.
    async fn require_open_folder(&self, folder: Option<FolderId>) -> Result<(), ServiceError> {
        let (_, folder) = self.with_settled_folder(folder).await?;
        let folder =
            folder.ok_or_else(|| FieldErrors::from((FOLDER, FieldError::InvalidSelection)))?;
        if folder.is_locked(self.now()) {
            Err(folder_closed())
        } else {
            Ok(())
        }
    }

    /// Deletes a file: from now on nobody sees it, and the purge, to which it is announced first,
    /// removes its bytes.
    #[instrument(skip_all)]
    pub async fn delete_file(
        &self,
        file: File,
        purge: &Queue<PurgeJob>,
    ) -> Result<(), ServiceError> {
        let (space_id, file_id, requested_at) = (file.space_id, file.id, self.now());
        purge
            .send(&[(
                PurgeJob::File {
                    space_id,
                    file_id,
                    requested_at,
                },
                ANNOUNCEMENT_SECONDS,
            )])
            .await?;
        let remove = |file: File| async move { Ok(self.table.remove_file(&file).await?) };
        self.table
            .retry_on_conflict(file, || self.file_again(file_id), remove)
            .await
    }

    /// A file as it is now; not found, where it is gone.
    async fn file_again(&self, id: FileId) -> Result<File, ServiceError> {
        self.file(id).await?.ok_or_else(ServiceError::not_found)
    }

    /// A file of this space, as it is now.
    pub(crate) async fn file(&self, id: FileId) -> Result<Option<File>, ServiceError> {
        Ok(self.table.space_and_file(self.record.id, id).await?.1)
    }
}

impl Tenants {
    /// Those of these files that the caller may know of, each with its space; at most a hundred.
    pub async fn files(
        &self,
        caller: &Caller,
        ids: &[FileId],
    ) -> Result<HashMap<FileId, (domain::Space, File)>, ServiceError> {
        let Some(user) = caller.user() else {
            let own = match caller.own_space() {
                Some((own, _)) => self.table.space(own).await?,
                None => None,
            };
            let Some(own) = own else {
                return Ok(HashMap::new());
            };
            let files = self.table.files(own.id, ids).await?;
            return Ok(files
                .into_iter()
                .map(|(id, file)| (id, (own.clone(), file)))
                .collect());
        };
        Ok(self.table.files_of_user(user, ids).await?)
    }
}
