//! `PUT /folders/:id`: moves of folders, cycles and the maximum depth.

use serde_json::{Value, json};
use tests::{File, PHOTO, Response, Stack, TestSpace, folder_path, stack_test, text};

use super::create::{ROOT, assert_only, get_folder};

/// Maximum depth of folders.
pub(super) const MOST: usize = 20;

/// Creates nested folders with the names 1, 2, 3 and so on, the first one in a given folder.
pub(super) async fn tower(acme: &TestSpace, foot: &Value, height: usize) -> Vec<Value> {
    let mut folders: Vec<Value> = Vec::new();
    for number in 1..=height {
        let parent = folders.last().unwrap_or(foot).clone();
        folders.push(
            acme.folder(&number.to_string())
                .inside(&parent)
                .await
                .record,
        );
    }
    folders
}

/// Requests a move into a parent or into the root.
pub(super) async fn put(acme: &TestSpace, folder: &Value, into: &Value) -> Response {
    acme.put(&folder_path(folder), json!({"parent_id": into["id"]}))
        .await
}

/// Moves a folder into a parent or into the root, and checks that `GET` returns the same record.
pub(super) async fn move_folder(acme: &TestSpace, folder: &Value, into: &Value) -> Value {
    let moved = put(acme, folder, into).await.expect_ok();
    assert_eq!(get_folder(acme, folder).await, moved);
    assert_eq!(moved["parent_id"], into["id"]);
    moved
}

/// The expected path of a folder, and whether it has folders.
struct ExpectedFolder<'a> {
    folder: &'a Value,
    path: &'a str,
    has_children: bool,
}

fn parent<'a>(folder: &'a Value, path: &'a str) -> ExpectedFolder<'a> {
    ExpectedFolder {
        folder,
        path,
        has_children: true,
    }
}

fn leaf<'a>(folder: &'a Value, path: &'a str) -> ExpectedFolder<'a> {
    ExpectedFolder {
        folder,
        path,
        has_children: false,
    }
}

async fn assert_tree(acme: &TestSpace, expected: &[ExpectedFolder<'_>]) {
    for expected in expected {
        let folder = get_folder(acme, expected.folder).await;
        assert_eq!(folder["path"], expected.path);
        assert_eq!(
            folder["has_children"], expected.has_children,
            "{}",
            expected.path
        );
    }
}

/// Asserts that a file is delivered and unchanged, except for the path of its folder.
async fn assert_in_folder(stack: &Stack, acme: &TestSpace, file: &File, path: &str) {
    let found = acme.get_ok(file.path()).await;

    assert_eq!(found["folder_id"], file["folder_id"]);
    assert_eq!(found["folder_path"], path);
    for field in ["storage_path", "url", "name", "updated_at"] {
        assert_eq!(found[field], file[field], "{field} is none of a folder's");
    }
    stack.anonymous.fetch(file.url()).await;
}

#[stack_test]
async fn moved_folder_takes_descendants_along(stack: &Stack, acme: &TestSpace) {
    let a = acme.folder("A").await;
    let d = acme.folder("D").await;
    let b = acme.folder("B").inside(&a).await;
    let c = acme.folder("C").inside(&b).await;
    let file = acme.upload(PHOTO).into(&c).await;
    assert_tree(
        acme,
        &[
            parent(&a, "A/"),
            parent(&b, "A/B/"),
            leaf(&c, "A/B/C/"),
            leaf(&d, "D/"),
        ],
    )
    .await;
    assert_in_folder(stack, acme, &file, "A/B/C/").await;

    assert_eq!(move_folder(acme, &b, &d).await["path"], "D/B/");
    assert_tree(
        acme,
        &[
            leaf(&a, "A/"),
            parent(&b, "D/B/"),
            leaf(&c, "D/B/C/"),
            parent(&d, "D/"),
        ],
    )
    .await;
    assert_in_folder(stack, acme, &file, "D/B/C/").await;

    move_folder(acme, &d, &a).await;
    assert_tree(
        acme,
        &[
            parent(&a, "A/"),
            parent(&d, "A/D/"),
            parent(&b, "A/D/B/"),
            leaf(&c, "A/D/B/C/"),
        ],
    )
    .await;
    assert_in_folder(stack, acme, &file, "A/D/B/C/").await;

    move_folder(acme, &c, &a).await;
    assert_tree(
        acme,
        &[
            parent(&a, "A/"),
            parent(&d, "A/D/"),
            leaf(&b, "A/D/B/"),
            leaf(&c, "A/C/"),
        ],
    )
    .await;
    assert_in_folder(stack, acme, &file, "A/C/").await;
}

#[stack_test]
async fn renamed_folder_changes_paths_of_descendants(stack: &Stack, acme: &TestSpace) {
    let a = acme.folder("A").await;
    let d = acme.folder("D").await;
    let b = acme.folder("B").inside(&d).await;
    let c = acme.folder("C").inside(&b).await;
    let file = acme.upload(PHOTO).into(&c).await;
    move_folder(acme, &d, &a).await;

    let rename = json!({"name": "Renamed"});
    acme.put_ok(&folder_path(&a), rename).await;

    assert_tree(
        acme,
        &[
            parent(&a, "Renamed/"),
            parent(&d, "Renamed/D/"),
            parent(&b, "Renamed/D/B/"),
            leaf(&c, "Renamed/D/B/C/"),
        ],
    )
    .await;
    assert_in_folder(stack, acme, &file, "Renamed/D/B/C/").await;
}

#[stack_test]
async fn null_empty_and_root_move_folder_to_root(acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    for top in [json!(null), json!("root"), json!(""), json!(" root ")] {
        assert_tree(
            acme,
            &[parent(&outer, "Outer/"), leaf(&inner, "Outer/Inner/")],
        )
        .await;
        let at_top = acme
            .put_ok(&folder_path(&inner), json!({"parent_id": top}))
            .await;
        assert_eq!(
            (&at_top["path"], &at_top["parent_id"]),
            (&json!("Inner/"), &Value::Null),
            "{top}"
        );
        assert_tree(acme, &[leaf(&outer, "Outer/"), leaf(&inner, "Inner/")]).await;
        // A repeated move changes nothing.
        acme.put_ok(&folder_path(&inner), json!({"parent_id": top}))
            .await;
        assert_tree(acme, &[leaf(&outer, "Outer/"), leaf(&inner, "Inner/")]).await;

        let lower = text(&outer["id"]).to_lowercase();
        for _ in 0..2 {
            acme.put_ok(&folder_path(&inner), json!({"parent_id": lower}))
                .await;
        }
    }
}

#[stack_test]
async fn move_into_own_descendant_returns_422(stack: &Stack, acme: &TestSpace) {
    let folders = tower(acme, &ROOT, 4).await;
    let target = acme.folder("aside").await;
    let before = stack.dump().await;
    for (index, outer) in folders.iter().enumerate() {
        for inner in &folders[index..] {
            assert_only(
                &put(acme, outer, inner).await.expect_error(422),
                "parent_id",
            );
            let lower = text(&inner["id"]).to_lowercase();
            let renamed = acme
                .put(
                    &folder_path(outer),
                    json!({"name": "new", "parent_id": lower}),
                )
                .await;
            assert_only(&renamed.expect_error(422), "parent_id");
        }
    }
    stack
        .dump()
        .await
        .assert_unchanged(&before, "folders in themselves");

    // A former descendant may become an ancestor.
    move_folder(acme, &folders[2], &target).await;
    move_folder(acme, &folders[0], &folders[3]).await;
    let expected = [
        parent(&target.record, "aside/"),
        parent(&folders[2], "aside/3/"),
        parent(&folders[3], "aside/3/4/"),
        parent(&folders[0], "aside/3/4/1/"),
        leaf(&folders[1], "aside/3/4/1/2/"),
    ];
    assert_tree(acme, &expected).await;
    for outer in [&target.record, &folders[2], &folders[3], &folders[0]] {
        assert_only(
            &put(acme, outer, &folders[1]).await.expect_error(422),
            "parent_id",
        );
    }
    assert_tree(acme, &expected).await;
}

#[stack_test]
async fn move_to_parent_with_taken_name_returns_422(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let old = acme.folder("Old").await;
    let twin = acme.folder("PHOTOS").inside(&old).await;
    let name_taken = json!({"name": ["The name has already been taken."]});
    let before = stack.dump().await;
    assert_eq!(put(acme, &twin, &ROOT).await.expect_error(422), name_taken);
    assert_eq!(put(acme, &photos, &old).await.expect_error(422), name_taken);
    let both = json!({"name": "old", "parent_id": "root"});
    assert_eq!(
        acme.put_err(422, &folder_path(&twin), both).await,
        name_taken
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "names that are taken");

    let both = json!({"name": "Pictures", "parent_id": null});
    assert_eq!(
        acme.put_ok(&folder_path(&twin), both).await["path"],
        "Pictures/"
    );
    // Its former name is free in its former parent.
    move_folder(acme, &photos, &old).await;
    acme.folder("photos").await;
    assert_eq!(
        put(acme, &photos, &ROOT).await.expect_error(422),
        name_taken
    );
    let both = json!({"name": "Photos", "parent_id": old["id"]});
    assert_eq!(
        acme.put_err(422, &folder_path(&twin), both).await,
        name_taken
    );
    assert_tree(
        acme,
        &[
            parent(&old, "Old/"),
            leaf(&photos, "Old/Photos/"),
            leaf(&twin, "Pictures/"),
        ],
    )
    .await;
}
