//! Where files are to go: a folder by id, a path down from it, and what of that has to be made first.

use domain::{
    FOLDER_DEPTH, Fault, FaultKind, FolderChain, FolderId, FolderName, FolderPath, InFolder, Role, Violation,
    Violations,
};

use crate::{Space, files::FOLDER, folders::TOO_DEEP, space::CHANGE_TRIES};

/// The field that names a path down from a folder.
const PATH: &str = "folder_path";

/// A place for files.
#[derive(Clone, Debug, Default)]
pub struct FolderTarget {
    /// The folders of it that are there.
    around: FolderChain,
    /// Those that are not, from the top one down.
    missing: Vec<FolderName>,
}

impl FolderTarget {
    /// Whether folders have to be made before files can go there.
    pub fn is_missing(&self) -> bool {
        !self.missing.is_empty()
    }
}

/// What is wrong with a place that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetRefused {
    /// The folder is none of this space.
    Folder(Violation),
    /// The path leads nowhere.
    Path(Violation),
}

impl Space {
    /// What there is of a path down from a folder, or from the top.
    pub async fn folder_target(
        &self,
        from: Option<FolderId>,
        path: Option<&FolderPath>,
    ) -> Result<Result<FolderTarget, TargetRefused>, Fault> {
        for _ in 0..CHANGE_TRIES {
            if let Some(target) = self.folder_target_now(from, path).await? {
                let is_too_deep = target.around.depth() + target.missing.len() > FOLDER_DEPTH;
                return Ok(if is_too_deep { Err(TargetRefused::Path(TOO_DEEP)) } else { Ok(target) });
            }
            if let Some(from) = from
                && self.folder(from).await?.is_none()
            {
                return Ok(Err(TargetRefused::Folder(Violation::Unknown)));
            }
            // A folder on the way was deleted since it was found by its name.
        }
        Err(Fault::contended("others kept making and deleting the folders"))
    }

    async fn folder_target_now(
        &self,
        from: Option<FolderId>,
        path: Option<&FolderPath>,
    ) -> Result<Option<FolderTarget>, Fault> {
        let names = path.map_or(&[][..], FolderPath::names);
        let mut ids = Vec::new();
        for name in names {
            let parent = ids.last().copied().or(from);
            let Some(id) = self.table.folder_named(self.record.id, parent, name).await? else { break };
            ids.push(id);
        }
        let missing = names[ids.len()..].to_vec();
        let innermost = ids.last().copied().or(from);
        let above = from.into_iter().chain(ids.iter().copied()).filter(|id| Some(*id) != innermost).collect();
        let innermost = innermost.map(|id| InFolder { id, above });
        let around = self.folder_chain(innermost.as_ref()).await?;
        Ok(around.map(|around| FolderTarget { around, missing }))
    }

    /// Refuses a caller to whom a folder would have to be made, but who may make none.
    pub fn demand_folders(&self, target: &FolderTarget) -> Result<(), Fault> {
        if target.is_missing() { self.demand(Role::Admin) } else { Ok(()) }
    }

    /// The folders of a place; those that are missing are made.
    pub async fn make_folders(&self, target: FolderTarget) -> Result<FolderChain, Fault> {
        let mut around = target.around;
        for name in target.missing {
            around = self.make_folder(around, name).await?;
        }
        Ok(around)
    }

    /// The folder of a name in the last of some others, made where it is not there.
    async fn make_folder(&self, around: FolderChain, name: FolderName) -> Result<FolderChain, Fault> {
        let parent = around.innermost().map(|folder| folder.id);
        for _ in 0..CHANGE_TRIES {
            let made = self.create_folder(FolderId::new(self.table.sources()), name.clone(), parent, |_| None).await;
            let refused = match made {
                Ok(made) => return Ok(made.chain().clone()),
                Err(refused) => refused,
            };
            if refused.kind != FaultKind::Invalid {
                return Err(refused);
            }
            if !refused.violations.has("name") {
                // The folder that it was to be in went, or was moved down too deep.
                let is_there = self.folder_chain(around.in_folder().as_ref()).await?.is_some();
                let (field, violation) = if is_there { (PATH, TOO_DEEP) } else { (FOLDER, Violation::Unknown) };
                return Err(Violations::from((field, violation)).into());
            }
            // Somebody else was faster.
            if let Some(id) = self.table.folder_named(self.record.id, parent, &name).await?
                && let Some(found) = self.folder(id).await?
            {
                return Ok(found);
            }
        }
        Err(Fault::contended("others kept making and deleting the folder"))
    }
}
