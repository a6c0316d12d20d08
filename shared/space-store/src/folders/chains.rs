//! Folder chains: folders with all their ancestors, read for many files or folders at once.

use std::collections::HashMap;

use domain::{
    errors::{FieldError, FieldErrors, ServiceError},
    files::File,
    folders::{Folder, FolderChain, FolderRef, MAX_FOLDER_DEPTH, Resolution},
    id::FolderId,
    settings::FileStatus,
};

use super::{Folders, ResolvedFolder};
use crate::spaces::{AncestorCache, SpaceScope};

/// Maximum reads to resolve folders. Each read finds deeper ancestors, or folders that were moved.
const MAX_READS: usize = 2 * MAX_FOLDER_DEPTH;

/// Folders of a space that were read together with their ancestors.
#[derive(Clone, Debug, Default)]
pub struct FolderChains(HashMap<FolderId, Option<Folder>>);

impl FolderChains {
    /// Returns the chain of a folder, which is empty for the root; `None` if one of its folders is
    /// missing or deleted.
    pub fn chain_of(&self, folder: Option<FolderId>) -> Option<FolderChain> {
        match FolderChain::resolve(folder, &self.0) {
            Resolution::Complete(chain) => Some(chain),
            Resolution::Missing(_) | Resolution::Orphaned | Resolution::Deleted => None,
        }
    }

    /// Whether a folder or one of its ancestors was deleted with its contents.
    pub fn is_deleted(&self, folder: Option<FolderId>) -> bool {
        matches!(FolderChain::resolve(folder, &self.0), Resolution::Deleted)
    }

    /// Whether a file was deleted with one of its folders. What is in the trash was deleted before,
    /// and can return to the root.
    pub fn hide(&self, file: &File) -> bool {
        file.status != FileStatus::Trashed && self.is_deleted(file.folder_id())
    }

    /// Reads folders and their ancestors, except for the `known` folders.
    async fn read(
        space: &SpaceScope,
        wanted: &[FolderRef],
        known: Vec<Folder>,
    ) -> Result<FolderChains, ServiceError> {
        let chains = FolderChains::read_once(space, wanted, known).await?;

        let is_broken = |folder: &FolderRef| {
            let exists = matches!(chains.0.get(&folder.id), Some(Some(_)));
            exists && chains.chain_of(Some(folder.id)).is_none()
        };
        if wanted.iter().any(is_broken) {
            // Reads at different times during a move may combine into a chain that never existed.
            return FolderChains::read_once(space, wanted, Vec::new()).await;
        }
        Ok(chains)
    }

    async fn read_once(
        space: &SpaceScope,
        wanted: &[FolderRef],
        known: Vec<Folder>,
    ) -> Result<FolderChains, ServiceError> {
        let known = known.into_iter().map(|folder| (folder.id, Some(folder)));
        let mut chains = FolderChains(known.collect());
        let mut missing: Vec<FolderId> = Vec::new();
        for folder in wanted {
            missing.extend(folder.path_ids());
            missing.extend(space.ancestors.get(&folder.id).unwrap_or_default());
        }

        for read in 0..MAX_READS {
            missing.sort_unstable();
            missing.dedup();
            missing.retain(|id| !chains.0.contains_key(id));
            if missing.is_empty() {
                // More than one read means that the known ancestors were outdated.
                if read > 1 {
                    chains.remember(wanted, &space.ancestors);
                }
                return Ok(chains);
            }

            let folders = space.table.folders().get(space.record.id, &missing).await?;
            chains.0.extend(folders);
            missing = wanted
                .iter()
                .flat_map(|folder| chains.missing_ancestors(folder.id))
                .collect();
        }
        Err(ServiceError::contended(
            "concurrent requests kept moving the folders",
        ))
    }

    /// Returns the ancestors of a folder that were not read yet.
    fn missing_ancestors(&self, folder: FolderId) -> Vec<FolderId> {
        match FolderChain::resolve(Some(folder), &self.0) {
            Resolution::Missing(missing) => missing,
            Resolution::Complete(_) | Resolution::Orphaned | Resolution::Deleted => Vec::new(),
        }
    }

    /// Caches the ancestors of folders.
    fn remember(&self, wanted: &[FolderRef], cache: &AncestorCache) {
        for folder in wanted {
            let chain = self.chain_of(Some(folder.id));
            if let Some(found) = chain.and_then(|chain| chain.leaf_ref()) {
                cache.insert(found.id, found.ancestor_ids);
            }
        }
    }
}

impl Folders<'_> {
    /// Returns the chains of folders, which are read at once.
    pub async fn chains<'a>(
        self,
        folders: impl IntoIterator<Item = &'a FolderRef>,
    ) -> Result<FolderChains, ServiceError> {
        let wanted: Vec<FolderRef> = folders.into_iter().cloned().collect();
        FolderChains::read(self.space, &wanted, Vec::new()).await
    }

    /// Resolves the ancestors of folders. The result is `None` for a folder with a missing
    /// ancestor.
    pub(crate) async fn resolve(
        self,
        folders: Vec<Folder>,
    ) -> Result<Vec<Option<ResolvedFolder>>, ServiceError> {
        let with_known_ancestors = |folder: &Folder| FolderRef {
            id: folder.id,
            ancestor_ids: folder.parent.iter().flat_map(FolderRef::path_ids).collect(),
        };
        let wanted: Vec<FolderRef> = folders.iter().map(with_known_ancestors).collect();
        let chains = FolderChains::read(self.space, &wanted, folders).await?;

        let resolve = |folder: &FolderRef| {
            let chain = chains.chain_of(Some(folder.id))?;
            ResolvedFolder::of(chain)
        };
        Ok(wanted.iter().map(resolve).collect())
    }

    /// Returns the chain of a folder, which is empty for the root; `None` if one of its folders is
    /// missing.
    pub async fn chain(
        self,
        folder: Option<&FolderRef>,
    ) -> Result<Option<FolderChain>, ServiceError> {
        let chains = self.chains(folder).await?;
        Ok(chains.chain_of(folder.map(|folder| folder.id)))
    }

    /// Returns the chain of a file's folder as [`Folders::chain`] does. Fails with 404 if the file
    /// was deleted with one of the folders.
    pub async fn chain_of_file(self, file: &File) -> Result<Option<FolderChain>, ServiceError> {
        let chains = self.chains(&file.folder).await?;
        if chains.hide(file) {
            return Err(ServiceError::not_found());
        }
        Ok(chains.chain_of(file.folder_id()))
    }

    /// Fails with 422 on `field` if a folder or one of its ancestors was deleted with its contents.
    /// Makes no call unless such folders of the space are being purged.
    pub async fn require_not_deleted(
        self,
        field: &'static str,
        folder: Option<FolderId>,
    ) -> Result<(), ServiceError> {
        let Some(id) = folder.filter(|_| self.space.has_folder_purges()) else {
            return Ok(());
        };
        let ancestor_ids = Vec::new();
        let chains = self.chains(&[FolderRef { id, ancestor_ids }]).await?;
        if chains.is_deleted(folder) {
            return Err(FieldErrors::from((field, FieldError::InvalidSelection)).into());
        }
        Ok(())
    }

    /// Returns the chain down to a folder whose ancestors are not known.
    pub async fn get(self, id: FolderId) -> Result<Option<FolderChain>, ServiceError> {
        let folder = FolderRef {
            id,
            ancestor_ids: Vec::new(),
        };
        self.chain(Some(&folder)).await
    }
}
