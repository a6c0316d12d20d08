//! Placement of files: a folder that a request or a config selects, resolved to the folders that
//! exist and those that have to be created.

use domain::{
    ErrorKind, FieldError, FieldErrors, FolderChain, FolderId, FolderName, FolderPath, FolderRef,
    MAX_FOLDER_DEPTH, Role, ServiceError,
};
use table::ChangeError;
use tracing::instrument;

use crate::{SpaceScope, files::FOLDER, folders::TOO_DEEP};

/// The field that holds a path down from a folder.
const PATH: &str = "folder_path";

/// A folder as a request or a config selects it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderSelector {
    /// The folder; `None` for the root.
    pub from: Option<FolderId>,
    /// The path down from there.
    pub path: Option<FolderPath>,
}

/// Where files are put.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// The folders that exist.
    existing: FolderChain,
    /// The folders that have to be created below them, from the top down.
    missing: Vec<FolderName>,
}

impl SpaceScope {
    /// Resolves a selected folder. Returns field errors of `folder_id` or `folder_path` if it
    /// cannot be in this space.
    pub async fn placement(
        &self,
        selector: &FolderSelector,
    ) -> Result<Result<Placement, FieldErrors>, ServiceError> {
        let resolve = |()| async move {
            if let Some(placement) = self.placement_now(selector).await? {
                let is_too_deep =
                    placement.existing.depth() + placement.missing.len() > MAX_FOLDER_DEPTH;
                return Ok(if is_too_deep {
                    Err((PATH, TOO_DEEP).into())
                } else {
                    Ok(placement)
                });
            }
            if let Some(from) = selector.from
                && self.folder(from).await?.is_none()
            {
                return Ok(Err((FOLDER, FieldError::InvalidSelection).into()));
            }
            // A folder of the path was deleted after it had been found by its name.
            Err(ChangeError::Conflict)
        };
        self.table
            .retry_on_conflict((), || async { Ok(()) }, resolve)
            .await
    }

    async fn placement_now(
        &self,
        selector: &FolderSelector,
    ) -> Result<Option<Placement>, ServiceError> {
        let mut ids: Vec<FolderId> = selector.from.into_iter().collect();
        let mut missing = selector.path.as_ref().map_or(&[][..], FolderPath::names);
        while let [name, below @ ..] = missing {
            let Some(id) = self
                .table
                .folder_named(self.record.id, ids.last().copied(), name)
                .await?
            else {
                break;
            };
            ids.push(id);
            missing = below;
        }

        let leaf = ids.pop().map(|id| FolderRef {
            id,
            ancestor_ids: ids,
        });
        let existing = self.folder_chain(leaf.as_ref()).await?;
        Ok(existing.map(|existing| Placement {
            existing,
            missing: missing.to_vec(),
        }))
    }

    /// Fails with 403 if folders have to be created, and the caller's role may not.
    pub fn require_placeable(&self, placement: &Placement) -> Result<(), ServiceError> {
        if placement.missing.is_empty() {
            Ok(())
        } else {
            self.require_role(Role::Admin)
        }
    }

    /// Creates the missing folders of a placement. Returns all its folders.
    #[instrument(skip_all)]
    pub async fn create_missing_folders(
        &self,
        placement: Placement,
    ) -> Result<FolderChain, ServiceError> {
        let mut folders = placement.existing;
        for name in placement.missing {
            folders = self.find_or_create_folder(folders, name).await?;
        }
        Ok(folders)
    }

    /// Returns the folder with a name in the last of `around`, which is created if it does not
    /// exist.
    async fn find_or_create_folder(
        &self,
        around: FolderChain,
        name: FolderName,
    ) -> Result<FolderChain, ServiceError> {
        let parent = around.leaf().map(|folder| folder.id);
        let around = &around;
        let name = &name;
        let find_or_create = |()| async move {
            let made = self
                .create_folder(
                    FolderId::new(self.table.env()),
                    name.clone(),
                    parent,
                    |_| None,
                )
                .await;
            let refused = match made {
                Ok(made) => return Ok(made.chain().clone()),
                Err(refused) => refused,
            };
            if refused.kind != ErrorKind::Invalid {
                return Err(refused.into());
            }
            if !refused.field_errors.has("name") {
                // The folder that it was to be in went, or was moved down too deep.
                let is_there = self
                    .folder_chain(around.leaf_ref().as_ref())
                    .await?
                    .is_some();
                let (field, field_error) = if is_there {
                    (PATH, TOO_DEEP)
                } else {
                    (FOLDER, FieldError::InvalidSelection)
                };
                return Err(FieldErrors::from((field, field_error)).into());
            }
            // Another request was faster.
            match self
                .table
                .folder_named(self.record.id, parent, name)
                .await?
            {
                Some(id) => self.folder(id).await?.ok_or(ChangeError::Conflict),
                None => Err(ChangeError::Conflict),
            }
        };
        self.table
            .retry_on_conflict((), || async { Ok(()) }, find_or_create)
            .await
    }
}
