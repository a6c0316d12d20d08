//! Concurrent changes of folders: no cycles, no duplicate names, and nothing in deleted folders.

use futures::future::{join, join_all, join4};
use rand::RngExt;
use serde_json::json;

use tests::text;

use super::{RaceFixture, race};

/// Number of subfolders that are created in a folder during its deletion.
const CHILDREN: usize = 2;

#[tokio::test]
async fn folder_deletion_and_subfolder_creation_are_serialized() {
    race(101, create_in_deleted_folder).await;
}

async fn create_in_deleted_folder(fixture: &mut RaceFixture) {
    let outer = fixture.folder(&fixture.name("outer"), None).await;
    let id = fixture.folder("deleted", Some(&outer)).await;
    let delays = [(); 4].map(|()| fixture.delay());
    let fixture = &*fixture;
    let round = fixture.id;
    let create = |number: usize| {
        let body = fixture.new_folder(&format!("child {number}"), Some(&id));
        let request = fixture.acme.post("/folders", body);
        fixture.delayed(delays[number], request)
    };
    let creations = join_all((0..CHILDREN).map(create));
    let deletions = join_all(
        delays[CHILDREN..]
            .iter()
            .map(|delay| fixture.delayed(*delay, fixture.delete_folder(&id))),
    );

    let (deletions, creations) = fixture.run_concurrently(join(deletions, creations)).await;

    // A request during a deletion may return 503, with a time to retry after.
    let deleted = deletions
        .iter()
        .filter(|response| fixture.succeeded(response, &[204, 404, 409, 503]))
        .count();
    let created: Vec<_> = creations
        .into_iter()
        .filter(|response| fixture.succeeded(response, &[201, 422, 503]))
        .collect();
    assert!(deleted <= 1, "{round}: deleted {deleted} times");
    assert!(
        deleted == 0 || created.is_empty(),
        "{round}: the deletion deleted created subfolders"
    );
    assert!(
        fixture.is_chaotic || deleted == 1 || !created.is_empty(),
        "{round}: no request succeeded"
    );

    let folder = fixture.find_folder(&id).await;
    assert!(
        deleted == 0 || folder.is_none(),
        "{round}: the deleted folder exists"
    );
    assert!(
        created.is_empty() || folder.is_some_and(|folder| folder["has_children"] == true),
        "{round}"
    );

    for child in created {
        let child = child.expect_created();
        let stored = fixture.find_folder(&text(&child["id"])).await;
        assert_eq!(child["parent_id"], id.as_str());
        assert!(stored.is_some(), "{round}: {child}");
    }
}

#[tokio::test]
async fn one_of_two_folders_moving_into_each_other_succeeds() {
    race(102, move_into_each_other).await;
}

async fn move_into_each_other(fixture: &mut RaceFixture) {
    let first = fixture.folder(&fixture.name("first"), None).await;
    let second = fixture.folder(&fixture.name("second"), None).await;
    let first_child = fixture.folder("inner", Some(&first)).await;
    let second_child = fixture.folder("inner", Some(&second)).await;
    // Each moves into the other folder, or into its subfolder.
    let first_target = [&second, &second_child][fixture.draws.random_range(0..2)];
    let second_target = [&first, &first_child][fixture.draws.random_range(0..2)];
    let delays = [(); 2].map(|()| fixture.delay());
    let round = fixture.id;

    let first_move = fixture.delayed(delays[0], fixture.move_folder(&first, Some(first_target)));
    let second_move = fixture.delayed(delays[1], fixture.move_folder(&second, Some(second_target)));
    let (first_move, second_move) = fixture
        .run_concurrently(join(first_move, second_move))
        .await;

    let moved = [
        fixture.succeeded(&first_move, &[200, 422]),
        fixture.succeeded(&second_move, &[200, 422]),
    ];
    assert_ne!(moved, [true, true], "{round}: the folders form a cycle");
    assert!(
        fixture.is_chaotic || moved != [false, false],
        "{round}: neither folder moved"
    );

    let targets = [(&first, first_target), (&second, second_target)];
    for ((id, target), is_moved) in targets.into_iter().zip(moved) {
        let folder = fixture.find_folder(id).await.expect("the folder exists");
        assert!(
            !is_moved || folder["parent_id"] == target.as_str(),
            "{round}: {folder}"
        );
        assert!(
            fixture.is_chaotic || is_moved || folder["parent_id"].is_null(),
            "{round}: {folder}"
        );
    }
}

#[tokio::test]
async fn two_of_three_folders_moving_in_a_cycle_succeed() {
    race(103, move_in_a_cycle).await;
}

async fn move_in_a_cycle(fixture: &mut RaceFixture) {
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        ids.push(fixture.folder(&fixture.name(name), None).await);
    }
    let delays = [(); 3].map(|()| fixture.delay());
    let round = fixture.id;
    let move_to_next = |index: usize| {
        let next = &ids[(index + 1) % 3];
        fixture.delayed(delays[index], fixture.move_folder(&ids[index], Some(next)))
    };

    let responses = fixture
        .run_concurrently(join_all((0..3).map(move_to_next)))
        .await;

    let moved = responses
        .iter()
        .filter(|response| fixture.succeeded(response, &[200, 422]))
        .count();
    assert!(moved < 3, "{round}: the folders form a cycle");
    assert!(fixture.is_chaotic || moved == 2, "{round}: {moved} moved");

    for id in &ids {
        let folder = fixture.find_folder(id).await.expect("the folder exists");
        let path = text(&folder["path"]);
        assert!(path.split('/').count() <= 4, "{round}: {path}");
    }
}

#[tokio::test]
async fn one_of_concurrent_claims_of_a_name_succeeds() {
    race(104, use_same_name).await;
}

async fn use_same_name(fixture: &mut RaceFixture) {
    let outer = fixture.folder(&fixture.name("outer"), None).await;
    let first = fixture.folder("first", Some(&outer)).await;
    let second = fixture.folder("second", Some(&outer)).await;
    let moving = fixture.folder(&fixture.name("Wanted"), None).await;
    let name = fixture.name("wanted");
    let upper_name = fixture.name("WANTED");
    let delays = [(); 4].map(|()| fixture.delay());
    let round = fixture.id;
    let client = &fixture.acme.client;

    let rename = fixture.delayed(delays[0], fixture.rename_folder(&first, &upper_name));
    let second_rename = fixture.delayed(delays[1], fixture.rename_folder(&second, &name));
    let body = fixture.new_folder(&name, Some(&outer));
    let creation = fixture.delayed(delays[3], client.post("/folders", body));
    let moving = fixture.delayed(delays[2], fixture.move_folder(&moving, Some(&outer)));
    let responses = fixture
        .run_concurrently(join4(rename, second_rename, creation, moving))
        .await;

    let responses: [_; 4] = responses.into();
    let succeeded = responses
        .iter()
        .filter(|response| fixture.succeeded(response, &[200, 201, 422]))
        .count();
    assert!(succeeded <= 1, "{round}: {succeeded} have the name");
    assert!(
        fixture.is_chaotic || succeeded == 1,
        "{round}: no folder has the name"
    );

    let taken = json!({"name": ["The name has already been taken."]});
    for response in responses {
        if response.status == 422 {
            assert_eq!(response.expect_error(422), taken);
        }
    }

    let path = format!("/folders?space_id={}&parent_id={outer}", fixture.acme.id);
    let list = client.fetch(&path).await.json();
    let folders = list["data"].as_array().expect("a list").iter();
    let count = folders
        .filter(|folder| text(&folder["name"]).to_lowercase() == name)
        .count();
    assert!(count <= 1 && count >= succeeded, "{round}: {list}");
}

#[tokio::test]
async fn folder_deletion_and_folder_move_are_serialized() {
    race(105, move_into_deleted_folder).await;
}

async fn move_into_deleted_folder(fixture: &mut RaceFixture) {
    let target = fixture.folder(&fixture.name("target"), None).await;
    let moving = fixture.folder(&fixture.name("moving"), None).await;
    fixture.folder("inner", Some(&moving)).await;
    let delays = [(); 2].map(|()| fixture.delay());
    let round = fixture.id;

    let deletion = fixture.delayed(delays[0], fixture.delete_folder(&target));
    let movement = fixture.delayed(delays[1], fixture.move_folder(&moving, Some(&target)));
    let (deletion, movement) = fixture.run_concurrently(join(deletion, movement)).await;

    let is_deleted = fixture.succeeded(&deletion, &[204, 409]);
    let is_moved = fixture.succeeded(&movement, &[200, 422, 503]);
    assert!(
        !(is_deleted && is_moved),
        "{round}: the folder moved into a deleted one"
    );
    assert!(
        fixture.is_chaotic || is_deleted || is_moved,
        "{round}: no request succeeded"
    );

    let folder = fixture
        .find_folder(&moving)
        .await
        .expect("the folder exists");
    assert!(folder["has_children"] == true, "{round}: {folder}");
    assert!(
        !is_moved || folder["parent_id"] == target.as_str(),
        "{round}: {folder}"
    );
    assert!(
        !is_deleted || folder["parent_id"].is_null(),
        "{round}: {folder}"
    );

    let is_gone = fixture.find_folder(&target).await.is_none();
    assert!(
        is_gone == is_deleted || (fixture.is_chaotic && is_gone),
        "{round}: gone: {is_gone}"
    );
}
