//! Placement of files: resolves the folder that a request or a config selects to existing folders
//! and the names of missing ones.

use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    folders::{FolderChain, FolderName, FolderPath, FolderRef, MAX_FOLDER_DEPTH},
    id::FolderId,
    keys::Role,
};
use table::change::ChangeError;
use tracing::instrument;

use super::{FolderCreation, Folders, NewFolder, TOO_DEEP};

/// The field of a file's folder.
pub(crate) const FOLDER_FIELD: &str = "folder_id";
/// The field of a path below a folder.
const PATH_FIELD: &str = "folder_path";

/// A folder as a request or a config selects it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderSelector {
    /// The folder; `None` for the root.
    pub from: Option<FolderId>,
    /// The path below that folder.
    pub path: Option<FolderPath>,
}

/// The folder that files are placed in.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// The folders that exist.
    existing: FolderChain,
    /// Names of the folders that have to be created below them, from the top down.
    missing: Vec<FolderName>,
}

impl Placement {
    /// Returns the path of the folder from the root: `photos/vacation`.
    fn path(&self) -> String {
        let existing = self.existing.path().unwrap_or_default();
        let missing: Vec<&str> = self.missing.iter().map(FolderName::as_str).collect();
        format!("{existing}{}", missing.join("/"))
    }
}

impl Folders<'_> {
    /// Resolves a selected folder. Field errors are those of `folder_id` and `folder_path`.
    pub async fn placement(
        self,
        selector: &FolderSelector,
    ) -> Result<Result<Placement, FieldErrors>, ServiceError> {
        let resolve = |()| async move {
            if let Some(placement) = self.read_placement(selector).await? {
                let depth = placement.existing.depth() + placement.missing.len();
                return Ok(if depth > MAX_FOLDER_DEPTH {
                    Err((PATH_FIELD, TOO_DEEP).into())
                } else {
                    Ok(placement)
                });
            }

            if let Some(from) = selector.from
                && self.get(from).await?.is_none()
            {
                let errors = FieldErrors::from((FOLDER_FIELD, FieldError::InvalidSelection));
                return Ok(Err(errors));
            }
            // A folder of the path was deleted after it was found by its name.
            Err(ChangeError::Conflict)
        };

        self.space
            .table
            .retry_on_conflict((), || async { Ok(()) }, resolve)
            .await
    }

    /// Resolves a selected folder once; `None` if one of the folders does not exist.
    async fn read_placement(
        self,
        selector: &FolderSelector,
    ) -> Result<Option<Placement>, ServiceError> {
        let mut ids: Vec<FolderId> = selector.from.into_iter().collect();
        let mut missing = selector.path.as_ref().map_or(&[][..], FolderPath::names);
        while let [name, below @ ..] = missing {
            let parent = ids.last().copied();
            let child = self
                .space
                .table
                .folders()
                .named(self.space.record.id, parent, name)
                .await?;
            let Some(child) = child else {
                break;
            };
            ids.push(child);
            missing = below;
        }

        let leaf = ids.pop().map(|id| FolderRef {
            id,
            ancestor_ids: ids,
        });
        let existing = self.chain(leaf.as_ref()).await?;
        Ok(existing.map(|existing| Placement {
            existing,
            missing: missing.to_vec(),
        }))
    }

    /// Fails with 403 if folders have to be created and the caller's role does not allow it.
    pub fn require_placeable(self, placement: &Placement) -> Result<(), ServiceError> {
        if placement.missing.is_empty() || self.space.role() >= Role::Admin {
            return Ok(());
        }
        Err(ServiceError::forbidden(format!(
            "The folder `{}` does not exist. Creating folders requires the role admin or higher.",
            placement.path()
        )))
    }

    /// Creates the missing folders of a placement. Returns all its folders.
    #[instrument(name = "create_missing_folders", skip_all)]
    pub async fn create_missing(self, placement: Placement) -> Result<FolderChain, ServiceError> {
        let mut folders = placement.existing;
        for name in placement.missing {
            folders = self.find_or_create(folders, name).await?;
        }
        Ok(folders)
    }

    /// Returns the chain down to the folder with a name in the last of `parents`. Creates the
    /// folder if it does not exist.
    async fn find_or_create(
        self,
        parents: FolderChain,
        name: FolderName,
    ) -> Result<FolderChain, ServiceError> {
        let parent = parents.leaf().map(|folder| folder.id);
        let parents = &parents;
        let name = &name;
        let find_or_create = |()| async move {
            let new = NewFolder {
                id: FolderId::new(self.space.table.env()),
                name: name.clone(),
                parent,
            };
            match self.try_create(new, |_| None).await? {
                FolderCreation::Created(created) => return Ok(created.chain().clone()),
                FolderCreation::InvalidParent(_) => {
                    let errors = self.placement_errors(parents).await?;
                    return Err(ChangeError::Failed(errors.into()));
                }
                // Another request created the folder.
                FolderCreation::NameTaken => {}
            }
            let existing = self
                .space
                .table
                .folders()
                .named(self.space.record.id, parent, name)
                .await?;
            match existing {
                Some(id) => self.get(id).await?.ok_or(ChangeError::Conflict),
                None => Err(ChangeError::Conflict),
            }
        };

        self.space
            .table
            .retry_on_conflict((), || async { Ok(()) }, find_or_create)
            .await
    }

    /// Returns the error of a folder that cannot be created in its parents: they were deleted, or
    /// moved too deep.
    async fn placement_errors(self, parents: &FolderChain) -> Result<FieldErrors, ServiceError> {
        let parent = parents.leaf_ref();
        let existing = self.chain(parent.as_ref()).await?;
        Ok(if existing.is_some() {
            FieldErrors::from((PATH_FIELD, TOO_DEEP))
        } else {
            FieldErrors::from((FOLDER_FIELD, FieldError::InvalidSelection))
        })
    }
}
