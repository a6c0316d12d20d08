//! The folders of the library: one that holds a tenth of its files, one that holds always the same,
//! a tree of five levels, and a wide one whose folders grow in number with the library.

use domain::{FolderId, FolderRef};
use serde_json::json;
use tests::Tenant;

/// Folders on the lowest level of the tree.
pub(crate) const LEAVES: usize = 16;
/// Levels of the tree below its top; each folder of one has two on the next.
const LEVELS: usize = 4;
/// Fewest folders in the wide one: more than a page shows.
const LEAST_CHILDREN: usize = 60;
/// Files for each folder in the wide one, once there are many.
const FILES_OF_CHILD: usize = 1_000;

/// The folders.
pub(crate) struct Tree {
    /// Holds a tenth of all files.
    pub(crate) big: FolderRef,
    /// Where that one is moved to, and back from.
    pub(crate) aside: FolderRef,
    /// Holds as many files in a small library as in a large one.
    pub(crate) fixture: FolderRef,
    /// The lowest level of the tree.
    pub(crate) leaves: Vec<FolderRef>,
    /// Has many folders right in it.
    pub(crate) wide: FolderRef,
    /// Those.
    pub(crate) children: Vec<FolderRef>,
}

impl Tree {
    /// Makes all but the folders of the wide one.
    pub(crate) async fn new(tenant: &Tenant) -> Tree {
        let mut leaves = vec![folder(tenant, "Archive", None).await];
        for _ in 0..LEVELS {
            let mut below = Vec::new();
            for outer in &leaves {
                below.push(folder(tenant, "First half", Some(outer)).await);
                below.push(folder(tenant, "Second half", Some(outer)).await);
            }
            leaves = below;
        }

        assert_eq!(leaves.len(), LEAVES);

        Tree {
            big: folder(tenant, "Everything else", None).await,
            aside: folder(tenant, "Aside", None).await,
            fixture: folder(tenant, "Shelf", None).await,
            leaves,
            wide: folder(tenant, "Projects", None).await,
            children: Vec::new(),
        }
    }

    /// Makes as many folders in the wide one as a library of this size has.
    pub(crate) async fn grow(&mut self, tenant: &Tenant, size: usize) {
        while self.children.len() < LEAST_CHILDREN.max(size / FILES_OF_CHILD) {
            let name = format!("Project {}", self.children.len());
            self.children
                .push(folder(tenant, &name, Some(&self.wide)).await);
        }
    }
}

async fn folder(tenant: &Tenant, name: &str, outer: Option<&FolderRef>) -> FolderRef {
    let body =
        json!({"name": name, "space_id": tenant.id, "parent_id": outer.map(|outer| outer.id)});
    let made = tenant.client.post("/folders", body).await.expect_created();
    let id: FolderId = made["id"]
        .as_str()
        .and_then(|id| id.parse().ok())
        .expect("an id");
    FolderRef {
        id,
        ancestor_ids: outer
            .map(|outer| outer.path_ids().collect())
            .unwrap_or_default(),
    }
}
