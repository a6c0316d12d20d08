//! The chain of folders from the root down to a leaf: the folder of a file, or a folder itself.
//!
//! Invariant: a [`FolderChain`] follows the `parent` of each folder, from the leaf up to the root.
//! `ancestor_ids` only decide which folders to read.

use std::collections::HashMap;

use crate::{
    folders::{Folder, FolderRef, MAX_FOLDER_DEPTH},
    id::FolderId,
    naming::slug,
};

/// Folders from the root down to the leaf, each the parent of the next. Empty at the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderChain(Vec<Folder>);

#[derive(Debug)]
pub enum Resolution {
    /// All folders were read.
    Complete(FolderChain),
    /// These folders have to be read too.
    Missing(Vec<FolderId>),
    /// A folder does not exist, or the chain exceeds the maximum depth.
    Orphaned,
    /// A folder was deleted with its contents, which no longer exist for requests.
    Deleted,
}

impl FolderChain {
    /// Builds the chain of `leaf` from the folders that were read. `read` maps a folder that does
    /// not exist to `None`.
    pub fn resolve(leaf: Option<FolderId>, read: &HashMap<FolderId, Option<Folder>>) -> Resolution {
        let mut chain: Vec<Folder> = Vec::new();
        let mut next = leaf;

        while let Some(id) = next {
            if chain.len() == MAX_FOLDER_DEPTH {
                return Resolution::Orphaned;
            }
            match read.get(&id) {
                Some(Some(folder)) if folder.deleted_at.is_some() => return Resolution::Deleted,
                Some(Some(folder)) => {
                    next = folder.parent_id();
                    chain.push(folder.clone());
                }
                Some(None) => return Resolution::Orphaned,
                None => {
                    let hint = chain.last().and_then(|below| below.parent.as_ref());
                    return Resolution::Missing(
                        hint.map_or_else(|| vec![id], |parent| parent.path_ids().collect()),
                    );
                }
            }
        }

        chain.reverse();

        Resolution::Complete(FolderChain(chain))
    }

    /// Appends a child of the leaf.
    #[must_use]
    pub fn with_leaf(mut self, folder: Folder) -> FolderChain {
        self.0.push(folder);
        self
    }

    #[must_use]
    pub fn without_leaf(mut self) -> FolderChain {
        self.0.pop();
        self
    }

    /// Returns the folders, root first.
    pub fn folders(&self) -> &[Folder] {
        &self.0
    }

    /// Returns the last folder.
    pub fn leaf(&self) -> Option<&Folder> {
        self.0.last()
    }

    /// Returns the number of folders.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether the folder is part of the chain.
    pub fn contains(&self, id: FolderId) -> bool {
        self.0.iter().any(|folder| folder.id == id)
    }

    /// Returns a reference to the leaf.
    pub fn leaf_ref(&self) -> Option<FolderRef> {
        let (leaf, ancestors) = self.0.split_last()?;
        Some(FolderRef {
            id: leaf.id,
            ancestor_ids: ancestors.iter().map(|folder| folder.id).collect(),
        })
    }

    /// Returns the names as `photos/vacation/`; `None` for an empty chain.
    pub fn path(&self) -> Option<String> {
        let path: String = self
            .0
            .iter()
            .flat_map(|folder| [folder.name.as_str(), "/"])
            .collect();
        Some(path).filter(|path| !path.is_empty())
    }

    /// Returns the path in characters that need no URL encoding: the slug of each name, or the
    /// folder's id where the slug is empty, followed by a slash.
    pub fn slug_path(&self) -> String {
        let segment = |folder: &Folder| match slug(folder.name.as_str()) {
            slug if slug.is_empty() => folder.id.to_string(),
            slug => slug,
        };
        self.0
            .iter()
            .flat_map(|folder| [segment(folder), "/".to_owned()])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        env::{Timestamp, random::tests::counting},
        folders::FolderName,
        id::SpaceId,
    };

    fn folder(id: FolderId, name: &str, parent: Option<FolderRef>) -> Folder {
        let name = FolderName::parse(name).expect("a name");
        Folder {
            parent,
            ..Folder::at_root(id, SpaceId::MIN, name, Timestamp::from_ms(0))
        }
    }

    fn reference(path: &[FolderId]) -> Option<FolderRef> {
        let (id, ancestors) = path.split_last()?;
        Some(FolderRef {
            id: *id,
            ancestor_ids: ancestors.to_vec(),
        })
    }

    fn read(folders: &[&Folder]) -> HashMap<FolderId, Option<Folder>> {
        folders
            .iter()
            .map(|folder| (folder.id, Some((*folder).clone())))
            .collect()
    }

    #[test]
    fn chain_follows_parents_and_ancestor_ids_decide_what_to_read() {
        let env = counting();
        let [a, b, c, x] = [(); 4].map(|()| FolderId::new(&env));
        let top = folder(a, "A", None);
        let middle = folder(b, "B b", reference(&[a]));
        let inner = folder(c, "日本", reference(&[a, b]));
        let Resolution::Complete(chain) =
            FolderChain::resolve(Some(c), &read(&[&inner, &top, &middle]))
        else {
            panic!("all folders were read")
        };
        assert_eq!(chain.path().as_deref(), Some("A/B b/日本/"));
        assert_eq!(chain.slug_path(), "a/b-b/ri-ben/");
        assert_eq!(chain.leaf_ref(), reference(&[a, b, c]));

        // The middle folder was moved: the inner folder's hint is stale, its own is current.
        let moved = folder(b, "B b", reference(&[x, a]));
        let Resolution::Missing(missing) = FolderChain::resolve(Some(c), &read(&[&inner, &moved]))
        else {
            panic!("a folder is missing")
        };
        assert_eq!(missing, [x, a]);

        let deleted = Folder {
            deleted_at: Some(Timestamp::from_ms(1)),
            ..middle.clone()
        };
        assert!(matches!(
            FolderChain::resolve(Some(c), &read(&[&inner, &deleted])),
            Resolution::Deleted
        ));

        let mut gone = read(&[&inner, &middle]);
        gone.insert(a, None);
        assert!(matches!(
            FolderChain::resolve(Some(c), &gone),
            Resolution::Orphaned
        ));
        assert!(
            matches!(FolderChain::resolve(None, &gone), Resolution::Complete(chain) if chain.path().is_none())
        );
    }

    #[test]
    fn cyclic_folders_are_orphaned() {
        let env = counting();
        let [a, b] = [(); 2].map(|()| FolderId::new(&env));
        let circle = read(&[
            &folder(a, "a", reference(&[b])),
            &folder(b, "b", reference(&[a])),
        ]);
        assert!(matches!(
            FolderChain::resolve(Some(a), &circle),
            Resolution::Orphaned
        ));
    }
}
