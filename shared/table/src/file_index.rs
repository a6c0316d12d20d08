//! By what else files are found: their folder, their reference, their tags, the beginning of their
//! original name.
//!
//! Each is an item that holds the file's id and nothing else. That of the folder is written and
//! removed in the file's own transaction, since whether a folder is empty depends on it. The others
//! are too, where they fit; where they do not, they are written before the file and removed after
//! it, so a file that is there is found. Whoever reads them passes over one whose file is gone or
//! says otherwise.

use domain::{File, FileId, FileStatus};
use serde::{Deserialize, Serialize};

use crate::{
    Key, Table,
    key::{NAME_END, files_in, files_named, files_of_reference, files_of_tag},
    transaction::Transaction,
};

/// Most characters of a folded name that its key holds: what is searched for is rarely longer, and
/// keys are bounded.
pub(crate) const NAME_CHARACTERS: usize = 128;

/// What is found under a key that is not the file's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) id: FileId,
    /// The beginning of the name, where the key holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

/// The beginning of a file's folded name, as its key holds it.
pub(crate) fn name_beginning(file: &File) -> String {
    file.original_name
        .folded()
        .chars()
        .take(NAME_CHARACTERS)
        .collect()
}

/// The sort key of a file by its name.
pub(crate) fn named_sort(beginning: &str, id: FileId) -> String {
    format!("{}{NAME_END}{id}", files_named(beginning))
}

/// The entry of a file's folder.
pub(crate) fn folder_entry(file: &File) -> (Key, Entry) {
    let sort = format!("{}{}", files_in(file.folder_id()), file.id);
    (
        Key::of_file(file.space_id, sort),
        Entry {
            id: file.id,
            name: None,
        },
    )
}

/// The other entries of a file. Only active files are found by their reference: pending ones, which
/// anyone may announce, would otherwise have to be skipped one by one.
pub(crate) fn entries(file: &File) -> Vec<(Key, Entry)> {
    let entry = |sort, name| {
        (
            Key::of_file(file.space_id, sort),
            Entry { id: file.id, name },
        )
    };
    let name = name_beginning(file);
    let mut entries = vec![entry(named_sort(&name, file.id), Some(name))];
    entries.extend(
        file.tags
            .iter()
            .map(|tag| entry(format!("{}{}", files_of_tag(tag), file.id), None)),
    );
    if file.status == FileStatus::Active {
        entries.extend(reference_entry(file));
    }
    entries
}

/// The entry of a file's reference, if it has one.
pub(crate) fn reference_entry(file: &File) -> Option<(Key, Entry)> {
    let sort = format!(
        "{}{}",
        files_of_reference(file.reference.as_ref()?),
        file.id
    );
    Some((
        Key::of_file(file.space_id, sort),
        Entry {
            id: file.id,
            name: None,
        },
    ))
}

impl Transaction<'_> {
    /// Lets a changed file be found by what it says now, and no longer by what it said.
    pub(crate) fn change_entries(&mut self, from: &File, to: &File) {
        let all = |file| {
            entries(file)
                .into_iter()
                .chain([folder_entry(file)])
                .collect::<Vec<_>>()
        };
        let (old, new) = (all(from), all(to));
        for (key, _) in old
            .iter()
            .filter(|(key, _)| !new.iter().any(|(kept, _)| kept == key))
        {
            self.delete(key.clone());
        }
        for (key, entry) in new
            .iter()
            .filter(|(key, _)| !old.iter().any(|(kept, _)| kept == key))
        {
            self.put(key.clone(), entry);
        }
    }
}

impl Table {
    /// Removes the entries of files that are not there, but for those of their folders. Where that
    /// fails they are passed over for good.
    pub(crate) async fn remove_entries(&self, files: &[File]) {
        let keys: Vec<Key> = files.iter().flat_map(entries).map(|(key, _)| key).collect();
        // Readers do not mind them.
        let _ = self.delete_all(&keys).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_the_longest_name_is_one_that_the_table_takes() {
        let beginning = "\u{10FFFF}".repeat(NAME_CHARACTERS);
        assert!(named_sort(&beginning, FileId::MAX).len() <= 1_024);
    }
}
