//! Invariants of the stored items of a library.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use table::keys;
use tests::{Dump, TestSpace};

use super::RoundId;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 20;
/// Stands for the root in sort keys.
const ROOT: &str = "ROOT";

/// The items of a space in a dump.
pub(crate) struct StoredLibrary<'a> {
    /// Items of the partition of the space, by sort key.
    items: BTreeMap<&'a str, &'a Value>,
    /// Ids of the folders whose lookup item names the space.
    owned: BTreeSet<&'a str>,
    /// Folder records, by id.
    folders: BTreeMap<&'a str, &'a Value>,
    id: RoundId,
}

/// Returns the id of the folder in a field of an item.
fn folder_id<'a>(item: &'a Value, field: &str) -> Option<&'a str> {
    item[field]["id"].as_str()
}

impl<'a> StoredLibrary<'a> {
    pub(crate) fn of(dump: &'a Dump, space: &str, id: RoundId) -> StoredLibrary<'a> {
        let partition = format!("{}{space}", keys::SPACES);
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
            let folder = key.partition.strip_prefix(keys::FOLDER_LOOKUPS);
            folder.filter(|_| key.sort == "FOLDER")
        });
        let folders = items
            .iter()
            .filter_map(|(sort, item)| Some((sort.strip_prefix(keys::FOLDERS)?, *item)))
            .collect();

        StoredLibrary {
            owned: owned.collect(),
            folders,
            id,
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
                self.id
            );
        }

        chain
    }

    fn folder(&self, id: &str) -> &'a Value {
        self.folders
            .get(id)
            .unwrap_or_else(|| panic!("{}: the folder {id} is missing", self.id))
    }

    /// Asserts that every folder is reachable from the root, is counted by its ancestors, has a
    /// unique name and is listed in its parent, and that deleted folders have no items.
    pub(crate) fn assert_folders(&self, may_be_locked: bool) {
        let round = self.id;
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
                "{round}: {id} has a stale delete lock"
            );
        }

        for (id, folder) in &self.folders {
            let counts = folder["descendant_counts"]
                .as_array()
                .expect("a list")
                .iter();
            let counts: Vec<u64> = counts
                .map(|count| {
                    count
                        .as_str()
                        .and_then(|n| n.parse().ok())
                        .expect("a number")
                })
                .collect();
            let expected = counted.remove(id).unwrap_or_else(|| vec![0; MAX_DEPTH - 1]);

            assert_eq!(counts, expected, "{round}: counts of {id}");
        }

        assert_eq!(
            self.suffixes(keys::SUBFOLDERS),
            listed,
            "{round}: listed folders"
        );

        let reserved = self.items.iter().filter_map(|(sort, item)| {
            let (parent, _) = sort.strip_prefix(keys::FOLDER_NAMES)?.split_once('#')?;
            Some((parent, item["id"].as_str()?))
        });
        let reserved: Vec<(&str, &str)> = reserved.collect();
        assert_eq!(
            reserved.len(),
            named.len(),
            "{round}: one name per folder: {reserved:?}"
        );
        assert_eq!(
            reserved.into_iter().collect::<BTreeSet<_>>(),
            named,
            "{round}: reserved names"
        );

        let stored: BTreeSet<&str> = self.folders.keys().copied().collect();
        assert_eq!(self.owned, stored, "{round}: lookup items of folders");
    }

    /// Asserts that every file is listed only in its folder, and that the folder exists unless the
    /// file is excused.
    pub(crate) fn assert_files(&self, is_excused: impl Fn(&str) -> bool) {
        let mut listed = BTreeSet::new();
        for (sort, file) in &self.items {
            let Some(id) = sort.strip_prefix(keys::FILES) else {
                continue;
            };
            let folder = folder_id(file, "folder");
            let exists = folder.is_none_or(|folder| self.folders.contains_key(folder));

            assert!(
                exists || is_excused(id),
                "{}: {id} is in {folder:?}, which does not exist",
                self.id
            );
            listed.insert(format!("{}#{id}", folder.unwrap_or(ROOT)));
        }

        assert_eq!(
            self.suffixes(keys::FILES_IN_FOLDERS),
            listed,
            "{}: listed files",
            self.id
        );
    }

    /// Asserts that the API returns every stored folder.
    pub(crate) async fn assert_api_matches(&self, acme: &TestSpace) {
        let mut seen = BTreeSet::new();
        let mut cursor = String::new();
        loop {
            let page = acme
                .get(&format!("/folders?space_id={}&limit=100{cursor}", acme.id))
                .await;
            let page = page.expect_status(200).json();

            for folder in page["data"].as_array().expect("a list") {
                let id = folder["id"].as_str().expect("an id");
                assert!(
                    seen.insert(id.to_owned()),
                    "{}: {id} is returned twice",
                    self.id
                );

                let (key, stored) = self
                    .folders
                    .get_key_value(id)
                    .expect("the API returns only stored folders");
                let names = self
                    .chain(key)
                    .into_iter()
                    .rev()
                    .map(|id| self.folder(id)["name"].as_str());
                let path: String = names
                    .flat_map(|name| [name.expect("a name"), "/"])
                    .collect();

                assert_eq!(folder["path"], path.as_str(), "{}", self.id);
                assert_eq!(
                    folder["parent_id"].as_str(),
                    folder_id(stored, "parent"),
                    "{}: {path}",
                    self.id
                );

                let has_children = self
                    .items
                    .keys()
                    .any(|sort| sort.starts_with(&format!("{}{id}#", keys::SUBFOLDERS)));
                assert_eq!(folder["has_children"], has_children, "{}: {path}", self.id);
            }

            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }

        assert_eq!(
            seen.len(),
            self.folders.len(),
            "{}: number of returned folders",
            self.id
        );
    }
}
