//! Concurrent changes of folders: no cycles, no duplicate names, and nothing in deleted folders.

use serde_json::json;
use tests::text;

use super::{delete_folder, id_of, move_folder, race};
use crate::support::seeded::{operations::Request, pick};

#[tokio::test]
async fn folder_deletion_and_subfolder_creation_are_serialized() {
    race(101, async |fixture| {
        let outer = fixture.folder("outer", None).await;
        let id = fixture.folder("deleted", Some(&outer)).await;
        let [one, other] = ["one", "other"].map(|name| fixture.new_folder(name, &id));

        let deletion = delete_folder(&id);
        let requests = [one, other, deletion.clone(), deletion];
        let [one, other, deletion, repeated] = fixture.send(requests).await;

        // A request during a deletion may return 503, with a time to retry after.
        let deleted = fixture.successes(vec![deletion, repeated], [204, 404, 409, 503]);
        let created = fixture.successes(vec![one, other], [201, 422, 503]);
        let is_deleted = !deleted.is_empty();
        fixture.assert(deleted.len() <= 1, "it was deleted twice");
        fixture.assert(!is_deleted || created.is_empty(), "subfolders were deleted");
        let has_success = is_deleted || !created.is_empty();
        fixture.assert(fixture.is_chaotic || has_success, "no request succeeded");

        let folder = fixture.find_folder(&id).await;
        fixture.assert(!is_deleted || folder.is_none(), "the deleted folder exists");
        let is_parent = folder.is_some_and(|folder| folder["has_children"] == true);
        fixture.assert(created.is_empty() || is_parent, "no subfolder is listed");
        for child in created {
            let stored = fixture.find_folder(&id_of(&child)).await;
            assert_eq!(child.expect_created()["parent_id"], *id);
            fixture.assert(stored.is_some(), "a created subfolder is missing");
        }
    })
    .await;
}

#[tokio::test]
async fn one_of_two_folders_moving_into_each_other_succeeds() {
    race(102, async |fixture| {
        let first = fixture.folder("first", None).await;
        let second = fixture.folder("second", None).await;
        let first_child = fixture.folder("inner", Some(&first)).await;
        let second_child = fixture.folder("inner", Some(&second)).await;
        // Each moves into the other folder, or into its subfolder.
        let first_target = *pick(&mut fixture.draws, &[&second, &second_child]);
        let second_target = *pick(&mut fixture.draws, &[&first, &first_child]);

        let moves = [(&first, first_target), (&second, second_target)];
        let requests = moves.map(|(id, target)| move_folder(id, target));
        let responses = fixture.send(requests).await;

        let successes = responses.map(|response| fixture.succeeded(&response, &[200, 422]));
        fixture.assert(successes != [true, true], "the folders form a cycle");
        let has_moved = successes != [false, false];
        fixture.assert(fixture.is_chaotic || has_moved, "neither folder moved");
        for ((id, target), is_moved) in moves.into_iter().zip(successes) {
            let folder = fixture.find_folder(id).await.expect("the folder exists");
            let is_there = folder["parent_id"] == **target;
            let is_at_root = folder["parent_id"].is_null();
            fixture.assert(!is_moved || is_there, "a folder was not moved");
            let is_kept = fixture.is_chaotic || is_moved || is_at_root;
            fixture.assert(is_kept, "a folder was moved without a response");
        }
    })
    .await;
}

#[tokio::test]
async fn two_of_three_folders_moving_in_a_cycle_succeed() {
    race(103, async |fixture| {
        let a = fixture.folder("a", None).await;
        let b = fixture.folder("b", None).await;
        let c = fixture.folder("c", None).await;

        let moves = [(&a, &b), (&b, &c), (&c, &a)];
        let responses = fixture
            .send(moves.map(|(id, next)| move_folder(id, next)))
            .await;

        let successes = fixture.successes(responses.into(), [200, 422]).len();
        fixture.assert(successes < 3, "the folders form a cycle");
        fixture.assert(fixture.is_chaotic || successes == 2, "a move was rejected");
        for id in [&a, &b, &c] {
            let folder = fixture.find_folder(id).await.expect("the folder exists");
            let depth = text(&folder["path"]).split('/').count();
            fixture.assert(depth <= 4, "a path is too long");
        }
    })
    .await;
}

#[tokio::test]
async fn one_of_concurrent_claims_of_a_name_succeeds() {
    race(104, async |fixture| {
        let outer = fixture.folder("outer", None).await;
        let first = fixture.folder("first", Some(&outer)).await;
        let second = fixture.folder("second", Some(&outer)).await;
        let moving = fixture.folder("Wanted", None).await;
        let name = fixture.name("wanted");
        let upper_name = fixture.name("WANTED");

        let rename =
            |id: &str, name: &str| Request::put(&format!("/folders/{id}"), json!({ "name": name }));
        let requests = [
            rename(&first, &upper_name),
            rename(&second, &name),
            fixture.new_folder(&name, &outer),
            move_folder(&moving, &outer),
        ];
        let responses = fixture.send(requests).await;

        let succeeded = fixture.successes(responses.to_vec(), [200, 201, 422]).len();
        fixture.assert(succeeded <= 1, "several folders have the name");
        let has_success = fixture.is_chaotic || succeeded == 1;
        fixture.assert(has_success, "no folder has the name");
        let taken = json!({"name": ["The name has already been taken."]});
        for response in responses {
            if response.status == 422 {
                assert_eq!(response.expect_error(422), taken);
            }
        }

        let path = format!("/folders?space_id={}&parent_id={outer}", fixture.acme.id);
        let folders = fixture.acme.get_ok(&path).await;
        let folders = folders.as_array().expect("a list").iter();
        let named = folders.filter(|folder| text(&folder["name"]).to_lowercase() == name);
        let count = named.count();
        fixture.assert(
            count <= 1 && count >= succeeded,
            "the name is not listed once",
        );
    })
    .await;
}

#[tokio::test]
async fn folder_deletion_and_folder_move_are_serialized() {
    race(105, async |fixture| {
        let target = fixture.folder("target", None).await;
        let moving = fixture.folder("moving", None).await;
        fixture.folder("inner", Some(&moving)).await;

        let requests = [delete_folder(&target), move_folder(&moving, &target)];
        let [deletion, movement] = fixture.send(requests).await;

        let is_deleted = fixture.succeeded(&deletion, &[204, 409]);
        let is_moved = fixture.succeeded(&movement, &[200, 422, 503]);
        fixture.assert(!is_deleted || !is_moved, "it moved into a deleted folder");
        let has_success = is_deleted || is_moved;
        fixture.assert(fixture.is_chaotic || has_success, "no request succeeded");

        let folder = fixture.find_folder(&moving).await;
        let folder = folder.expect("the folder exists");
        fixture.assert(folder["has_children"] == true, "its subfolder is missing");
        let is_there = folder["parent_id"] == *target;
        fixture.assert(!is_moved || is_there, "it did not move");
        let is_at_root = folder["parent_id"].is_null();
        fixture.assert(!is_deleted || is_at_root, "its parent was deleted");

        let is_gone = fixture.find_folder(&target).await.is_none();
        let is_expected = is_gone == is_deleted || (fixture.is_chaotic && is_gone);
        fixture.assert(is_expected, "the deletion and the response differ");
    })
    .await;
}
