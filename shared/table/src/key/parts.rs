//! Partitions, and sort keys or their prefixes, as reads of several items need them.

use domain::{
    env::Timestamp,
    id::{FileId, FolderId, SpaceId, UserId},
    keys::KeyOwner,
    naming::{Reference, Tag},
};
use sha2::{Digest, Sha256};

use super::{FILES_IN_FOLDERS, FOLDERS, SPACES, SUBFOLDERS, TRASH};

/// Stands for the root in place of a folder id.
const ROOT: &str = "ROOT";

/// Returns the partition of everything that belongs to a space.
pub(crate) fn space_partition(id: SpaceId) -> String {
    format!("{SPACES}{id}")
}

/// Returns the partition of everything that belongs to a user.
pub(crate) fn user_partition(id: UserId) -> String {
    format!("USER#{id}")
}

/// Returns the partition in which the API keys of a space or a user are listed.
pub(crate) fn owner_partition(owner: KeyOwner) -> String {
    match owner {
        KeyOwner::User(id) => user_partition(id),
        KeyOwner::Space(id) => space_partition(id),
    }
}

/// Returns a partition of trashed files by the time of their purge.
pub(crate) fn trash_partition(shard: u8) -> String {
    format!("{TRASH}{shard:02}")
}

/// Returns a time as the beginning of a sort key.
pub(crate) fn trash_time(time: Timestamp) -> String {
    format!("{:015}", time.ms())
}

/// Returns the sort key of a folder.
pub(crate) fn folder_sort(id: FolderId) -> String {
    format!("{FOLDERS}{id}")
}

/// Returns the prefix of the sort keys of the direct children of a folder or of the root.
pub(crate) fn subfolders(parent: Option<FolderId>) -> String {
    format!("{SUBFOLDERS}{}#", folder_or_root(parent))
}

/// Returns the prefix of the index entries of the files directly in a folder or in the root.
pub(crate) fn files_in_folder(folder: Option<FolderId>) -> String {
    format!("{FILES_IN_FOLDERS}{}#", folder_or_root(folder))
}

/// Returns the prefix of the index entries of the files with a reference.
pub(crate) fn files_with_reference(reference: &Reference) -> String {
    format!("REFERENCE#{}#", digest(reference.as_str()))
}

/// Returns the prefix of the index entries of the files with a tag.
pub(crate) fn files_with_tag(tag: &Tag) -> String {
    format!("TAG#{}#", digest(tag.as_str()))
}

/// Returns the prefix of the index entries of the webhook messages of a file.
pub(crate) fn webhooks_of_file(file: FileId) -> String {
    format!("WEBHOOK_OF_FILE#{file}#")
}

/// Returns the prefix of the index entries of the files whose folded original name has this prefix.
pub(crate) fn files_with_name_prefix(prefix: &str) -> String {
    format!("ORIGINAL_NAME#{prefix}")
}

pub(super) fn folder_or_root(folder: Option<FolderId>) -> String {
    folder.map_or_else(|| ROOT.to_owned(), |id| id.to_string())
}

/// Returns the SHA-256 of a text in hex: a key part of bounded length.
pub(super) fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
