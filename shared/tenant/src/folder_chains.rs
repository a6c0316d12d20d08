//! The folders around files and folders, read for many of them at once.

use std::collections::HashMap;

use domain::{FOLDER_DEPTH, Fault, Folder, FolderChain, FolderId, InFolder, Linked, SpaceId};
use table::Table;

use crate::Space;

/// Times that folders are read which others keep moving: each time they are deeper, or known.
const READS: usize = 2 * FOLDER_DEPTH;

/// Folders of a space that were read, with all that are around them.
#[derive(Clone, Debug, Default)]
pub struct FolderChains(HashMap<FolderId, Option<Folder>>);

impl FolderChains {
    /// The chain of what is right in a folder, or in none; `None` where a folder of it is missing.
    pub fn around(&self, folder: Option<FolderId>) -> Option<FolderChain> {
        match FolderChain::link(folder, &self.0) {
            Linked::Whole(chain) => Some(chain),
            Linked::Needs(_) | Linked::Broken => None,
        }
    }

    async fn read(table: &Table, space: SpaceId, wanted: &[InFolder]) -> Result<FolderChains, Fault> {
        let mut chains = FolderChains::default();
        let mut needs: Vec<FolderId> = wanted.iter().flat_map(InFolder::chain).collect();
        for _ in 0..READS {
            needs.sort_unstable();
            needs.dedup();
            needs.retain(|id| !chains.0.contains_key(id));
            if needs.is_empty() {
                return Ok(chains);
            }
            chains.0.extend(table.folders(space, &needs).await?);
            needs = wanted
                .iter()
                .flat_map(|folder| match FolderChain::link(Some(folder.id), &chains.0) {
                    Linked::Needs(ids) => ids,
                    Linked::Whole(_) | Linked::Broken => Vec::new(),
                })
                .collect();
        }
        Err(Fault::unavailable("others kept moving the folders"))
    }
}

impl Space {
    /// The folders around all that is in these.
    pub async fn folder_chains<'a>(
        &self,
        folders: impl IntoIterator<Item = &'a InFolder>,
    ) -> Result<FolderChains, Fault> {
        let wanted: Vec<InFolder> = folders.into_iter().cloned().collect();
        FolderChains::read(&self.table, self.record.id, &wanted).await
    }

    /// The chain of what is right in a folder, or in none; `None` where a folder of it is missing.
    pub async fn folder_chain(&self, folder: Option<&InFolder>) -> Result<Option<FolderChain>, Fault> {
        let chains = self.folder_chains(folder).await?;
        Ok(chains.around(folder.map(|folder| folder.id)))
    }

    /// The same of a folder of which only the id is known.
    pub async fn folder(&self, id: FolderId) -> Result<Option<FolderChain>, Fault> {
        self.folder_chain(Some(&InFolder { id, above: Vec::new() })).await
    }
}
