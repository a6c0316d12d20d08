//! `GET /folders`: folders of a space, of a folder and of the root, page by page.

use serde_json::{Value, json};
use tests::{Folder, Stack, TestSpace, seconds, stack_test};

use super::create::get_folder;
use crate::support::pages::List;

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
async fn create_folders(stack: &Stack, acme: &TestSpace) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for (name, parent) in TREE {
        stack.clock.advance(seconds(1));
        let parent = parent.map(|index| folders[index].id.as_str());
        let folder = acme.folder(name).inside_id(parent).await;
        folders.push(folder);
    }
    folders
}

/// Asserts that a list contains these folders, on as few pages as possible.
async fn assert_lists(acme: &TestSpace, filters: &str, limit: usize, expected: &[&Folder]) {
    let ids: Vec<&str> = expected.iter().map(|folder| &*folder.id).collect();
    let list = List::new(acme, "/folders", filters, limit);
    let pages = list.assert_lists(&ids).await;
    assert_eq!(pages, ids.len().div_ceil(limit).max(1), "{filters}");
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
        ("parent_id=root".to_owned(), within(None)),
    ];
    for (index, Folder { id, .. }) in folders.iter().enumerate() {
        let lower_case = format!("parent_id={}", id.to_lowercase());
        let with_space = format!("parent_id={id}&space_id={}", acme.id);
        lists.push((lower_case, within(Some(index))));
        lists.push((with_space, within(Some(index))));
    }

    for (filters, expected) in &lists {
        for limit in [1, 3, 100] {
            assert_lists(acme, filters, limit, expected).await;
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
            let mut single = get_folder(acme, folder).await;
            let single_fields = single.as_object_mut().expect("an object");
            assert!(single_fields.remove("ancestors").is_some());
            assert_eq!(folder, &single, "{filters}");
        }
    }
}

#[stack_test]
async fn lists_follow_moves_and_deletions(stack: &Stack, acme: &TestSpace) {
    let folders = create_folders(stack, acme).await;
    let [a, b, c, aa, ba, bb] = [0, 1, 3, 2, 8, 13].map(|index| &folders[index]);
    let check = async |parent: &str, expected: &[&Folder]| {
        let filters = format!("parent_id={parent}");
        assert_lists(acme, &filters, 2, expected).await;
    };
    let set_parent = async |folder: &Folder, parent: Value| {
        let body = json!({ "parent_id": parent });
        acme.put_ok(folder.path(), body).await;
    };
    let in_a = [12, 10, 6, 4].map(|index| &folders[index]);

    // Sorted by creation, not by arrival in the folder.
    set_parent(aa, json!(b.id)).await;
    check(&b.id, &[bb, ba, aa]).await;
    check(&a.id, &in_a).await;
    check(&aa.id, &[&folders[9], &folders[5]]).await;
    set_parent(ba, Value::Null).await;
    check("root", &[&folders[11], ba, &folders[7], c, b, a]).await;
    check(&b.id, &[bb, aa]).await;
    acme.delete_ok(bb.path()).await;
    acme.put_ok(aa.path(), json!({"name": "renamed"})).await;
    check(&b.id, &[aa]).await;
    set_parent(aa, json!(a.id)).await;
    check(&b.id, &[]).await;

    let all = folders.iter().rev().filter(|folder| *folder != bb);
    assert_lists(acme, "", 4, &all.collect::<Vec<_>>()).await;
}
