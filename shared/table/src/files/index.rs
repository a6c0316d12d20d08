//! Index entries that files are found by: folder, reference, tags, and original name; of trashed
//! files, that they are, and when they are purged.
//!
//! Invariants:
//! - An entry holds the id of its file. Readers skip an entry whose file is absent or no longer
//!   matches it.
//! - The entry of the folder is written and deleted in the file's transaction, because it decides
//!   whether a folder is empty.
//! - The other entries are part of that transaction if they fit. Otherwise they are written before
//!   the file and deleted after it, so every existing file is found.

use domain::{
    files::{File, Trash},
    id::{FileId, SpaceId},
    settings::FileStatus,
};
use serde::{Deserialize, Serialize};

use crate::{
    connection::FileRecords,
    key::Key,
    key::{
        NAME_END, TRASHED_FILES, files_in_folder, files_with_name_prefix, files_with_reference,
        files_with_tag,
    },
    transaction::Transaction,
    write::Keyed,
};

/// Maximum characters of a folded name in a key: search prefixes are rarely longer, and DynamoDB
/// limits sort keys to 1,024 bytes.
pub(crate) const NAME_PREFIX_CHARACTERS: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) id: FileId,
    /// The name prefix in the key of an entry by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The space of the file in an entry by the time of the purge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) space_id: Option<SpaceId>,
}

/// Returns the prefix of a file's folded name that its index entry contains.
pub(crate) fn name_prefix(file: &File) -> String {
    file.original_name
        .folded()
        .chars()
        .take(NAME_PREFIX_CHARACTERS)
        .collect()
}

/// Returns the sort key of an entry by name.
fn name_sort(prefix: &str, id: FileId) -> String {
    format!("{}{NAME_END}{id}", files_with_name_prefix(prefix))
}

/// Returns the entry of a file with a sort key prefix.
fn entry(file: &File, prefix: &str) -> Keyed<FileEntry> {
    Keyed {
        key: Key::in_space(file.space_id, format!("{prefix}{}", file.id)),
        record: FileEntry {
            id: file.id,
            name: None,
            space_id: None,
        },
    }
}

/// Returns the entry of a file's folder.
pub(crate) fn folder_entry(file: &File) -> Keyed<FileEntry> {
    entry(file, &files_in_folder(file.folder_id()))
}

/// Returns the entry of a file's reference, if it has one.
pub(crate) fn reference_entry(file: &File) -> Option<Keyed<FileEntry>> {
    let reference = file.reference.as_ref()?;
    Some(entry(file, &files_with_reference(reference)))
}

/// Returns the entries of a file except that of its folder, which trashed files do not have. Only
/// active files have an entry by reference: anyone may create pending ones, and a search for the
/// newest active file would have to skip all of them.
pub(crate) fn entries(file: &File) -> Vec<Keyed<FileEntry>> {
    if let Some(trash) = file.trash {
        return trash_entries(file, trash).into();
    }

    let name = name_prefix(file);
    let name_entry = Keyed {
        key: Key::in_space(file.space_id, name_sort(&name, file.id)),
        record: FileEntry {
            id: file.id,
            name: Some(name),
            space_id: None,
        },
    };

    let mut entries = vec![name_entry];
    for tag in &file.tags {
        entries.push(entry(file, &files_with_tag(tag)));
    }
    if file.status == FileStatus::Active {
        entries.extend(reference_entry(file));
    }
    entries
}

/// Returns the entries of a trashed file.
fn trash_entries(file: &File, trash: Trash) -> [Keyed<FileEntry>; 2] {
    let purged = Keyed {
        key: Key::trash(file.space_id, file.id, trash.purge_at),
        record: FileEntry {
            id: file.id,
            name: None,
            space_id: Some(file.space_id),
        },
    };
    [entry(file, TRASHED_FILES), purged]
}

impl Transaction<'_> {
    /// Deletes the entries that a changed file no longer has, and writes its new ones.
    pub(crate) fn change_entries(&mut self, from: &File, to: &File) {
        let all_entries = |file: &File| {
            let mut all = entries(file);
            if file.status != FileStatus::Trashed {
                all.push(folder_entry(file));
            }
            all
        };
        let contains =
            |entries: &[Keyed<FileEntry>], key: &Key| entries.iter().any(|entry| entry.key == *key);
        let old = all_entries(from);
        let new = all_entries(to);

        for entry in &old {
            if !contains(&new, &entry.key) {
                self.delete(entry.key.clone());
            }
        }
        for entry in &new {
            if !contains(&old, &entry.key) {
                self.put(entry.key.clone(), &entry.record);
            }
        }
    }
}

impl FileRecords<'_> {
    /// Deletes the entries of files that do not exist, except those of their folders. Ignores
    /// errors, because readers skip such entries.
    pub(crate) async fn delete_entries(self, files: &[File]) {
        let keys: Vec<Key> = files
            .iter()
            .flat_map(entries)
            .map(|entry| entry.key)
            .collect();
        let _ = self.table.delete_all(&keys).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_key_of_the_longest_name_fits_into_1024_bytes() {
        let longest = "\u{10FFFF}".repeat(NAME_PREFIX_CHARACTERS);
        assert!(name_sort(&longest, FileId::MAX).len() <= 1_024);
    }
}
