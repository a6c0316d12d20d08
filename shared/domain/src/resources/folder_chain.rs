//! The folders around a file or a folder.
//!
//! Invariant: a [`FolderChain`] is linked by each folder's own word of where it is, from the
//! innermost up to one at the top; hints only say what to read.

use std::collections::HashMap;

use crate::{Folder, FolderId, FolderRef, MAX_FOLDER_DEPTH, naming::stored_name::slug};

/// Folders, each one in the one before it, the first one at the top. Empty for what is in no
/// folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderChain(Vec<Folder>);

/// What came of linking folders that were read.
#[derive(Debug)]
pub enum Resolution {
    /// They are linked.
    Complete(FolderChain),
    /// These have to be read too.
    Missing(Vec<FolderId>),
    /// One of them is not there, or they are deeper than folders can be.
    Orphaned,
}

impl FolderChain {
    /// Links folders from the innermost one up. `read` has every folder that was looked for, and
    /// nothing for one that is not there.
    pub fn resolve(leaf: Option<FolderId>, read: &HashMap<FolderId, Option<Folder>>) -> Resolution {
        let mut chain: Vec<Folder> = Vec::new();
        let mut next = leaf;
        while let Some(id) = next {
            if chain.len() == MAX_FOLDER_DEPTH {
                return Resolution::Orphaned;
            }
            match read.get(&id) {
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

    /// The chain of what is right in a new folder in the last one.
    #[must_use]
    pub fn with_leaf(mut self, folder: Folder) -> FolderChain {
        self.0.push(folder);
        self
    }

    /// The chain of what the last one is in.
    #[must_use]
    pub fn without_leaf(mut self) -> FolderChain {
        self.0.pop();
        self
    }

    /// The folders, from the top one down.
    pub fn folders(&self) -> &[Folder] {
        &self.0
    }

    /// The last one; none, where there are none.
    pub fn leaf(&self) -> Option<&Folder> {
        self.0.last()
    }

    /// How many there are.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether a folder is one of them.
    pub fn contains(&self, id: FolderId) -> bool {
        self.0.iter().any(|folder| folder.id == id)
    }

    /// What something says that is right in the last one.
    pub fn leaf_ref(&self) -> Option<FolderRef> {
        let (leaf, ancestors) = self.0.split_last()?;
        Some(FolderRef {
            id: leaf.id,
            ancestor_ids: ancestors.iter().map(|folder| folder.id).collect(),
        })
    }

    /// The path: `photos/vacation/`; none, where there are no folders.
    pub fn path(&self) -> Option<String> {
        let path: String = self
            .0
            .iter()
            .flat_map(|folder| [folder.name.as_str(), "/"])
            .collect();
        Some(path).filter(|path| !path.is_empty())
    }

    /// The path in letters that no encoding changes, each name with a slash behind it; a name that
    /// has none of them is replaced by its folder's id.
    pub fn slug_path(&self) -> String {
        let slug = |folder: &Folder| match slug(folder.name.as_str()) {
            slug if slug.is_empty() => folder.id.to_string(),
            slug => slug,
        };
        self.0
            .iter()
            .flat_map(|folder| [slug(folder), "/".to_owned()])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FolderName, SpaceId, Timestamp, env::random::tests::counting};

    fn folder(id: FolderId, name: &str, parent: Option<FolderRef>) -> Folder {
        let name = FolderName::parse(name).expect("a name");
        Folder::new(id, SpaceId::MIN, name, parent, Timestamp::from_ms(0))
    }

    fn within(above: &[FolderId]) -> Option<FolderRef> {
        let (id, above) = above.split_last()?;
        Some(FolderRef {
            id: *id,
            ancestor_ids: above.to_vec(),
        })
    }

    fn read(folders: &[&Folder]) -> HashMap<FolderId, Option<Folder>> {
        folders
            .iter()
            .map(|folder| (folder.id, Some((*folder).clone())))
            .collect()
    }

    #[test]
    fn folders_are_linked_by_their_own_word_and_hints_say_what_to_read() {
        let env = counting();
        let [a, b, c, x] = [(); 4].map(|()| FolderId::new(&env));
        let (top, middle) = (folder(a, "A", None), folder(b, "B b", within(&[a])));
        let inner = folder(c, "日本", within(&[a, b]));
        let Resolution::Complete(chain) =
            FolderChain::resolve(Some(c), &read(&[&inner, &top, &middle]))
        else {
            panic!("all of them are there")
        };
        assert_eq!(chain.path().as_deref(), Some("A/B b/日本/"));
        assert_eq!(chain.slug_path(), "a/b-b/ri-ben/");
        assert_eq!(chain.leaf_ref(), within(&[a, b, c]));
        // The middle one was moved: the hint of the inner one is old, the middle one's own is not.
        let moved = folder(b, "B b", within(&[x, a]));
        let Resolution::Missing(needs) = FolderChain::resolve(Some(c), &read(&[&inner, &moved]))
        else {
            panic!("something is missing")
        };
        assert_eq!(needs, [x, a]);
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
    fn folders_in_a_circle_are_broken() {
        let env = counting();
        let [a, b] = [(); 2].map(|()| FolderId::new(&env));
        let circle = read(&[&folder(a, "a", within(&[b])), &folder(b, "b", within(&[a]))]);
        assert!(matches!(
            FolderChain::resolve(Some(a), &circle),
            Resolution::Orphaned
        ));
    }
}
