//! `PUT /folders/:id`: moves of folders, cycles and the maximum depth.

use serde_json::{Value, json};
use tests::{File, Folder, PHOTO, Stack, TestSpace, column, name_taken, stack_test, text};

use super::create::{ROOT, assert_only, get_folder, new};

/// Maximum depth of folders.
pub(super) const MOST: usize = 20;

/// Creates nested folders with the names 1, 2, 3 and so on.
pub(super) async fn tower(acme: &TestSpace, height: usize) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for number in 1..=height {
        let parent = folders.last().map(|folder| folder.id.as_str());
        let folder = acme.folder(&number.to_string()).inside_id(parent);
        folders.push(folder.await);
    }
    folders
}

/// Moves a folder into a parent or into the root, and checks that `GET` returns the same record.
pub(super) async fn move_folder(acme: &TestSpace, folder: &Folder, into: &Value) -> Value {
    let body = json!({"parent_id": into["id"]});
    let moved = acme.put_ok(folder.path(), body).await;
    assert_eq!(get_folder(acme, folder).await, moved);
    assert_eq!(moved["parent_id"], into["id"]);
    moved
}

/// Asserts that a folder cannot be moved into a parent.
pub(super) async fn assert_immovable(acme: &TestSpace, folder: &Folder, into: &Folder) {
    for id in [into.id.clone(), into.id.to_lowercase()] {
        let body = json!({"name": "new", "parent_id": id});
        let errors = acme.put_err(422, folder.path(), body).await;
        assert_only(&errors, "parent_id");
    }
}

/// Asserts the paths of folders, and whether they have folders: those that are followed by one of
/// theirs.
async fn assert_tree(acme: &TestSpace, expected: &[(&Folder, &str)]) {
    for (folder, path) in expected {
        let found = get_folder(acme, folder).await;
        assert_eq!(found["path"], *path);
        let mut names = column(&found["ancestors"], "name");
        names.push(found["name"].clone());
        let names = names.iter().map(|name| format!("{}/", text(name)));
        assert_eq!(names.collect::<String>(), *path);
        let parent = column(&found["ancestors"], "id").pop().unwrap_or_default();
        assert_eq!(found["parent_id"], parent, "{path}");
        let mut others = expected.iter().map(|(_, other)| other);
        let has_children = others.any(|other| other != path && other.starts_with(path));
        assert_eq!(found["has_children"], has_children, "{path}");
    }
}

/// Asserts that a file is delivered and unchanged, except for the path of its folder.
async fn assert_in_folder(stack: &Stack, acme: &TestSpace, file: &File, path: &str) {
    let found = acme.get_ok(file.path()).await;

    assert_eq!(found["folder_path"], path);
    for field in ["folder_id", "storage_path", "url", "name", "updated_at"] {
        assert_eq!(found[field], file[field], "{field} is none of a folder's");
    }
    stack.anonymous.fetch(file.url()).await;
}

#[stack_test]
async fn moved_or_renamed_folder_takes_descendants_along(stack: &Stack, acme: &TestSpace) {
    let a = acme.folder("A").await;
    let d = acme.folder("D").await;
    let b = acme.folder("B").inside(&a).await;
    let c = acme.folder("C").inside(&b).await;
    let file = acme.upload(PHOTO).into(&c).await;

    let tree = [(&a, "A/"), (&b, "A/B/"), (&c, "A/B/C/"), (&d, "D/")];
    assert_tree(acme, &tree).await;
    assert_in_folder(stack, acme, &file, "A/B/C/").await;

    assert_eq!(move_folder(acme, &b, &d).await["path"], "D/B/");
    let tree = [(&a, "A/"), (&b, "D/B/"), (&c, "D/B/C/"), (&d, "D/")];
    assert_tree(acme, &tree).await;
    assert_in_folder(stack, acme, &file, "D/B/C/").await;

    move_folder(acme, &d, &a).await;
    let tree = [(&a, "A/"), (&d, "A/D/"), (&b, "A/D/B/"), (&c, "A/D/B/C/")];
    assert_tree(acme, &tree).await;
    assert_in_folder(stack, acme, &file, "A/D/B/C/").await;

    move_folder(acme, &c, &a).await;
    let tree = [(&a, "A/"), (&d, "A/D/"), (&b, "A/D/B/"), (&c, "A/C/")];
    assert_tree(acme, &tree).await;
    assert_in_folder(stack, acme, &file, "A/C/").await;

    acme.put_ok(a.path(), json!({"name": "Z"})).await;
    let tree = [(&a, "Z/"), (&d, "Z/D/"), (&b, "Z/D/B/"), (&c, "Z/C/")];
    assert_tree(acme, &tree).await;
    assert_in_folder(stack, acme, &file, "Z/C/").await;
}

#[stack_test]
async fn null_empty_and_root_move_folder_to_root(acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let set_parent = async |parent: &Value| {
        let body = json!({ "parent_id": parent });
        acme.put_ok(inner.path(), body).await
    };
    let below = [(&outer, "Outer/"), (&inner, "Outer/Inner/")];
    let beside = [(&outer, "Outer/"), (&inner, "Inner/")];

    for top in [json!(null), json!("root"), json!(""), json!(" root ")] {
        assert_tree(acme, &below).await;
        // A repeated move changes nothing.
        for _ in 0..2 {
            let at_top = set_parent(&top).await;
            assert_eq!(at_top["parent_id"], Value::Null, "{top}");
            assert_tree(acme, &beside).await;
        }
        for _ in 0..2 {
            set_parent(&json!(outer.id.to_lowercase())).await;
        }
    }
}

#[stack_test]
async fn move_into_own_descendant_returns_422(stack: &Stack, acme: &TestSpace) {
    let folders = tower(acme, 4).await;
    let target = acme.folder("aside").await;
    let before = stack.dump().await;
    for (index, outer) in folders.iter().enumerate() {
        for inner in &folders[index..] {
            assert_immovable(acme, outer, inner).await;
        }
    }
    stack.assert_unchanged(&before, "such moves").await;

    // A former descendant may become an ancestor.
    move_folder(acme, &folders[2], &target).await;
    move_folder(acme, &folders[0], &folders[3]).await;
    let expected = [
        (&target, "aside/"),
        (&folders[2], "aside/3/"),
        (&folders[3], "aside/3/4/"),
        (&folders[0], "aside/3/4/1/"),
        (&folders[1], "aside/3/4/1/2/"),
    ];
    assert_tree(acme, &expected).await;
    for (outer, _) in &expected[..4] {
        assert_immovable(acme, outer, &folders[1]).await;
    }
    assert_tree(acme, &expected).await;
}

#[stack_test]
async fn move_to_parent_with_taken_name_returns_422(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let old = acme.folder("Old").await;
    let twin = acme.folder("PHOTOS").inside(&old).await;
    let assert_taken = async |folder: &Folder, body: Value| {
        let errors = acme.put_err(422, folder.path(), body).await;
        assert_eq!(errors, name_taken());
    };
    let before = stack.dump().await;

    assert_taken(&twin, json!({"parent_id": null})).await;
    assert_taken(&photos, json!({"parent_id": old.id})).await;
    assert_taken(&twin, json!({"name": "old", "parent_id": "root"})).await;
    stack.assert_unchanged(&before, "taken names").await;

    let both = json!({"name": "Pictures", "parent_id": null});
    assert_eq!(acme.put_ok(twin.path(), both).await["path"], "Pictures/");
    // Its former name is free in its former parent.
    move_folder(acme, &photos, &old).await;
    acme.folder("photos").await;
    assert_taken(&photos, json!({"parent_id": null})).await;
    assert_taken(&twin, json!({"name": "Photos", "parent_id": old.id})).await;
    let in_old = [(&old, "Old/"), (&photos, "Old/Photos/")];
    assert_tree(acme, &in_old).await;
    assert_tree(acme, &[(&twin, "Pictures/")]).await;
}

/// Asserts that no folder can be created in a parent.
async fn assert_deepest(acme: &TestSpace, parent: &Folder) {
    let body = new(acme, parent, "more");
    assert_only(&acme.post_err(422, "/folders", body).await, "parent_id");
}

#[stack_test]
async fn folder_depth_is_limited_to_twenty(acme: &TestSpace) {
    let folders = tower(acme, MOST).await;
    let deepest = &folders[MOST - 1];
    let names: Vec<String> = (1..=MOST).map(|number| format!("{number}/")).collect();
    assert_eq!(deepest["path"], names.concat());
    assert_deepest(acme, deepest).await;

    let single = acme.folder("single").await;
    assert_immovable(acme, &single, deepest).await;
    assert_eq!(get_folder(acme, &single).await, single);
    move_folder(acme, &single, &folders[MOST - 2]).await;
    assert_deepest(acme, &single).await;

    // Descendants count: the whole tower fits nowhere, and without its first folder it fits into
    // one folder.
    let foot = acme.folder("foot").await;
    assert_immovable(acme, &folders[0], &foot).await;
    move_folder(acme, &folders[1], &foot).await;
    let path = text(&get_folder(acme, deepest).await["path"]);
    assert!(path.starts_with("foot/2/3/"), "{path}");
    assert_immovable(acme, &foot, &folders[0]).await;
    assert_eq!(get_folder(acme, &folders[0]).await["has_children"], false);
}

#[stack_test]
async fn move_counts_depth_of_deepest_descendant(stack: &Stack, acme: &TestSpace) {
    let folders = tower(acme, MOST).await;
    let tree = acme.folder("tree").await;
    let flat = acme.folder("flat").inside(&tree).await;
    let branch = acme.folder("branch").inside(&tree).await;
    let leaf = acme.folder("leaf").inside(&branch).await;
    let before = stack.dump().await;

    for deep in [MOST - 1, MOST - 2, MOST - 3] {
        assert_immovable(acme, &tree, &folders[deep]).await;
    }
    stack.assert_unchanged(&before, "such moves").await;
    move_folder(acme, &tree, &folders[MOST - 4]).await;
    for full in [&folders[MOST - 1], &leaf] {
        assert_deepest(acme, full).await;
    }
    assert_immovable(acme, &branch, &flat).await;

    // A move within the limit succeeds, and so does a move out of the branch.
    acme.folder("leaf").inside(&flat).await;
    move_folder(acme, &leaf, &ROOT).await;
    move_folder(acme, &branch, &flat).await;
}

#[stack_test]
async fn removed_descendant_does_not_count_for_depth(acme: &TestSpace) {
    let folders = tower(acme, MOST).await;
    let tree = acme.folder("tree").await;
    let branch = acme.folder("branch").inside(&tree).await;
    acme.folder("flat").inside(&tree).await;
    let leaf = acme.folder("leaf").inside(&branch).await;
    let deep = &folders[MOST - 3];
    assert_immovable(acme, &tree, deep).await;
    // The remaining tree has two levels and no third one.
    acme.delete_ok(leaf.path()).await;
    move_folder(acme, &tree, deep).await;
    move_folder(acme, &tree, &ROOT).await;

    let leaf = acme.folder("leaf").inside(&branch).await;
    assert_immovable(acme, &tree, deep).await;
    move_folder(acme, &leaf, &ROOT).await;
    move_folder(acme, &tree, deep).await;
}
