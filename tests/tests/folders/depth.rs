//! Maximum depth of folders, and how moves count it.

use serde_json::json;
use tests::{Stack, TestSpace, folder_path, stack_test, text};

use super::create::{ROOT, assert_only, get_folder};

use super::update::{MOST, move_folder, put, tower};

#[stack_test]
async fn folder_depth_is_limited_to_twenty(acme: &TestSpace) {
    let folders = tower(acme, &ROOT, MOST).await;
    let deepest = &folders[MOST - 1];
    let names: Vec<String> = (1..=MOST).map(|number| format!("{number}/")).collect();
    assert_eq!(deepest["path"], json!(names.concat()));
    let body = json!({"name": "21", "space_id": acme.id, "parent_id": deepest["id"]});
    assert_only(&acme.post_err(422, "/folders", body).await, "parent_id");

    let single = acme.folder("single").await;
    assert_only(
        &put(acme, &single, deepest).await.expect_error(422),
        "parent_id",
    );
    assert_eq!(get_folder(acme, &single).await, single);
    move_folder(acme, &single, &folders[MOST - 2]).await;
    let body = json!({"name": "21", "space_id": acme.id, "parent_id": single["id"]});
    assert_only(&acme.post_err(422, "/folders", body).await, "parent_id");

    // Descendants count: the whole tower fits nowhere, and without its first folder it fits into
    // one folder.
    let foot = acme.folder("foot").await;
    assert_only(
        &put(acme, &folders[0], &foot).await.expect_error(422),
        "parent_id",
    );
    move_folder(acme, &folders[1], &foot).await;
    assert!(text(&get_folder(acme, deepest).await["path"]).starts_with("foot/2/3/"));
    assert_only(
        &put(acme, &foot, &folders[0]).await.expect_error(422),
        "parent_id",
    );
    assert_eq!(get_folder(acme, &folders[0]).await["has_children"], false);
}

#[stack_test]
async fn move_counts_depth_of_deepest_descendant(stack: &Stack, acme: &TestSpace) {
    let folders = tower(acme, &ROOT, MOST).await;
    let tree = acme.folder("tree").await;
    let flat = acme.folder("flat").inside(&tree).await;
    let branch = acme.folder("branch").inside(&tree).await;
    let leaf = acme.folder("leaf").inside(&branch).await;
    let before = stack.dump().await;

    for deep in [MOST - 1, MOST - 2, MOST - 3] {
        assert_only(
            &put(acme, &tree, &folders[deep]).await.expect_error(422),
            "parent_id",
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "folders that would be too deep");
    move_folder(acme, &tree, &folders[MOST - 4]).await;
    for full in [&folders[MOST - 1], &leaf] {
        let body = json!({"name": "more", "space_id": acme.id, "parent_id": full["id"]});
        assert_only(&acme.post_err(422, "/folders", body).await, "parent_id");
    }

    assert_only(
        &put(acme, &branch, &flat).await.expect_error(422),
        "parent_id",
    );

    // A move within the limit succeeds, and so does a move out of the branch.
    acme.folder("leaf").inside(&flat).await;
    move_folder(acme, &leaf, &ROOT).await;
    move_folder(acme, &branch, &flat).await;
}

#[stack_test]
async fn removed_descendant_does_not_count_for_depth(acme: &TestSpace) {
    let folders = tower(acme, &ROOT, MOST).await;
    let tree = acme.folder("tree").await;
    let branch = acme.folder("branch").inside(&tree).await;
    acme.folder("flat").inside(&tree).await;
    let leaf = acme.folder("leaf").inside(&branch).await;
    let deep = &folders[MOST - 3];
    assert_only(&put(acme, &tree, deep).await.expect_error(422), "parent_id");
    // The remaining tree has two levels and no third one.
    acme.delete_ok(&folder_path(&leaf)).await;
    move_folder(acme, &tree, deep).await;
    move_folder(acme, &tree, &ROOT).await;

    let leaf = acme.folder("leaf").inside(&branch).await;
    assert_only(&put(acme, &tree, deep).await.expect_error(422), "parent_id");
    move_folder(acme, &leaf, &ROOT).await;
    move_folder(acme, &tree, deep).await;
}
