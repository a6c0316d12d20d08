//! Maximum depth of folders, and how moves count it.

use tests::{Folder, Stack, TestSpace, stack_test, text};

use super::create::{ROOT, assert_only, get_folder, new};
use super::update::{MOST, assert_immovable, move_folder, tower};

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
    stack
        .assert_unchanged(&before, "folders that would be too deep")
        .await;
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
