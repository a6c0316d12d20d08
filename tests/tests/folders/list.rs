//! `GET /folders`: folders of a space, of a folder and of the root, page by page.

use serde_json::{Value, json};
use tests::{Client, Stack, TestSpace, UNKNOWN_ID, folder_path, seconds, stack_test, text};

use super::create::{ROOT, get_folder};

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
pub(super) async fn create_folders(stack: &Stack, acme: &TestSpace) -> Vec<Value> {
    let mut folders: Vec<Value> = Vec::new();
    for (name, parent) in TREE {
        stack.clock.advance(seconds(1));
        let parent = parent.map_or(ROOT.clone(), |index| folders[index].clone());
        folders.push(acme.folder(name).inside(&parent).await.record);
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
        let cursor = cursor
            .map(|cursor| format!("&cursor={cursor}"))
            .unwrap_or_default();
        let address = format!("/folders?limit={}{}{cursor}", self.limit, self.filters);
        let page = self.client.fetch(&address).await.json();

        assert_eq!(
            (&page["path"], &page["per_page"]),
            (&json!("/api/v1/folders"), &json!(self.limit))
        );

        let cursor = |name: &str| page[name].as_str().map(str::to_owned);
        let ids = page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|folder| text(&folder["id"]))
            .collect();

        Page {
            ids,
            next: cursor("next_cursor"),
            previous: cursor("prev_cursor"),
        }
    }

    /// Asserts that the list contains these folders once each, in both directions and on full
    /// pages.
    pub(super) async fn check(&self, expected: &[&Value]) {
        let what = format!("{} by {}", self.filters, self.limit);
        let mut pages = vec![self.page(None).await];
        while let Some(next) = pages.last().and_then(|page| page.next.clone()) {
            pages.push(self.page(Some(&next)).await);
            assert!(pages.len() <= expected.len(), "{what} has no end");
        }
        let found: Vec<&String> = pages.iter().flat_map(|page| &page.ids).collect();
        let ids: Vec<String> = expected.iter().map(|folder| text(&folder["id"])).collect();
        assert_eq!(found, ids.iter().collect::<Vec<_>>(), "{what}");
        assert_eq!(
            pages.len(),
            expected.len().div_ceil(self.limit).max(1),
            "{what}"
        );
        assert_eq!(pages[0].previous, None, "{what}");

        let mut previous = pages.pop().and_then(|last| last.previous);
        while let Some(cursor) = previous {
            let page = self.page(Some(&cursor)).await;
            assert_eq!(
                page.ids,
                pages.pop().expect("as many pages back as forth").ids,
                "{what} backward"
            );
            previous = page.previous;
        }
        assert!(pages.is_empty(), "{what} backward");
    }
}

#[stack_test]
async fn folder_lists_are_newest_first_in_both_directions(stack: &Stack, acme: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    let within = |parent: Option<usize>| -> Vec<&Value> {
        TREE.iter()
            .zip(&folders)
            .rev()
            .filter(|((_, of), _)| *of == parent)
            .map(|(_, folder)| folder)
            .collect()
    };
    let mut lists = vec![
        (String::new(), folders.iter().rev().collect()),
        ("&parent_id=root".to_owned(), within(None)),
    ];

    for (index, folder) in folders.iter().enumerate() {
        let id = text(&folder["id"]);
        lists.push((
            format!("&parent_id={}", id.to_lowercase()),
            within(Some(index)),
        ));
        lists.push((
            format!("&parent_id={id}&space_id={}", acme.id),
            within(Some(index)),
        ));
    }

    for (filters, expected) in &lists {
        for limit in [1, 3, 100] {
            List {
                client: &acme.client,
                filters,
                limit,
            }
            .check(expected)
            .await;
        }
    }
}

#[stack_test]
async fn list_returns_full_records_in_envelope(stack: &Stack, acme: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    acme.put_ok(
        &format!("{}/access-control", folder_path(&folders[2])),
        json!({"access_control": {"requires_auth": true}}),
    )
    .await;

    for filters in [
        "",
        "?parent_id=root",
        &format!("?parent_id={}", text(&folders[2]["id"])),
    ] {
        let list = acme.fetch(&format!("/folders{filters}")).await.json();
        let keys: Vec<&String> = list.as_object().expect("an object").keys().collect();
        assert_eq!(
            keys,
            ["data", "next_cursor", "path", "per_page", "prev_cursor"],
            "{filters}"
        );
        assert_eq!(
            (&list["path"], &list["per_page"]),
            (&json!("/api/v1/folders"), &json!(20)),
            "{filters}"
        );
        assert_eq!(
            (&list["next_cursor"], &list["prev_cursor"]),
            (&Value::Null, &Value::Null),
            "{filters}"
        );
        let listed = list["data"].as_array().expect("a list");
        assert!(!listed.is_empty(), "{filters}");
        for folder in listed {
            assert_eq!(folder, &get_folder(acme, folder).await, "{filters}");
        }
    }
}

#[stack_test]
async fn list_requires_known_parent_and_valid_limit(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let foreign = other.folder("Photos").await;
    let deleted = acme.folder("Gone").await;
    acme.delete_ok(&folder_path(&deleted)).await;
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
    for limit in ["0", "101", "x"] {
        let path = format!("/folders?limit={limit}&parent_id=root");
        let errors = acme.get_err(422, &path).await;
        assert!(errors["limit"].is_array(), "{limit}: {errors}");
    }
}

#[stack_test]
async fn list_of_unknown_or_foreign_space_returns_404(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let outsider = stack.user().await;

    for space in [UNKNOWN_ID, "x", &other.id, &acme.handle] {
        let path = format!("/folders?space_id={space}");
        let errors = acme.get_err(404, &path).await;
        assert_eq!(errors, json!({}), "{space}");
    }

    let path = format!("/folders?space_id={}", acme.id);
    outsider.client.get_err(404, &path).await;
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
        List {
            client,
            filters,
            limit: 20,
        }
        .check(&[expected])
        .await;
    }
}

/// Returns the cursor of the second page of a list with one folder a page.
async fn next_cursor(client: &Client, filters: &str) -> String {
    let list = List {
        client,
        filters,
        limit: 1,
    };
    list.page(None).await.next.expect("there is more")
}

/// Asserts that a list rejects its cursor.
async fn assert_invalid_cursor(client: &Client, path: &str) {
    assert_eq!(
        client.get_err(422, path).await,
        json!({"cursor": ["The selected cursor is invalid."]}),
        "{path}"
    );
}

#[stack_test]
async fn cursor_is_valid_for_its_list_only(stack: &Stack, acme: &TestSpace) {
    let client = &acme.client;
    let folders = create_folders(stack, acme).await;
    let [first, second] =
        [&folders[0], &folders[2]].map(|folder| format!("&parent_id={}", text(&folder["id"])));
    let lists = ["", "&parent_id=root", &first, &second];

    for from in lists {
        let cursor = next_cursor(client, from).await;
        for used in lists {
            let path = format!("/folders?limit=1&cursor={cursor}{used}");
            if used == from {
                let page = client.get_ok(&path).await;
                assert_eq!(page.as_array().map(Vec::len), Some(1), "{used}");
            } else {
                assert_invalid_cursor(client, &path).await;
            }
        }
        for other in ["/files", "/spaces", "/upload-configs"] {
            assert_invalid_cursor(client, &format!("{other}?cursor={cursor}")).await;
        }
    }
}

#[stack_test]
async fn cursor_is_valid_for_its_space_and_unchanged_only(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    create_folders(stack, acme).await;
    create_folders(stack, other).await;
    let viewer = acme.role("viewer").await;

    for filters in ["", "&parent_id=root"] {
        let cursor = next_cursor(&acme.client, filters).await;
        let path = format!("/folders?limit=1&cursor={cursor}{filters}");
        viewer.fetch(&path).await;
        for client in [&other.client, &stack.account()] {
            assert_invalid_cursor(client, &path).await;
        }

        let other_letter = if cursor.starts_with('Q') { "x" } else { "Q" };
        for changed in [
            format!("{cursor}A"),
            format!("{other_letter}{}", &cursor[1..]),
            cursor[1..].to_owned(),
            "x".to_owned(),
        ] {
            let path = format!("/folders?limit=1&cursor={changed}{filters}");
            assert_invalid_cursor(&acme.client, &path).await;
        }
    }
}
