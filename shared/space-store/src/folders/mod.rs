//! Folders: creation, changes, moves and deletion, and the placement of files in them.
//!
//! Invariants:
//! - A folder is read with all of its ancestors, or not at all.
//! - Nothing is added to a folder that is locked for a deletion.
//! - A folder below one that was deleted with its contents does not exist for requests, nor does a
//!   file in it.

mod chains;
mod deletion;
mod placement;

pub use chains::FolderChains;
pub(crate) use deletion::{FOLDER_PURGE_AFTER_MS, folder_locked};
pub(crate) use placement::FOLDER_FIELD;
pub use placement::{FolderSelector, Placement};

use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    folders::{Folder, FolderChain, FolderName, MAX_FOLDER_DEPTH},
    id::FolderId,
    requests::{Completion, Page, PageRequest},
};
use futures::future;
use table::{
    errors::{Reason, TableError, WriteError},
    folders::FolderRelocation,
};
use tracing::instrument;

use crate::spaces::{Caller, Scoped, SpaceLists, SpaceScope, Tenants, space_locked};

/// The folders of a space.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    space: &'a SpaceScope,
}

/// The field of a folder's parent.
const PARENT_FIELD: &str = "parent_id";

/// The error of a field that would place folders too deep.
pub(crate) const TOO_DEEP: FieldError =
    FieldError::Custom("must not nest folders more than 20 levels deep");

/// A folder with its ancestors. It is the last of the chain.
#[derive(Clone, Debug)]
pub struct ResolvedFolder(FolderChain);

/// Properties of a new folder.
#[derive(Clone, Debug)]
pub struct NewFolder {
    /// Id of the folder.
    pub id: FolderId,
    /// Name of the folder.
    pub name: FolderName,
    /// The parent; `None` for the root.
    pub parent: Option<FolderId>,
}

/// Outcome of the creation of a folder.
pub(crate) enum FolderCreation {
    Created(Box<ResolvedFolder>),
    /// The parent has a folder with this name.
    NameTaken,
    /// The parent does not exist, or is too deep.
    InvalidParent(FieldErrors),
}

/// A change of a folder's name or parent.
#[derive(Clone, Debug, Default)]
pub struct FolderMove {
    pub name: Option<FolderName>,
    /// The new parent; `Some(None)` for the root.
    pub parent: Option<Option<FolderId>>,
}

impl ResolvedFolder {
    /// Returns the last folder of a chain with its ancestors; `None` for the root.
    pub fn of(chain: FolderChain) -> Option<ResolvedFolder> {
        chain.leaf().is_some().then_some(ResolvedFolder(chain))
    }

    pub fn folder(&self) -> &Folder {
        self.0.leaf().expect("the chain is not empty")
    }

    /// Returns the folder with its ancestors.
    pub fn chain(&self) -> &FolderChain {
        &self.0
    }

    pub(crate) fn ancestors(&self) -> FolderChain {
        self.0.clone().without_leaf()
    }

    /// Replaces the folder in the same place.
    fn replaced_by(&self, folder: Folder) -> ResolvedFolder {
        ResolvedFolder(self.ancestors().with_leaf(folder))
    }
}

impl SpaceScope {
    pub fn folders(&self) -> Folders<'_> {
        Folders { space: self }
    }
}

impl Folders<'_> {
    /// Creates a folder. `complete` returns the completion of the request's idempotency
    /// reservation.
    pub async fn create(
        self,
        new: NewFolder,
        complete: impl Fn(&ResolvedFolder) -> Option<Completion>,
    ) -> Result<ResolvedFolder, ServiceError> {
        match self.try_create(new, complete).await? {
            FolderCreation::Created(created) => Ok(*created),
            FolderCreation::NameTaken => Err(WriteError::ConditionFailed(Reason::NameTaken).into()),
            FolderCreation::InvalidParent(errors) => Err(errors.into()),
        }
    }

    /// Creates a folder, unless its name or its parent do not permit it.
    pub(crate) async fn try_create(
        self,
        new: NewFolder,
        complete: impl Fn(&ResolvedFolder) -> Option<Completion>,
    ) -> Result<FolderCreation, ServiceError> {
        let new = &new;
        let complete = &complete;
        let create = |space: domain::spaces::Space| async move {
            if space.is_locked(self.space.now()) {
                return Err(space_locked().into());
            }
            let Some(ancestors) = self.unlocked_chain(new.parent).await? else {
                return Ok(FolderCreation::InvalidParent(unknown_parent()));
            };
            if let Err(errors) = require_depth(ancestors.depth() + 1) {
                return Ok(FolderCreation::InvalidParent(errors));
            }

            let folder = Folder {
                parent: ancestors.leaf_ref(),
                ..Folder::at_root(new.id, space.id, new.name.clone(), self.space.now())
            };
            let created = ResolvedFolder(ancestors.clone().with_leaf(folder));
            let completion = complete(&created);
            let written = self
                .space
                .table
                .folders()
                .create(created.folder(), &ancestors, &space, completion.as_ref())
                .await;
            match written {
                Ok(()) => Ok(FolderCreation::Created(created.into())),
                Err(WriteError::ConditionFailed(Reason::NameTaken)) => {
                    Ok(FolderCreation::NameTaken)
                }
                Err(error) => Err(error.into()),
            }
        };

        self.space
            .table
            .retry_on_conflict(
                self.space.record.clone(),
                || self.space.current_record(),
                create,
            )
            .await
    }

    /// Renames or moves a folder. Fails with 422 if the folder would be in itself or too deep.
    #[instrument(name = "move_folder", skip_all)]
    pub async fn relocate(
        self,
        resolved: ResolvedFolder,
        to: &FolderMove,
    ) -> Result<ResolvedFolder, ServiceError> {
        let id = resolved.folder().id;
        let write = |resolved: ResolvedFolder| async move {
            let from = resolved.folder();
            let name = to.name.clone().unwrap_or_else(|| from.name.clone());
            let parent = to.parent.unwrap_or(from.parent_id());
            let mut changed = Folder {
                name,
                updated_at: self.space.now(),
                ..from.clone()
            };
            if parent == from.parent_id() {
                let version = self.space.table.folders().change(from, &changed).await?;
                return Ok(resolved.replaced_by(Folder { version, ..changed }));
            }

            let new_ancestors = self.new_parents(parent).await?;
            require_outside(&new_ancestors, from.id)?;
            require_depth(new_ancestors.depth() + 1 + from.height())?;

            changed.parent = new_ancestors.leaf_ref();
            changed.bump_access_version(from);
            let relocation = FolderRelocation {
                from,
                to: &changed,
                old_ancestors: &resolved.ancestors(),
                new_ancestors: &new_ancestors,
            };
            let version = self.space.table.folders().relocate(relocation).await?;
            let moved = Folder { version, ..changed };
            Ok(ResolvedFolder(new_ancestors.with_leaf(moved)))
        };

        self.space
            .table
            .retry_on_conflict(resolved, || self.current(id), write)
            .await
    }

    /// Changes a folder's settings, which its contents inherit. On a conflict, `change` is applied
    /// to the current version. Only [`Folders::relocate`] changes its name and its parent.
    pub async fn change(
        self,
        resolved: ResolvedFolder,
        change: impl Fn(&mut Folder),
    ) -> Result<ResolvedFolder, ServiceError> {
        let change = |folder: &mut Folder| {
            change(folder);
            folder.updated_at = self.space.now();
            Ok(())
        };
        self.try_change(resolved, change).await
    }

    /// Changes a folder's record in the same place, unless `change` fails. Leaves `updated_at`
    /// unchanged.
    pub(crate) async fn try_change(
        self,
        resolved: ResolvedFolder,
        change: impl Fn(&mut Folder) -> Result<(), ServiceError>,
    ) -> Result<ResolvedFolder, ServiceError> {
        let id = resolved.folder().id;
        let change = &change;
        let write = |resolved: ResolvedFolder| async move {
            let from = resolved.folder();
            let mut changed = from.clone();
            change(&mut changed)?;
            changed.bump_access_version(from);
            let version = self.space.table.folders().change(from, &changed).await?;
            Ok(resolved.replaced_by(Folder { version, ..changed }))
        };

        self.space
            .table
            .retry_on_conflict(resolved, || self.current(id), write)
            .await
    }

    /// Resolves the folders of a page. A folder without one of its ancestors is left out.
    pub async fn resolve_page(
        self,
        page: Page<Folder>,
    ) -> Result<Page<ResolvedFolder>, ServiceError> {
        let resolved = self.resolve(page.items).await?;
        Ok(Page {
            items: resolved.into_iter().flatten().collect(),
            next: page.next,
            prev: page.prev,
        })
    }

    /// Returns the current version of a folder. Fails with 404 if it was deleted.
    pub(crate) async fn current(self, id: FolderId) -> Result<ResolvedFolder, ServiceError> {
        let chain = self.get(id).await?;
        chain
            .and_then(ResolvedFolder::of)
            .ok_or_else(ServiceError::not_found)
    }

    /// Returns the chain of a new parent. Fails with 422 if it does not exist.
    async fn new_parents(self, parent: Option<FolderId>) -> Result<FolderChain, ServiceError> {
        let chain = self.unlocked_chain(parent).await?;
        chain.ok_or_else(|| unknown_parent().into())
    }

    /// Returns the chain of a new parent; `None` if it does not exist. Waits while a concurrent
    /// deletion locks the parent, and fails if it stays locked.
    async fn unlocked_chain(
        self,
        parent: Option<FolderId>,
    ) -> Result<Option<FolderChain>, ServiceError> {
        let Some(parent) = parent else {
            return Ok(Some(FolderChain::default()));
        };
        let is_locked = |chain: &FolderChain| {
            let leaf = chain.leaf();
            leaf.is_some_and(|folder| folder.is_locked(self.space.now()))
        };

        let mut chain = self.get(parent).await?;
        if chain.as_ref().is_some_and(is_locked) {
            self.with_unlocked(Some(parent)).await?;
            chain = self.get(parent).await?;
        }

        if chain.as_ref().is_some_and(is_locked) {
            Err(folder_locked())
        } else {
            Ok(chain)
        }
    }
}

impl Tenants {
    /// Returns a folder by id; `None` if the caller has no access to such a folder.
    pub async fn folder(
        &self,
        caller: &Caller,
        id: FolderId,
    ) -> Result<Option<Scoped<ResolvedFolder>>, ServiceError> {
        let found: Option<Scoped<Folder>> = self.resource(caller, id).await?;
        let Some(Scoped { space, record }) = found else {
            return Ok(None);
        };
        let resolved = space.folders().resolve(vec![record]).await?.pop().flatten();
        Ok(resolved.map(|record| Scoped { space, record }))
    }
}

impl SpaceLists {
    /// Returns a page of folders, newest first: all of them, or the direct children of a folder or
    /// of the root (`Some(None)`).
    pub async fn folders(
        &self,
        parent: Option<Option<FolderId>>,
        page_request: &PageRequest,
    ) -> Result<Page<Folder>, ServiceError> {
        let folders = self.table.folders();
        let page = match parent {
            Some(parent) => folders.list_in(self.space, parent, page_request).await,
            None => folders.list(self.space, page_request).await,
        };
        Ok(page?)
    }

    /// Returns `page`, which is filtered by a folder. Fails with 422 on `field` if the folder does
    /// not exist.
    pub fn in_folder<T>(
        &self,
        field: &'static str,
        folder: Option<FolderId>,
        page: impl Future<Output = Result<T, ServiceError>>,
    ) -> impl Future<Output = Result<T, ServiceError>> {
        // Boxed, so that the futures of handlers stay small.
        let reads = future::join(Box::pin(self.has_folder(folder)), Box::pin(page));
        async move {
            let (exists, page) = reads.await;
            if exists? {
                page
            } else {
                Err(FieldErrors::from((field, FieldError::InvalidSelection)).into())
            }
        }
    }

    /// Returns whether a folder exists. The root does.
    async fn has_folder(&self, folder: Option<FolderId>) -> Result<bool, TableError> {
        let Some(folder) = folder else {
            return Ok(true);
        };
        let folders = self.table.folders().get(self.space, &[folder]).await?;
        Ok(folders.values().any(Option::is_some))
    }
}

/// Fails with 422 if a folder would be moved into itself.
fn require_outside(new_ancestors: &FolderChain, folder: FolderId) -> Result<(), ServiceError> {
    if !new_ancestors.contains(folder) {
        return Ok(());
    }
    let field_error = FieldError::Custom("must not be the folder itself or one of its subfolders");
    Err(FieldErrors::from((PARENT_FIELD, field_error)).into())
}

fn unknown_parent() -> FieldErrors {
    FieldErrors::from((PARENT_FIELD, FieldError::InvalidSelection))
}

/// Fails with 422 if folders would be too deep.
fn require_depth(depth: usize) -> Result<(), FieldErrors> {
    if depth > MAX_FOLDER_DEPTH {
        Err(FieldErrors::from((PARENT_FIELD, TOO_DEEP)))
    } else {
        Ok(())
    }
}
