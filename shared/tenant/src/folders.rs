//! The folders of a space: made, moved, changed, listed.

use domain::{
    AccessControl, Completion, FieldError, FieldErrors, Folder, FolderChain, FolderId, FolderName,
    MAX_FOLDER_DEPTH, Page, PageRequest, Security, ServiceError,
};
use tracing::instrument;

use crate::{Caller, SpaceScope, Tenants, deletion::closed};

/// The field that names the folder around another one.
const PARENT: &str = "parent_id";

/// A folder of a space, with all that are around it: the last of the chain.
#[derive(Clone, Debug)]
pub struct ResolvedFolder(FolderChain);

impl ResolvedFolder {
    /// The folder at the end of a chain; `None` where that is empty.
    pub fn of(chain: FolderChain) -> Option<ResolvedFolder> {
        chain.leaf().is_some().then_some(ResolvedFolder(chain))
    }

    /// The folder.
    pub fn folder(&self) -> &Folder {
        self.0
            .leaf()
            .expect("it is made of a chain that is not empty")
    }

    /// All that are around it, and itself.
    pub fn chain(&self) -> &FolderChain {
        &self.0
    }

    /// All that are around it.
    pub(crate) fn around(&self) -> FolderChain {
        self.0.clone().without_leaf()
    }

    fn changed(&self, to: Folder) -> ResolvedFolder {
        ResolvedFolder(self.around().with_leaf(to))
    }
}

/// What is changed of a folder's name and place.
#[derive(Clone, Debug, Default)]
pub struct FolderMove {
    /// Another name.
    pub name: Option<FolderName>,
    /// Another folder to be in: `Some(None)` is the top.
    pub parent: Option<Option<FolderId>>,
}

/// What is changed of what a folder says of who may see what is in it, and how.
#[derive(Clone, Debug)]
pub enum FolderSetting {
    /// Who may see it.
    AccessControl(Option<AccessControl>),
    /// The watermark on it.
    Security(Option<Security>),
}

impl SpaceScope {
    /// Makes a folder in another one, or at the top. `complete` ends the request that it is made
    /// for.
    pub async fn create_folder(
        &self,
        id: FolderId,
        name: FolderName,
        parent: Option<FolderId>,
        complete: impl Fn(&ResolvedFolder) -> Option<Completion>,
    ) -> Result<ResolvedFolder, ServiceError> {
        let load = || async {
            self.table
                .space(self.record.id)
                .await?
                .ok_or_else(ServiceError::not_found)
        };
        let name = &name;
        let complete = &complete;
        let create = |space: domain::Space| async move {
            if space.is_locked(self.now()) {
                return Err(closed().into());
            }
            let around = self.around(parent).await?;
            require_depth(around.depth() + 1)?;
            let folder = Folder::new(id, space.id, name.clone(), around.leaf_ref(), self.now());
            let made = ResolvedFolder(around.clone().with_leaf(folder));
            self.table
                .create_folder(made.folder(), &around, &space, complete(&made).as_ref())
                .await?;
            Ok(made)
        };
        self.table
            .retry_on_conflict(self.record.clone(), load, create)
            .await
    }

    /// Gives a folder another name, or puts it into another one. One that would then be in itself,
    /// or too deep, stays where it is.
    #[instrument(skip_all)]
    pub async fn move_folder(
        &self,
        found: ResolvedFolder,
        to: &FolderMove,
    ) -> Result<ResolvedFolder, ServiceError> {
        let id = found.folder().id;
        let write = |found: ResolvedFolder| async move {
            let from = found.folder();
            let name = to.name.clone().unwrap_or_else(|| from.name.clone());
            let parent = to.parent.unwrap_or(from.parent_id());
            let mut changed = Folder {
                name,
                updated_at: self.now(),
                ..from.clone()
            };
            if parent == from.parent_id() {
                let version = self.table.change_folder(from, &changed).await?;
                return Ok(found.changed(Folder { version, ..changed }));
            }

            let around = self.around(parent).await?;
            if around.contains(from.id) {
                let field_error =
                    FieldError::Custom("must not be the folder itself or one of its subfolders");
                return Err(FieldErrors::from((PARENT, field_error)).into());
            }
            require_depth(around.depth() + 1 + from.height())?;
            changed.parent = around.leaf_ref();
            changed.bump_access_version(from);
            let version = self
                .table
                .move_folder(from, &changed, &around, &found.around())
                .await?;
            Ok(ResolvedFolder(
                around.with_leaf(Folder { version, ..changed }),
            ))
        };
        self.table
            .retry_on_conflict(found, || self.folder_again(id), write)
            .await
    }

    /// Changes what a folder says of what is in it.
    pub async fn change_folder_setting(
        &self,
        found: ResolvedFolder,
        change: impl Fn(&Folder) -> FolderSetting,
    ) -> Result<ResolvedFolder, ServiceError> {
        let change = |folder: &mut Folder| {
            match change(folder) {
                FolderSetting::AccessControl(access_control) => {
                    folder.access_control = access_control;
                }
                FolderSetting::Security(security) => folder.security = security,
            }
            folder.updated_at = self.now();
            Ok(())
        };
        self.change_folder(found, change).await
    }

    /// Changes a folder's record where it is. Where others change it at the same time, the change
    /// is made again upon theirs.
    pub(crate) async fn change_folder(
        &self,
        found: ResolvedFolder,
        change: impl Fn(&mut Folder) -> Result<(), ServiceError>,
    ) -> Result<ResolvedFolder, ServiceError> {
        let id = found.folder().id;
        let change = &change;
        let write = |found: ResolvedFolder| async move {
            let mut changed = found.folder().clone();
            change(&mut changed)?;
            changed.bump_access_version(found.folder());
            let version = self.table.change_folder(found.folder(), &changed).await?;
            Ok(found.changed(Folder { version, ..changed }))
        };
        self.table
            .retry_on_conflict(found, || self.folder_again(id), write)
            .await
    }

    /// Returns a page of this space's folders, newest first: all of them, or those right in one or
    /// at the top.
    pub async fn list_folders(
        &self,
        parent: Option<Option<FolderId>>,
        page_request: &PageRequest,
    ) -> Result<Page<ResolvedFolder>, ServiceError> {
        let Page { items, next, prev } = self
            .table
            .list_folders(self.record.id, parent, page_request)
            .await?;
        let items = self
            .with_chains(items)
            .await?
            .into_iter()
            .flatten()
            .collect();
        Ok(Page { items, next, prev })
    }

    /// A folder as it is now; not found, where it is gone.
    pub(crate) async fn folder_again(&self, id: FolderId) -> Result<ResolvedFolder, ServiceError> {
        self.folder(id)
            .await?
            .and_then(ResolvedFolder::of)
            .ok_or_else(ServiceError::not_found)
    }

    /// The chain of what is put into a folder, or to the top, by the field that names it.
    async fn around(&self, parent: Option<FolderId>) -> Result<FolderChain, ServiceError> {
        let Some(parent) = parent else {
            return Ok(FolderChain::default());
        };
        let is_closed = |around: &FolderChain| {
            around
                .leaf()
                .is_some_and(|folder| folder.is_locked(self.now()))
        };
        let mut around = self.folder(parent).await?;
        if around.as_ref().is_some_and(is_closed) {
            self.with_settled_folder(Some(parent)).await?;
            around = self.folder(parent).await?;
        }
        let around =
            around.ok_or_else(|| FieldErrors::from((PARENT, FieldError::InvalidSelection)))?;
        if is_closed(&around) {
            Err(folder_closed())
        } else {
            Ok(around)
        }
    }
}

impl Tenants {
    /// A folder and its space, by the folder's id; `None` where there is none, or none that the
    /// caller may know of.
    pub async fn folder(
        &self,
        caller: &Caller,
        id: FolderId,
    ) -> Result<Option<(SpaceScope, ResolvedFolder)>, ServiceError> {
        let found = if let Some((own, role)) = caller.own_space() {
            let (space, folder) = self.table.space_and_folder(own, Some(id)).await?;
            space
                .zip(folder)
                .map(|(space, folder)| (self.scoped(space, role), folder))
        } else {
            let (Some(user), Some(space)) = (caller.user(), self.table.space_of_folder(id).await?)
            else {
                return Ok(None);
            };
            let found = self
                .table
                .space_folder_and_membership(space, id, user)
                .await?;
            found.map(|(space, folder, membership)| (self.scoped(space, membership.role), folder))
        };
        let Some((space, folder)) = found else {
            return Ok(None);
        };
        let found = space.with_chains(vec![folder]).await?.pop().flatten();
        Ok(found.map(|found| (space, found)))
    }
}

fn require_depth(depth: usize) -> Result<(), ServiceError> {
    if depth > MAX_FOLDER_DEPTH {
        Err(FieldErrors::from((PARENT, TOO_DEEP)).into())
    } else {
        Ok(())
    }
}

/// What is wrong with a place where folders would be too deep.
pub(crate) const TOO_DEEP: FieldError =
    FieldError::Custom("must not nest folders more than 20 levels deep");

/// The refusal of whatever comes into a folder of which it is being decided whether it is deleted.
pub(crate) fn folder_closed() -> ServiceError {
    ServiceError {
        message: "The folder is being deleted. Please try again.".into(),
        ..ServiceError::contended("the folder is closed by a deletion")
    }
}
