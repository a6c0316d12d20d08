//! `GET /folders`: folders of a space, of a folder and of the root, page by page.

use serde_json::json;
use tests::{Client, Folder, Stack, TestSpace, UNKNOWN_ID, seconds, stack_test, text};

use super::create::get_folder;

/// Folders, oldest first, and the index of the parent of each.
const TREE: [(&str, Option<usize>); 14] = [
    ("a", None),
    ("b", None),
    ("aa", Some(0)),
    ("c", None),
    ("ab", Some(0)),
    ("aaa", Some(2)),
    ("ac", Some(0)),
    ("d", None),
    ("ba", Some(1)),
    ("aab", Some(2)),
    ("ad", Some(0)),
    ("e", None),
    ("ae", Some(0)),
    ("bb", Some(1)),
];

/// Creates the folders of the tree in order.
pub(super) async fn create_folders(stack: &Stack, acme: &TestSpace) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for (name, parent) in TREE {
        stack.clock.advance(seconds(1));
        let parent = parent.map(|index| folders[index].id.as_str());
        let folder = acme.folder(name).inside_id(parent).await;
        folders.push(folder);
    }
    folders
}

/// A page of a list.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) ids: Vec<String>,
    pub(super) next: Option<String>,
    pub(super) previous: Option<String>,
}

/// A list of folders, page by page.
pub(super) struct List<'a> {
    pub(super) client: &'a Client,
    /// Each parameter begins with an ampersand.
    pub(super) filters: &'a str,
    pub(super) limit: usize,
}

impl List<'_> {
    pub(super) async fn page(&self, cursor: Option<&str>) -> Page {
        let List { filters, limit, .. } = self;
        let cursor = cursor.map(|cursor| format!("&cursor={cursor}"));
        let cursor = cursor.unwrap_or_default();
        let path = format!("/folders?limit={limit}{filters}{cursor}");
        let page = self.client.fetch(&path).await.json();
        assert_eq!(page["path"], "/api/v1/folders");
        assert_eq!(page["per_page"], *limit);

        let cursor = |name: &str| page[name].as_str().map(str::to_owned);
        let folders = page["data"].as_array().expect("a list");
        Page {
            ids: folders.iter().map(|folder| text(&folder["id"])).collect(),
            next: cursor("next_cursor"),
            previous: cursor("prev_cursor"),
        }
    }

    /// Asserts that the list contains these folders once each, in both directions and on full
    /// pages.
    pub(super) async fn check(&self, expected: &[&Folder]) {
        let what = format!("{} by {}", self.filters, self.limit);
        let mut pages = vec![self.page(None).await];
        while let Some(next) = pages.last().and_then(|page| page.next.clone()) {
            pages.push(self.page(Some(&next)).await);
            assert!(pages.len() <= expected.len(), "{what} has no end");
        }
        let found: Vec<&String> = pages.iter().flat_map(|page| &page.ids).collect();
        let ids: Vec<&String> = expected.iter().map(|folder| &folder.id).collect();
        assert_eq!(found, ids, "{what}");
        let count = expected.len().div_ceil(self.limit).max(1);
        assert_eq!(pages.len(), count, "{what}");
        assert_eq!(pages[0].previous, None, "{what}");

        let mut previous = pages.pop().and_then(|last| last.previous);
        while let Some(cursor) = previous {
            let page = self.page(Some(&cursor)).await;
            let forward = pages.pop().expect("as many pages back as forth");
            assert_eq!(page.ids, forward.ids, "{what} backward");
            previous = page.previous;
        }
        assert!(pages.is_empty(), "{what} backward");
    }
}

#[stack_test]
async fn folder_lists_are_newest_first_in_both_directions(stack: &Stack, acme: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    let within = |parent: Option<usize>| -> Vec<&Folder> {
        let newest_first = TREE.iter().zip(&folders).rev();
        let within = newest_first.filter(|((_, of), _)| *of == parent);
        within.map(|(_, folder)| folder).collect()
    };
    let mut lists = vec![
        (String::new(), folders.iter().rev().collect()),
        ("&parent_id=root".to_owned(), within(None)),
    ];
    for (index, Folder { id, .. }) in folders.iter().enumerate() {
        let lower_case = format!("&parent_id={}", id.to_lowercase());
        let with_space = format!("&parent_id={id}&space_id={}", acme.id);
        lists.push((lower_case, within(Some(index))));
        lists.push((with_space, within(Some(index))));
    }

    for (filters, expected) in &lists {
        for limit in [1, 3, 100] {
            let list = List {
                client: acme,
                filters,
                limit,
            };
            list.check(expected).await;
        }
    }
}

#[stack_test]
async fn list_returns_full_records_in_envelope(stack: &Stack, acme: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    acme.set_access(folders[2].path(), Some(true)).await;

    let inside = format!("?parent_id={}", folders[2].id);
    for filters in ["", "?parent_id=root", &inside] {
        let mut list = acme.fetch(&format!("/folders{filters}")).await.json();
        let listed = list["data"].take();
        let envelope = json!({
            "data": null, "next_cursor": null, "path": "/api/v1/folders", "per_page": 20, "prev_cursor": null,
        });
        assert_eq!(list, envelope, "{filters}");
        let listed = listed.as_array().expect("a list");
        assert!(!listed.is_empty(), "{filters}");
        for folder in listed {
            assert_eq!(folder, &get_folder(acme, folder).await, "{filters}");
        }
    }
}

#[stack_test]
async fn list_requires_known_parent_and_space(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let foreign = other.folder("Photos").await;
    let deleted = acme.folder("Gone").await;
    acme.delete_ok(deleted.path()).await;
    let invalid = json!({"parent_id": ["The selected parent id is invalid."]});

    for parent in [
        UNKNOWN_ID,
        "x",
        "Photos",
        &foreign.id,
        &deleted.id,
        &acme.id,
    ] {
        let path = format!("/folders?space_id={}&parent_id={parent}", acme.id);
        for client in [&acme.client, &stack.account()] {
            let errors = client.get_err(422, &path).await;
            assert_eq!(errors, invalid, "{parent}");
        }
    }

    let outsider = stack.user().await;
    for (client, space) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&acme.client, &other.id),
        (&acme.client, &acme.handle),
        (&outsider.client, &acme.id),
    ] {
        let errors = client
            .get_err(404, &format!("/folders?space_id={space}"))
            .await;
        assert_eq!(errors, json!({}), "{space}");
    }
}

#[stack_test]
async fn list_without_space_is_of_key_or_default_space(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let own_folder = acme.folder("Photos").await;
    let foreign_folder = other.folder("Photos").await;
    let account = stack.account();
    let default_space = json!({"default_space_id": other.id});
    account.put_ok("/account", default_space).await;
    let in_acme = format!("&space_id={}", acme.id.to_lowercase());

    // A blank id counts as absent.
    for (client, filters, expected) in [
        (&acme.client, "", &own_folder),
        (&acme.client, "&parent_id=&space_id=", &own_folder),
        (&acme.client, "&parent_id=root", &own_folder),
        (&other.client, "", &foreign_folder),
        (&account, "", &foreign_folder),
        (&account, "&parent_id=root", &foreign_folder),
        (&account, &in_acme, &own_folder),
    ] {
        let list = List {
            client,
            filters,
            limit: 20,
        };
        list.check(&[expected]).await;
    }
}

/// Asserts that a list rejects its cursor.
async fn assert_invalid_cursor(client: &Client, path: &str) {
    let invalid = json!({"cursor": ["The selected cursor is invalid."]});
    assert_eq!(client.get_err(422, path).await, invalid, "{path}");
}

#[stack_test]
async fn cursor_is_valid_for_its_list_only(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    create_folders(stack, other).await;
    let viewer = acme.role("viewer").await;
    let [first, second] = [0, 2].map(|index| format!("&parent_id={}", folders[index].id));
    let lists = ["", "&parent_id=root", &first, &second];

    for from in lists {
        let list = List {
            client: acme,
            filters: from,
            limit: 1,
        };
        let cursor = list.page(None).await.next.expect("there is more");
        for used in lists {
            let path = format!("/folders?limit=1&cursor={cursor}{used}");
            if used == from {
                let page = viewer.get_ok(&path).await;
                assert_eq!(page.as_array().map(Vec::len), Some(1), "{used}");
            } else {
                assert_invalid_cursor(acme, &path).await;
            }
        }
        for path in ["/files", "/spaces", "/upload-configs"] {
            assert_invalid_cursor(acme, &format!("{path}?cursor={cursor}")).await;
        }
        let changed = format!("/folders?limit=1&cursor={}{from}", &cursor[1..]);
        assert_invalid_cursor(acme, &changed).await;
        if !from.contains(&folders[0].id) && !from.contains(&folders[2].id) {
            let path = format!("/folders?limit=1&cursor={cursor}{from}");
            for client in [&other.client, &stack.account()] {
                assert_invalid_cursor(client, &path).await;
            }
        }
    }
}
