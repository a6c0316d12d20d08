//! Folder records and references to folders.

use serde::{Deserialize, Serialize};

use crate::{
    env::Timestamp,
    folders::{FolderName, MAX_FOLDER_DEPTH},
    id::{FolderId, SpaceId},
    settings::{AccessControl, DeleteLock, FolderSecurity, StoredWatermark},
};

/// Reference to the folder that contains a file or a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRef {
    /// Id of the folder.
    pub id: FolderId,
    /// Ids of the folder's ancestors when the reference was written, root first. Only a hint for
    /// reading the chain in one batch: the truth is each folder's own `parent`.
    pub ancestor_ids: Vec<FolderId>,
}

impl FolderRef {
    /// Returns the ids from the root down to the folder itself.
    pub fn path_ids(&self) -> impl Iterator<Item = FolderId> {
        self.ancestor_ids.iter().copied().chain([self.id])
    }
}

/// Stored record of a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Folder {
    /// Id of the folder.
    pub id: FolderId,
    /// Space of the folder.
    pub space_id: SpaceId,
    /// Name, unique in the parent folder.
    pub name: FolderName,
    /// Parent folder; `None` at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<FolderRef>,
    /// Access control for its contents; `None` inherits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_control: Option<AccessControl>,
    /// Security settings for its contents.
    #[serde(default)]
    pub security: FolderSecurity,
    /// Stored copy of its watermark; `None` unless its settings enable one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_watermark: Option<StoredWatermark>,
    /// Number of descendant folders per level: children first, then grandchildren, down to the
    /// maximum depth.
    pub descendant_counts: Vec<u64>,
    /// Lock of a deletion in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_lock: Option<DeleteLock>,
    /// Time of its deletion with all of its contents. Absent from the item until then, since
    /// conditions test whether the attribute exists. The record remains until the purge of the
    /// contents has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Number of changes to its access control or parent.
    #[serde(default)]
    pub access_version: u64,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Number of writes, for optimistic locking.
    pub version: u64,
}

impl Folder {
    /// Creates a folder at the root, without access control and security settings.
    pub fn at_root(id: FolderId, space_id: SpaceId, name: FolderName, now: Timestamp) -> Folder {
        Folder {
            id,
            space_id,
            name,
            parent: None,
            access_control: None,
            security: FolderSecurity::default(),
            stored_watermark: None,
            descendant_counts: vec![0; MAX_FOLDER_DEPTH - 1],
            delete_lock: None,
            deleted_at: None,
            access_version: 0,
            created_at: now,
            updated_at: now,
            version: 0,
        }
    }

    /// Increments `access_version` if the access control or the parent differ from `before`.
    pub fn bump_access_version(&mut self, before: &Folder) {
        if (self.access_control, self.parent_id()) != (before.access_control, before.parent_id()) {
            self.access_version = before.access_version + 1;
        }
    }

    /// Returns the id of the parent folder; `None` at the root.
    pub fn parent_id(&self) -> Option<FolderId> {
        self.parent.as_ref().map(|parent| parent.id)
    }

    /// Whether it contains folders.
    pub fn has_children(&self) -> bool {
        self.height() > 0
    }

    /// Returns the number of levels of folders below it.
    pub fn height(&self) -> usize {
        self.descendant_counts
            .iter()
            .rposition(|count| *count > 0)
            .map_or(0, |deepest| deepest + 1)
    }

    /// Whether it rejects new content because a deletion is in progress.
    pub fn is_locked(&self, now: Timestamp) -> bool {
        self.delete_lock
            .as_ref()
            .is_some_and(|lock| now < lock.expires_at)
    }
}
