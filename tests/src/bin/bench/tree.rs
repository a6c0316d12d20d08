//! The folders of the library: one with a tenth of all files, one with a constant number of files,
//! a binary tree of five levels, and one whose number of subfolders grows with the library.

use domain::folders::FolderRef;
use tests::TestSpace;

/// Number of folders on the lowest level of the tree.
pub(crate) const LEAVES: usize = 16;
/// Number of levels below the root of the tree. Each folder has two subfolders.
const LEVELS: usize = 4;
/// Minimum number of subfolders of the wide folder: more than one page.
const MIN_CHILDREN: usize = 60;
/// Number of files per subfolder of the wide folder, in large libraries.
const FILES_PER_CHILD: usize = 1_000;

pub(crate) struct Tree {
    /// Contains a tenth of all files.
    pub(crate) big: FolderRef,
    /// Temporary parent of the big folder while moves are measured.
    pub(crate) move_target: FolderRef,
    /// Contains the same number of files at every size.
    pub(crate) fixture: FolderRef,
    /// The lowest level of the tree.
    pub(crate) leaves: Vec<FolderRef>,
    /// Has many direct subfolders.
    pub(crate) wide: FolderRef,
    /// Subfolders of the wide folder.
    pub(crate) children: Vec<FolderRef>,
}

impl Tree {
    /// Creates all folders except the subfolders of the wide folder.
    pub(crate) async fn new(tenant: &TestSpace) -> Tree {
        let mut leaves = vec![create_folder(tenant, "Archive", None).await];
        for _ in 0..LEVELS {
            let mut next_level = Vec::new();
            for parent in &leaves {
                next_level.push(create_folder(tenant, "First half", Some(parent)).await);
                next_level.push(create_folder(tenant, "Second half", Some(parent)).await);
            }
            leaves = next_level;
        }

        assert_eq!(leaves.len(), LEAVES);

        Tree {
            big: create_folder(tenant, "Everything else", None).await,
            move_target: create_folder(tenant, "Move target", None).await,
            fixture: create_folder(tenant, "Constant size", None).await,
            leaves,
            wide: create_folder(tenant, "Projects", None).await,
            children: Vec::new(),
        }
    }

    /// Adds subfolders to the wide folder until there are enough for a library of `size` files.
    pub(crate) async fn grow(&mut self, tenant: &TestSpace, size: usize) {
        while self.children.len() < MIN_CHILDREN.max(size / FILES_PER_CHILD) {
            let name = format!("Project {}", self.children.len());
            self.children
                .push(create_folder(tenant, &name, Some(&self.wide)).await);
        }
    }
}

async fn create_folder(tenant: &TestSpace, name: &str, parent: Option<&FolderRef>) -> FolderRef {
    let parent_id = parent.map(|parent| parent.id.to_string());
    let folder = tenant.folder(name).inside_id(parent_id.as_deref()).await;

    FolderRef {
        id: folder.id.parse().expect("a folder id"),
        ancestor_ids: parent
            .map(|parent| parent.path_ids().collect())
            .unwrap_or_default(),
    }
}
