//! Folders: what files are kept in, one within another.

use serde::{Deserialize, Serialize};

use crate::{
    AccessControl, DeleteLock, FolderId, FolderName, MAX_FOLDER_DEPTH, Security, SpaceId, Timestamp,
};

/// The folder that something is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRef {
    /// The folder.
    pub id: FolderId,
    /// The folders around that one, from the top one down, as they were when this was written: a
    /// hint, by which all of them are read at once. What holds is each folder's own word of where
    /// it is.
    pub ancestor_ids: Vec<FolderId>,
}

impl FolderRef {
    /// The folders to read for what is in this one, from the top one down.
    pub fn path_ids(&self) -> impl Iterator<Item = FolderId> {
        self.ancestor_ids.iter().copied().chain([self.id])
    }
}

/// A folder's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Folder {
    /// Its id.
    pub id: FolderId,
    /// The space it belongs to.
    pub space_id: SpaceId,
    /// Its name.
    pub name: FolderName,
    /// The folder it is in; none, at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<FolderRef>,
    /// Who may see what is in it, where it says so itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_control: Option<AccessControl>,
    /// The watermark on what is in it, where it says so itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Security>,
    /// How many folders are in it: first those right in it, then those right in these, and so on to
    /// the deepest there can be.
    pub descendant_counts: Vec<u64>,
    /// By whom it is closed, where someone is about to delete it if it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_lock: Option<DeleteLock>,
    /// Number of changes of its access control.
    #[serde(default)]
    pub access_version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// How often its record was written: whoever changes it says which version they changed.
    pub version: u64,
}

impl Folder {
    /// A new folder, in another one or at the top.
    pub fn new(
        id: FolderId,
        space_id: SpaceId,
        name: FolderName,
        parent: Option<FolderRef>,
        now: Timestamp,
    ) -> Folder {
        Folder {
            id,
            space_id,
            name,
            parent,
            access_control: None,
            security: None,
            descendant_counts: vec![0; MAX_FOLDER_DEPTH - 1],
            delete_lock: None,
            access_version: 0,
            created_at: now,
            updated_at: now,
            version: 0,
        }
    }

    /// Raises `access_version` if access control or parent differ from those of the record before a
    /// change.
    pub fn bump_access_version(&mut self, before: &Folder) {
        if (self.access_control, self.parent_id()) != (before.access_control, before.parent_id()) {
            self.access_version = before.access_version + 1;
        }
    }

    /// The folder that it is in.
    pub fn parent_id(&self) -> Option<FolderId> {
        self.parent.as_ref().map(|parent| parent.id)
    }

    /// Whether there are folders in it.
    pub fn has_children(&self) -> bool {
        self.height() > 0
    }

    /// How many folders are within one another in it.
    pub fn height(&self) -> usize {
        self.descendant_counts
            .iter()
            .rposition(|count| *count > 0)
            .map_or(0, |deepest| deepest + 1)
    }

    /// Whether it takes nothing at this moment because it is being deleted.
    pub fn is_locked(&self, now: Timestamp) -> bool {
        self.delete_lock
            .as_ref()
            .is_some_and(|lock| now < lock.expires_at)
    }
}
