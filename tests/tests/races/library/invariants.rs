//! What holds of all that is kept of a library, whatever has happened to it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tests::{Dump, Tenant};

/// Most folders within one another.
const DEEPEST: usize = 20;
/// What stands for no folder.
const ROOT: &str = "ROOT";

/// What is kept of a space, as it was at one moment.
pub(crate) struct StoredLibrary<'a> {
    /// The sort keys and the items of its partition.
    items: BTreeMap<&'a str, &'a Value>,
    /// The ids that say of which space they are.
    owned: BTreeSet<&'a str>,
    /// The folders, by id.
    folders: BTreeMap<&'a str, &'a Value>,
    place: (u64, u64),
}

/// The id of the folder that something is in.
fn within<'a>(item: &'a Value, field: &str) -> Option<&'a str> {
    item[field]["id"].as_str()
}

impl<'a> StoredLibrary<'a> {
    pub(crate) fn of(dump: &'a Dump, space: &str, place: (u64, u64)) -> StoredLibrary<'a> {
        let partition = format!("SPACE#{space}");
        let own = dump.items.iter().filter(|((key, _), _)| *key == partition);
        let items: BTreeMap<&str, &Value> =
            own.map(|((_, sort), item)| (sort.as_str(), item)).collect();
        let owned = dump
            .items
            .iter()
            .filter(|(_, owner)| owner["space_id"] == space);
        let owned = owned.filter_map(|((key, sort), _)| {
            key.strip_prefix("FOLDER#").filter(|_| sort == "FOLDER")
        });
        let folders = items
            .iter()
            .filter_map(|(sort, item)| Some((sort.strip_prefix("FOLDER#")?, *item)))
            .collect();

        StoredLibrary {
            owned: owned.collect(),
            folders,
            place,
            items,
        }
    }

    /// The ends of the sort keys that begin so.
    fn ends(&self, beginning: &str) -> BTreeSet<String> {
        self.items
            .keys()
            .filter_map(|sort| sort.strip_prefix(beginning))
            .map(str::to_owned)
            .collect()
    }

    /// A folder and all that are around it, from the innermost one up. Where there is a circle, or
    /// one is missing, it fails.
    fn chain(&self, id: &'a str) -> Vec<&'a str> {
        let mut chain = vec![id];
        while let Some(outer) = within(self.folder(chain[chain.len() - 1]), "parent") {
            chain.push(outer);
            assert!(
                chain.len() <= DEEPEST,
                "{:?}: {id} is in a circle, or too deep: {chain:?}",
                self.place
            );
        }

        chain
    }

    fn folder(&self, id: &str) -> &'a Value {
        self.folders
            .get(id)
            .unwrap_or_else(|| panic!("{:?}: the folder {id} is missing", self.place))
    }

    /// Every folder is found from the top, is counted by all that are around it, has its name for
    /// itself, and is listed where it is; and nothing of one that is gone is left.
    pub(crate) fn assert_folders(&self, may_be_closed: bool) {
        let place = self.place;
        let mut counted: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let (mut listed, mut placed) = (BTreeSet::new(), BTreeSet::new());

        for (id, folder) in &self.folders {
            for (depth, outer) in self.chain(id).into_iter().skip(1).enumerate() {
                counted.entry(outer).or_insert_with(|| vec![0; DEEPEST - 1])[depth] += 1;
            }
            let parent = within(folder, "parent").unwrap_or(ROOT);
            listed.insert(format!("{parent}#{id}"));
            placed.insert((parent, *id));
            assert!(
                may_be_closed || folder["delete_lock"].is_null(),
                "{place:?}: {id} is closed by nobody"
            );
        }

        for (id, folder) in &self.folders {
            let within = folder["descendant_counts"]
                .as_array()
                .expect("a list")
                .iter();
            let within: Vec<u64> = within
                .map(|count| {
                    count
                        .as_str()
                        .and_then(|n| n.parse().ok())
                        .expect("a number")
                })
                .collect();
            let expected = counted.remove(id).unwrap_or_else(|| vec![0; DEEPEST - 1]);

            assert_eq!(within, expected, "{place:?}: what {id} counts");
        }

        assert_eq!(
            self.ends("SUBFOLDER#"),
            listed,
            "{place:?}: where folders are listed"
        );

        let names = self.items.iter().filter_map(|(sort, item)| {
            let (parent, _) = sort.strip_prefix("FOLDER_NAME#")?.split_once('#')?;
            Some((parent, item["id"].as_str()?))
        });
        let names: Vec<(&str, &str)> = names.collect();
        assert_eq!(
            names.len(),
            placed.len(),
            "{place:?}: a name for each folder: {names:?}"
        );
        assert_eq!(
            names.into_iter().collect::<BTreeSet<_>>(),
            placed,
            "{place:?}: whose names are taken"
        );

        let kept: BTreeSet<&str> = self.folders.keys().copied().collect();
        assert_eq!(self.owned, kept, "{place:?}: whose folders are");
    }

    /// Every file is in a folder that is there, or in none, and is listed there and nowhere else;
    /// but for those in missing folders that are excused.
    pub(crate) fn assert_files(&self, is_excused: impl Fn(&str) -> bool) {
        let mut listed = BTreeSet::new();
        for (sort, file) in &self.items {
            let Some(id) = sort.strip_prefix("FILE#") else {
                continue;
            };
            let folder = within(file, "folder");
            let is_there = folder.is_none_or(|folder| self.folders.contains_key(folder));

            assert!(
                is_there || is_excused(id),
                "{:?}: {id} is in {folder:?}, which is gone",
                self.place
            );
            listed.insert(format!("{}#{id}", folder.unwrap_or(ROOT)));
        }

        assert_eq!(
            self.ends("FOLDER_FILE#"),
            listed,
            "{:?}: where files are listed",
            self.place
        );
    }

    /// What the API shows of all folders is what is kept.
    pub(crate) async fn assert_shown(&self, acme: &Tenant) {
        let (mut seen, mut cursor) = (BTreeSet::new(), String::new());
        loop {
            let page = acme
                .client
                .get(&format!("/folders?space_id={}&limit=100{cursor}", acme.id))
                .await;
            let page = page.expect_status(200).json();

            for folder in page["data"].as_array().expect("a list") {
                let id = folder["id"].as_str().expect("an id");
                assert!(
                    seen.insert(id.to_owned()),
                    "{:?}: {id} is shown twice",
                    self.place
                );

                let (key, kept) = self
                    .folders
                    .get_key_value(id)
                    .expect("only what is kept is shown");
                let names = self
                    .chain(key)
                    .into_iter()
                    .rev()
                    .map(|id| self.folder(id)["name"].as_str());
                let path: String = names
                    .flat_map(|name| [name.expect("a name"), "/"])
                    .collect();

                assert_eq!(folder["path"], path.as_str(), "{:?}", self.place);
                assert_eq!(
                    folder["parent_id"].as_str(),
                    within(kept, "parent"),
                    "{:?}: {path}",
                    self.place
                );

                let has_children = self
                    .items
                    .keys()
                    .any(|sort| sort.starts_with(&format!("SUBFOLDER#{id}#")));
                assert_eq!(
                    folder["has_children"], has_children,
                    "{:?}: {path}",
                    self.place
                );
            }

            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }

        assert_eq!(
            seen.len(),
            self.folders.len(),
            "{:?}: all folders are shown",
            self.place
        );
    }
}
