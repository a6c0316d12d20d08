//! Folders: created, changed, moved and deleted.
//!
//! Invariants:
//! - A folder's name is unique in its parent. `counts` keeps folders free of cycles and
//!   within their maximum depth.
//! - A folder that was deleted with its contents is in no parent and has no name. No transaction
//!   creates or moves a folder below it, or moves one away: the folders below it are its own until
//!   the purge has deleted them.

pub(crate) mod counts;
pub(crate) mod reads;

pub use reads::{DeliveryRecords, FolderSelection};

use domain::{
    env::Timestamp,
    folders::{Folder, FolderChain, FolderName},
    id::{FolderId, SpaceId},
    requests::Completion,
    spaces::Space,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    condition::{Condition, number, text},
    connection::FolderRecords,
    errors::{Reason, TableError, WriteError},
    folders::counts::AncestorChange,
    key::Key,
    spaces::record::SpaceLookup,
    transaction::Transaction,
};

/// Item of a folder's name, and of its place in its parent.
#[derive(Serialize, Deserialize)]
pub(crate) struct FolderEntry {
    pub(crate) id: FolderId,
}

/// A move of a folder to another parent.
#[derive(Clone, Copy, Debug)]
pub struct FolderRelocation<'a> {
    /// The folder as it was read.
    pub from: &'a Folder,
    /// The folder with its new parent.
    pub to: &'a Folder,
    /// The ancestors in the old place.
    pub old_ancestors: &'a FolderChain,
    /// The ancestors in the new place.
    pub new_ancestors: &'a FolderChain,
}

impl FolderRecords<'_> {
    /// Creates a folder below its ancestors. Fails with [`Reason::VersionConflict`] if the space is
    /// not the version that was read, and with [`Reason::NameTaken`] if the parent has a folder
    /// with this name.
    #[instrument(name = "create_folder", skip_all)]
    pub async fn create(
        self,
        folder: &Folder,
        ancestors: &FolderChain,
        space: &Space,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let entry = FolderEntry { id: folder.id };
        let lookup = SpaceLookup {
            space_id: folder.space_id,
        };
        let is_same_version = Condition::version(space.version);
        let change = AncestorChange {
            joined: ancestors,
            left: &FolderChain::default(),
        };

        let mut transaction = self.table.transaction();
        transaction.insert(name_key(folder), &entry, Reason::NameTaken);
        transaction.insert(record_key(folder), folder, Reason::IdTaken);
        transaction.insert(Key::folder_lookup(folder.id), &lookup, Reason::IdTaken);
        transaction.insert(subfolder_key(folder), &entry, Reason::IdTaken);
        transaction.check(
            Key::space(space.id),
            &is_same_version,
            Reason::VersionConflict,
        );
        transaction.update_ancestors(folder, change, self.table.env.now())?;
        transaction.commit_with(completion).await
    }

    /// Replaces a folder in the same place if it is still the version `from`. Returns the new
    /// version.
    #[instrument(name = "change_folder", skip_all)]
    pub async fn change(self, from: &Folder, to: &Folder) -> Result<u64, WriteError> {
        let to = &next_version(from, to);

        let mut transaction = self.table.transaction();
        transaction.replace_folder(from, to);
        transaction.commit().await?;
        Ok(to.version)
    }

    /// Moves a folder to another parent if it is still the version `from`. Returns the new version.
    #[instrument(name = "move_folder", skip_all)]
    pub async fn relocate(self, relocation: FolderRelocation<'_>) -> Result<u64, WriteError> {
        let from = relocation.from;
        let to = &next_version(from, relocation.to);
        let change = AncestorChange {
            joined: relocation.new_ancestors,
            left: relocation.old_ancestors,
        };

        let mut transaction = self.table.transaction();
        transaction.replace_folder(from, to);
        transaction.delete(subfolder_key(from));
        transaction.put(subfolder_key(to), &FolderEntry { id: to.id });
        transaction.update_ancestors(to, change, self.table.env.now())?;
        transaction.commit().await?;
        Ok(to.version)
    }

    /// Deletes a folder without child folders if it is still this version.
    #[instrument(name = "remove_folder", skip_all)]
    pub async fn remove(self, folder: &Folder, ancestors: &FolderChain) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        transaction.delete_version(record_key(folder), folder.version);
        transaction.remove_from_parent(folder, ancestors, self.table.env.now())?;
        transaction.commit().await
    }

    /// Marks a folder as deleted with its contents if it is still this version, and counts its
    /// purge. Fails with [`Reason::SpaceDeleted`] if the space was deleted.
    #[instrument(name = "mark_folder_deleted", skip_all)]
    pub async fn mark_deleted(
        self,
        folder: &Folder,
        ancestors: &FolderChain,
    ) -> Result<(), WriteError> {
        let now = self.table.env.now();
        let deleted = Folder {
            deleted_at: Some(now),
            ..next_version(folder, folder)
        };

        let mut transaction = self.table.transaction();
        transaction.replace(record_key(folder), &deleted, folder.version);
        transaction.remove_from_parent(folder, ancestors, now)?;
        transaction.add_to_folder_purges(folder.space_id, 1);
        transaction.commit().await
    }

    /// Deletes the record of a folder that was deleted with its contents, after their purge, if it
    /// is still this version. Fails with [`Reason::SpaceDeleted`] if the space was deleted.
    #[instrument(name = "end_folder_purge", skip_all)]
    pub async fn end_purge(self, folder: &Folder) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        transaction.delete_version(record_key(folder), folder.version);
        transaction.add_to_folder_purges(folder.space_id, -1);
        transaction.commit().await
    }

    /// Returns the id of the folder with a name in a parent or in the root.
    #[instrument(name = "folder_named", skip_all)]
    pub async fn named(
        self,
        space: SpaceId,
        parent: Option<FolderId>,
        name: &FolderName,
    ) -> Result<Option<FolderId>, TableError> {
        let entry: Option<FolderEntry> = self
            .table
            .get(Key::folder_name(space, parent, name))
            .await?;
        Ok(entry.map(|entry| entry.id))
    }
}

impl Transaction<'_> {
    /// Deletes the name, the lookup and the entry of a folder in its parent, and uncounts it in its
    /// ancestors.
    fn remove_from_parent(
        &mut self,
        folder: &Folder,
        ancestors: &FolderChain,
        now: Timestamp,
    ) -> Result<(), WriteError> {
        let is_of_folder = Condition::equals("id", text(folder.id));
        let is_in_space = Condition::equals("space_id", text(folder.space_id));
        let lookup = Key::folder_lookup(folder.id);
        let change = AncestorChange {
            joined: &FolderChain::default(),
            left: ancestors,
        };

        self.delete_if(name_key(folder), &is_of_folder, Reason::VersionConflict);
        self.delete_if(lookup, &is_in_space, Reason::VersionConflict);
        self.delete(subfolder_key(folder));
        self.update_ancestors(folder, change, now)
    }

    /// Adds to the number of folders of a space that are being purged.
    fn add_to_folder_purges(&mut self, space: SpaceId, added: i64) {
        let is_not_deleted = Condition::exists()
            .and("attribute_not_exists(#deleted_at)")
            .name("deleted_at", "deleted_at")
            .name("purges", "folder_purges")
            .name("version", "version")
            .value("added", number(added))
            .value("one", number(1));
        let update = "ADD #purges :added, #version :one";
        self.update(
            Key::space(space),
            update,
            &is_not_deleted,
            Reason::SpaceDeleted,
        );
    }

    /// Replaces a folder if it is still the version `from`. Changes the owner of its name if name
    /// or parent changed.
    fn replace_folder(&mut self, from: &Folder, to: &Folder) {
        let old_name = name_key(from);
        let new_name = name_key(to);

        if old_name != new_name {
            let is_of_folder = Condition::equals("id", text(from.id));
            self.insert(new_name, &FolderEntry { id: to.id }, Reason::NameTaken);
            self.delete_if(old_name, &is_of_folder, Reason::VersionConflict);
        }
        self.replace(record_key(from), to, from.version);
    }
}

fn next_version(from: &Folder, to: &Folder) -> Folder {
    Folder {
        version: from.version + 1,
        ..to.clone()
    }
}

fn record_key(folder: &Folder) -> Key {
    Key::folder(folder.space_id, folder.id)
}

fn name_key(folder: &Folder) -> Key {
    Key::folder_name(folder.space_id, folder.parent_id(), &folder.name)
}

fn subfolder_key(folder: &Folder) -> Key {
    Key::subfolder(folder.space_id, folder.parent_id(), folder.id)
}

/// Holds if a folder exists and was not deleted with its contents.
pub(crate) fn existing_folder() -> Condition {
    Condition::exists()
        .and("attribute_not_exists(#deleted_at)")
        .name("deleted_at", "deleted_at")
}

/// Holds if a folder exists and is neither deleted nor locked for deletion.
pub(crate) fn unlocked_folder(now: Timestamp) -> Condition {
    existing_folder()
        .and("(attribute_not_exists(#lock) OR #lock.#expires_at <= :now)")
        .name("lock", "delete_lock")
        .name("expires_at", "expires_at")
        .value("now", number(now.ms()))
}
