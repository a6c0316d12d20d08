//! Invariants of the stored items of folders and files.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use table::item_keys;
use tests::{Dump, TestSpace, text};

use super::Place;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 20;
/// Stands for the root in sort keys.
const ROOT: &str = "ROOT";

/// Asserts that each active file, and no other, is delivered from one place, that only these and
/// trashed files have bytes, and that each file has a lookup item.
pub(crate) fn assert_file_records(dump: &Dump, place: Place) {
    let mut active = BTreeSet::new();
    for path in dump.files_with_bytes() {
        let [space, id] = ["space_id", "id"].map(|field| text(&path[field]));
        assert_eq!(dump.file(&space, &id), Some(path), "{place}");
        assert!(
            active.insert(id),
            "{place}: delivered from two places: {path}"
        );
    }

    let mut records = 0;
    for (key, record) in &dump.items {
        let Some(id) = key.sort.strip_prefix(item_keys::FILES) else {
            continue;
        };
        records += 1;

        let is_active = record["status"] == "active";
        assert_eq!(is_active, active.contains(id), "{place}: {record}");
        let has_bytes = record["status"] != "pending";
        for detected_by_bytes in ["revision", "checksum_sha256"] {
            let is_missing = record[detected_by_bytes].is_null();
            assert_ne!(is_missing, has_bytes, "{place}: {record}");
        }
    }

    let lookups = dump.items_with_prefix(item_keys::FILE_LOOKUPS);
    let owned = lookups.filter(|lookup| !lookup["space_id"].is_null());
    let replacements = dump.items.keys();
    let replacements = replacements.filter(|key| key.sort.starts_with(item_keys::REPLACEMENTS));
    records += replacements.count();
    assert_eq!(owned.count(), records, "{place}: lookup items of files");
    assert_usage(dump, place);
}

/// Asserts that the counters of each space are the numbers and sizes of its active and trashed
/// files. Those of a deleted space are deleted after its files.
fn assert_usage(dump: &Dump, place: Place) {
    let number = |value: &Value| text(value).parse::<i64>().expect("a number");
    let mut differences: BTreeMap<(&str, String), i64> = BTreeMap::new();
    for (key, item) in &dump.items {
        let partition = key.partition.as_str();
        if key.sort.starts_with(item_keys::FILES) && item["status"] != "pending" {
            let is_trashed = item["status"] == "trashed";
            let kind = text(
                &item[if is_trashed {
                    "status"
                } else {
                    "resource_type"
                }],
            );
            *differences
                .entry((partition, format!("{kind}_files")))
                .or_default() += 1;
            *differences
                .entry((partition, format!("{kind}_bytes")))
                .or_default() += number(&item["size"]);
        } else if key.sort.starts_with(item_keys::USAGE_COUNTERS) {
            for (name, count) in item.as_object().into_iter().flatten() {
                *differences.entry((partition, name.clone())).or_default() -= number(count);
            }
        }
    }

    differences.retain(|(partition, _), difference| {
        let space = dump
            .items
            .iter()
            .find(|(key, _)| key.partition == *partition && key.sort == item_keys::SPACE);
        *difference != 0 && space.is_some_and(|(_, space)| space["deleted_at"].is_null())
    });
    assert_eq!(
        differences,
        BTreeMap::new(),
        "{place}: files that are not counted"
    );
}

/// Asserts that every original belongs to an active or trashed file.
pub(crate) fn assert_no_orphans(dump: &Dump, place: Place) {
    let is_original = |key: &&String| key.contains("/originals/");
    let originals = dump.objects.keys().filter(is_original).count();
    let records = dump.items.iter();
    let is_stored = |(key, file): &(&item_keys::Key, &Value)| {
        key.sort.starts_with(item_keys::FILES) && file["status"] != "pending"
    };
    let files = records.filter(is_stored).count();
    assert_eq!(originals, files, "{place}: originals and files");
}

/// The items of a space in a dump.
pub(crate) struct StoredLibrary<'a> {
    /// Items of the partition of the space, by sort key.
    items: BTreeMap<&'a str, &'a Value>,
    /// Ids of the folders whose lookup item names the space.
    owned: BTreeSet<&'a str>,
    /// Folder records, by id.
    folders: BTreeMap<&'a str, &'a Value>,
    place: Place,
}

/// Returns the id of the folder in a field of an item.
fn folder_id<'a>(item: &'a Value, field: &str) -> Option<&'a str> {
    item[field]["id"].as_str()
}

impl<'a> StoredLibrary<'a> {
    pub(crate) fn of(dump: &'a Dump, space: &str, place: Place) -> StoredLibrary<'a> {
        let partition = format!("{}{space}", item_keys::SPACES);
        let own = dump
            .items
            .iter()
            .filter(|(key, _)| key.partition == partition);
        let items: BTreeMap<&str, &Value> =
            own.map(|(key, item)| (key.sort.as_str(), item)).collect();
        let owned = dump
            .items
            .iter()
            .filter(|(_, owner)| owner["space_id"] == space);
        let owned = owned.filter_map(|(key, _)| {
            let folder = key.partition.strip_prefix(item_keys::FOLDER_LOOKUPS);
            folder.filter(|_| key.sort == "FOLDER")
        });
        let folders = items
            .iter()
            .filter_map(|(sort, item)| Some((sort.strip_prefix(item_keys::FOLDERS)?, *item)))
            .collect();

        StoredLibrary {
            owned: owned.collect(),
            folders,
            place,
            items,
        }
    }

    /// Returns the sort keys with a prefix, without it.
    fn suffixes(&self, prefix: &str) -> BTreeSet<String> {
        self.items
            .keys()
            .filter_map(|sort| sort.strip_prefix(prefix))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the ids of a folder and its ancestors, leaf first. Panics if they form a cycle or a
    /// record is missing.
    fn chain(&self, id: &'a str) -> Vec<&'a str> {
        let mut chain = vec![id];
        while let Some(outer) = folder_id(self.folder(chain[chain.len() - 1]), "parent") {
            chain.push(outer);
            assert!(
                chain.len() <= MAX_DEPTH,
                "{}: {id} is in a cycle or too deep: {chain:?}",
                self.place
            );
        }

        chain
    }

    fn folder(&self, id: &str) -> &'a Value {
        self.folders
            .get(id)
            .unwrap_or_else(|| panic!("{}: the folder {id} is missing", self.place))
    }

    /// Asserts all invariants of a library that was changed without faults.
    pub(crate) fn assert_consistent(&self) {
        self.assert_folders(false);
        self.assert_files(|_| false);
    }

    /// Asserts that every folder is reachable from the root, is counted by its ancestors, has a
    /// unique name and is listed in its parent, and that deleted folders have no items.
    pub(crate) fn assert_folders(&self, may_be_locked: bool) {
        let place = self.place;
        let mut counted: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let mut listed = BTreeSet::new();
        let mut named = BTreeSet::new();

        for (id, folder) in &self.folders {
            for (depth, outer) in self.chain(id).into_iter().skip(1).enumerate() {
                counted
                    .entry(outer)
                    .or_insert_with(|| vec![0; MAX_DEPTH - 1])[depth] += 1;
            }
            let parent = folder_id(folder, "parent").unwrap_or(ROOT);
            listed.insert(format!("{parent}#{id}"));
            named.insert((parent, *id));
            assert!(
                may_be_locked || folder["delete_lock"].is_null(),
                "{place}: {id} has a stale delete lock"
            );
        }

        for (id, folder) in &self.folders {
            let none = vec![0; MAX_DEPTH - 1];
            let expected = counted.remove(id).unwrap_or(none);
            let expected: Vec<String> = expected.iter().map(u64::to_string).collect();
            assert_eq!(
                folder["descendant_counts"],
                json!(expected),
                "{place}: {id}"
            );
        }

        let subfolders = self.suffixes(item_keys::SUBFOLDERS);
        assert_eq!(subfolders, listed, "{place}: listed folders");

        let reserved = self.items.iter().filter_map(|(sort, item)| {
            let (parent, _) = sort
                .strip_prefix(item_keys::FOLDER_NAMES)?
                .split_once('#')?;
            Some((parent, item["id"].as_str()?))
        });
        let mut reserved: Vec<(&str, &str)> = reserved.collect();
        reserved.sort_unstable();
        let named: Vec<(&str, &str)> = named.into_iter().collect();
        assert_eq!(reserved, named, "{place}: one name per folder");

        let stored: BTreeSet<&str> = self.folders.keys().copied().collect();
        assert_eq!(self.owned, stored, "{place}: lookup items of folders");
    }

    /// Asserts that every file is listed only in its folder, and that the folder exists unless the
    /// file is excused. Trashed files are listed in the trash only, and to be purged.
    pub(crate) fn assert_files(&self, is_excused: impl Fn(&str) -> bool) {
        let mut listed = BTreeSet::new();
        let mut trashed = BTreeSet::new();
        for (sort, file) in &self.items {
            let Some(id) = sort.strip_prefix(item_keys::FILES) else {
                continue;
            };
            if file["status"] == "trashed" {
                trashed.insert(id.to_owned());
                continue;
            }
            let folder = folder_id(file, "folder");
            let exists = folder.is_none_or(|folder| self.folders.contains_key(folder));

            assert!(
                exists || is_excused(id),
                "{}: {id} is in {folder:?}, which does not exist",
                self.place
            );
            listed.insert(format!("{}#{id}", folder.unwrap_or(ROOT)));
        }

        assert_eq!(
            self.suffixes(item_keys::FILES_IN_FOLDERS),
            listed,
            "{}: listed files",
            self.place
        );
        let in_trash = self.suffixes(item_keys::TRASHED_FILES);
        assert_eq!(in_trash, trashed, "{}: trashed files", self.place);
    }

    /// Asserts that the API returns every stored folder once.
    pub(crate) async fn assert_api_matches(&self, acme: &TestSpace) {
        let mut returned = BTreeSet::new();
        let mut cursor = String::new();
        loop {
            let path = format!("/folders?space_id={}&limit=100{cursor}", acme.id);
            let page = acme.fetch(&path).await.json();
            for folder in page["data"].as_array().expect("a list") {
                let fields = ["id", "path", "parent_id", "has_children"];
                let row = json!(fields.map(|field| &folder[field])).to_string();
                assert!(returned.insert(row), "{}: twice: {folder}", self.place);
            }

            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }

        let row = |(id, folder): (&&'a str, &&Value)| {
            let chain = self.chain(id).into_iter().rev();
            let names = chain.map(|id| format!("{}/", text(&self.folder(id)["name"])));
            let children = format!("{}{id}#", item_keys::SUBFOLDERS);
            let has_children = self.items.keys().any(|sort| sort.starts_with(&children));
            let path: String = names.collect();
            json!([id, path, folder_id(folder, "parent"), has_children]).to_string()
        };
        let stored: BTreeSet<String> = self.folders.iter().map(row).collect();
        assert_eq!(returned, stored, "{}", self.place);
    }
}
