//! Concurrent random operations on few folders keep the library consistent.

use std::array;

use serde_json::{Value, json};
use tests::{column, seconds, text};

use super::{RaceFixture, delete_folder, id_of, race};
use crate::support::seeded::{
    model::{Folder, Model},
    operations::{Kind, Operation, Operations},
};

/// Number of concurrent operations.
const CONCURRENT_OPERATIONS: usize = 5;
/// Number of rounds between checks of all stored items, each followed by a deletion of all.
const CLEANUP_INTERVAL: u64 = 5;
const OPERATIONS: Operations = Operations {
    kinds: &[
        (40, Kind::MoveFolder),
        (13, Kind::RenameFolder),
        (20, Kind::CreateFolder),
        (17, Kind::DeleteFolder),
        (5, Kind::Upload),
        (5, Kind::UploadToPath),
    ],
    max_folders: 6,
    max_files: 1,
};

/// Returns the records of all folders or files.
async fn list(fixture: &RaceFixture, list: &str) -> Value {
    let path = format!("/{list}?space_id={}&limit=100", fixture.acme.id);
    fixture.acme.get_ok(&path).await
}

/// Returns a model with the folders of the space.
async fn model(fixture: &RaceFixture) -> Model {
    let mut model = Model::new(&fixture.acme);
    let listed = list(fixture, "folders").await;
    for folder in listed.as_array().expect("a list") {
        let named = Folder {
            name: text(&folder["name"]),
            parent: folder["parent_id"].as_str().map(str::to_owned),
            access: None,
        };
        model.folders.insert(text(&folder["id"]), named);
    }
    model
}

#[tokio::test]
async fn concurrent_folder_operations_keep_invariants() {
    race(301, async |fixture| {
        let model = model(fixture).await;
        let operations: [Operation; CONCURRENT_OPERATIONS] =
            array::from_fn(|_| OPERATIONS.draw(&model, &mut fixture.draws));

        let requests = operations
            .each_ref()
            .map(|operation| operation.request(&fixture.acme));
        let responses = fixture.send(requests).await;

        let allowed = [200, 201, 204, 404, 409, 422, 503];
        for (operation, response) in operations.iter().zip(responses) {
            if !fixture.succeeded(&response, &allowed) {
                continue;
            }
            if let Operation::Upload(..) | Operation::UploadToPath(_) = operation {
                fixture.acknowledged.insert(id_of(&response));
            }
            if let Operation::DeleteFolder(id) = operation {
                assert_deleted(fixture, id).await;
            }
        }

        if fixture.place.step % CLEANUP_INTERVAL == CLEANUP_INTERVAL - 1 {
            fixture.assert_consistent().await;
            delete_all(fixture).await;
        }
    })
    .await;
}

async fn assert_deleted(fixture: &RaceFixture, id: &str) {
    let exists = fixture.find_folder(id).await.is_some();
    fixture.assert(!exists, "a deleted folder exists");
    let inside = format!("/files?space_id={}&folder_id={id}", fixture.acme.id);
    assert_eq!(
        fixture.acme.get_err(422, &inside).await,
        json!({"folder_id": ["The selected folder id is invalid."]})
    );
}

/// Deletes all files, and then all folders, leaves first.
async fn delete_all(fixture: &RaceFixture) {
    for id in column(&list(fixture, "files").await, "id") {
        let path = format!("/files/{}", text(&id));
        fixture.acme.delete_ok(&path).await;
    }

    let folders = list(fixture, "folders").await;
    let mut folders = folders.as_array().expect("a list").clone();
    folders.sort_by_key(|folder| std::cmp::Reverse(text(&folder["path"]).len()));
    for folder in folders {
        let deletion = delete_folder(&text(&folder["id"]));
        deletion.send(&fixture.acme).await.expect_status(204);
    }

    // Runs the jobs that delete the bytes.
    fixture.stack.run_for(seconds(1)).await;
}
