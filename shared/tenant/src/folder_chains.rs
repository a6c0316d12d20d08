//! The folders around files and folders, read for many of them at once.

use std::collections::HashMap;

use domain::{
    Folder, FolderChain, FolderId, FolderRef, MAX_FOLDER_DEPTH, Resolution, ServiceError,
};

use crate::{SpaceScope, caches::AncestorCache, folders::ResolvedFolder};

/// Times that folders are read which others keep moving: each time they are deeper, or known.
const READS: usize = 2 * MAX_FOLDER_DEPTH;

/// Folders of a space that were read, with all that are around them.
#[derive(Clone, Debug, Default)]
pub struct FolderChains(HashMap<FolderId, Option<Folder>>);

impl FolderChains {
    /// The chain of what is right in a folder, or in none; `None` where a folder of it is missing.
    pub fn around(&self, folder: Option<FolderId>) -> Option<FolderChain> {
        match FolderChain::resolve(folder, &self.0) {
            Resolution::Complete(chain) => Some(chain),
            Resolution::Missing(_) | Resolution::Orphaned => None,
        }
    }

    /// Reads the folders around all that is in some; those that were read before are not read
    /// again.
    async fn read(
        space: &SpaceScope,
        wanted: &[FolderRef],
        known: Vec<Folder>,
    ) -> Result<FolderChains, ServiceError> {
        let chains = FolderChains::read_once(space, wanted, known).await?;
        let is_broken = |folder: &FolderRef| {
            matches!(chains.0.get(&folder.id), Some(Some(_)))
                && chains.around(Some(folder.id)).is_none()
        };
        if wanted.iter().any(is_broken) {
            // What is read bit by bit, while others move it, may look as it never was.
            return FolderChains::read_once(space, wanted, Vec::new()).await;
        }
        Ok(chains)
    }

    async fn read_once(
        space: &SpaceScope,
        wanted: &[FolderRef],
        known: Vec<Folder>,
    ) -> Result<FolderChains, ServiceError> {
        let mut chains = FolderChains(
            known
                .into_iter()
                .map(|folder| (folder.id, Some(folder)))
                .collect(),
        );
        let hinted = |folder: &FolderRef| {
            let hint = space.hints.get(&folder.id).unwrap_or_default();
            folder.path_ids().chain(hint).collect::<Vec<_>>()
        };
        let mut needs: Vec<FolderId> = wanted.iter().flat_map(hinted).collect();
        for read in 0..READS {
            needs.sort_unstable();
            needs.dedup();
            needs.retain(|id| !chains.0.contains_key(id));
            if needs.is_empty() {
                // More than one read shows that hints were old.
                if read > 1 {
                    chains.note(wanted, &space.hints);
                }
                return Ok(chains);
            }
            chains
                .0
                .extend(space.table.folders(space.record.id, &needs).await?);
            let linked = wanted
                .iter()
                .map(|folder| FolderChain::resolve(Some(folder.id), &chains.0));
            needs = linked
                .flat_map(|linked| {
                    if let Resolution::Missing(ids) = linked {
                        ids
                    } else {
                        Vec::new()
                    }
                })
                .collect();
        }
        Err(ServiceError::contended("others kept moving the folders"))
    }

    fn note(&self, wanted: &[FolderRef], hints: &AncestorCache) {
        for folder in wanted {
            if let Some(found) = self
                .around(Some(folder.id))
                .and_then(|chain| chain.leaf_ref())
            {
                hints.note(found.id, found.ancestor_ids);
            }
        }
    }
}

impl SpaceScope {
    /// The folders around all that is in these.
    pub async fn folder_chains<'a>(
        &self,
        folders: impl IntoIterator<Item = &'a FolderRef>,
    ) -> Result<FolderChains, ServiceError> {
        let wanted: Vec<FolderRef> = folders.into_iter().cloned().collect();
        FolderChains::read(self, &wanted, Vec::new()).await
    }

    /// These folders with all that are around them; those of which one is missing leave gaps.
    pub(crate) async fn with_chains(
        &self,
        folders: Vec<Folder>,
    ) -> Result<Vec<Option<ResolvedFolder>>, ServiceError> {
        let place = |folder: &Folder| FolderRef {
            id: folder.id,
            ancestor_ids: folder.parent.iter().flat_map(FolderRef::path_ids).collect(),
        };
        let wanted: Vec<FolderRef> = folders.iter().map(place).collect();
        let chains = FolderChains::read(self, &wanted, folders).await?;
        Ok(wanted
            .iter()
            .map(|folder| chains.around(Some(folder.id)).and_then(ResolvedFolder::of))
            .collect())
    }

    /// Whether there is a folder.
    pub async fn has_folder(&self, id: FolderId) -> Result<bool, ServiceError> {
        Ok(self
            .table
            .folders(self.record.id, &[id])
            .await?
            .values()
            .any(Option::is_some))
    }

    /// The chain of what is right in a folder, or in none; `None` where a folder of it is missing.
    pub async fn folder_chain(
        &self,
        folder: Option<&FolderRef>,
    ) -> Result<Option<FolderChain>, ServiceError> {
        let chains = self.folder_chains(folder).await?;
        Ok(chains.around(folder.map(|folder| folder.id)))
    }

    /// The same of a folder of which only the id is known.
    pub async fn folder(&self, id: FolderId) -> Result<Option<FolderChain>, ServiceError> {
        self.folder_chain(Some(&FolderRef {
            id,
            ancestor_ids: Vec::new(),
        }))
        .await
    }
}
