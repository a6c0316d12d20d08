//! Concurrent random operations on few folders keep the library consistent.

use futures::future::join_all;
use rand::RngExt;
use serde_json::json;
use tests::{Response, form, seconds, text};

use super::{RaceFixture, race};

/// Maximum number of folders.
const MAX_FOLDERS: usize = 6;
/// Number of concurrent operations.
const CONCURRENT_OPERATIONS: usize = 5;
/// Number of rounds between checks of all stored items, each followed by a deletion of all.
const CLEANUP_INTERVAL: u64 = 5;
/// Names of folders: few, so that they conflict.
const NAMES: [&str; 4] = ["a", "b", "A", "c"];

/// An operation on a folder.
#[derive(Clone, Debug)]
enum Operation {
    Move(String, Option<String>),
    Rename(String, &'static str),
    Create(Option<String>, &'static str),
    Delete(String),
    Upload(Option<String>, Option<&'static str>),
}

impl Operation {
    fn draw(fixture: &mut RaceFixture, folders: &[String]) -> Operation {
        let draws = &mut fixture.draws;
        let name = NAMES[draws.random_range(0..NAMES.len())];
        let target = folders.get(draws.random_range(0..=folders.len())).cloned();
        let Some(folder) = folders.get(draws.random_range(0..=folders.len())).cloned() else {
            return Operation::Create(target, name);
        };

        match draws.random_range(0..100) {
            0..45 => Operation::Move(folder, target),
            45..60 => Operation::Rename(folder, name),
            60..70 if folders.len() < MAX_FOLDERS => Operation::Create(target, name),
            60..85 => Operation::Delete(folder),
            _ => Operation::Upload(target, [None, Some("b/c")][draws.random_range(0..2)]),
        }
    }

    async fn perform(&self, fixture: &RaceFixture) -> Response {
        match self {
            Operation::Move(id, parent) => fixture.move_folder(id, parent.as_deref()).await,
            Operation::Rename(id, name) => fixture.rename_folder(id, name).await,
            Operation::Create(parent, name) => {
                fixture
                    .acme
                    .post("/folders", fixture.new_folder(name, parent.as_deref()))
                    .await
            }
            Operation::Delete(id) => fixture.delete_folder(id).await,
            Operation::Upload(folder, path) => {
                let form = form(&fixture.acme.handle, "a.txt", "text/plain", "some text");
                let form = form.text(
                    "folder_id",
                    folder.clone().unwrap_or_else(|| "root".to_owned()),
                );
                let form = path
                    .iter()
                    .fold(form, |form, path| form.text("folder_path", *path));
                fixture.acme.upload_form(form).await
            }
        }
    }
}

#[tokio::test]
async fn concurrent_folder_operations_keep_invariants() {
    race(301, run_random_operations).await;
}

async fn run_random_operations(fixture: &mut RaceFixture) {
    let address = format!("/folders?space_id={}&limit=100", fixture.acme.id);
    let listed = fixture.acme.fetch(&address).await.json();
    let folders = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|folder| text(&folder["id"]));
    let folders: Vec<String> = folders.collect();
    let mut operations = Vec::new();
    for _ in 0..CONCURRENT_OPERATIONS {
        operations.push((Operation::draw(fixture, &folders), fixture.delay()));
    }

    let responses = operations
        .iter()
        .map(|(operation, delay)| fixture.delayed(*delay, operation.perform(fixture)));
    let responses = fixture.run_concurrently(join_all(responses)).await;
    let mut gone = Vec::new();
    for ((operation, _), response) in operations.iter().zip(responses) {
        if !fixture.succeeded(&response, &[200, 201, 204, 404, 409, 422, 503]) {
            continue;
        }
        match operation {
            Operation::Delete(id) => gone.push(id),
            Operation::Upload(..) => {
                fixture
                    .acknowledged
                    .insert(text(&response.expect_created()["id"]));
            }
            _ => {}
        }
    }

    for id in gone {
        assert!(
            fixture.find_folder(id).await.is_none(),
            "{}: {id} was deleted, but exists: {operations:?}",
            fixture.id
        );
        let inside = format!("/files?space_id={}&folder_id={id}", fixture.acme.id);
        assert_eq!(
            fixture.acme.get_err(422, &inside).await,
            json!({"folder_id": ["The selected folder id is invalid."]})
        );
    }

    if fixture.id.round % CLEANUP_INTERVAL == CLEANUP_INTERVAL - 1 {
        fixture.assert_consistent().await;
        delete_all(fixture).await;
    }
}

/// Deletes all files, and then all folders, leaves first.
async fn delete_all(fixture: &RaceFixture) {
    let client = &fixture.acme.client;
    let files = client
        .fetch(&format!("/files?space_id={}&limit=100", fixture.acme.id))
        .await
        .json();

    for file in files["data"].as_array().expect("a list") {
        client
            .delete_ok(&format!("/files/{}", text(&file["id"])))
            .await;
    }

    let folders = client
        .fetch(&format!("/folders?space_id={}&limit=100", fixture.acme.id))
        .await
        .json();
    let mut folders = folders["data"].as_array().expect("a list").clone();

    folders.sort_by_key(|folder| std::cmp::Reverse(text(&folder["path"]).len()));

    for folder in folders {
        fixture
            .delete_folder(&text(&folder["id"]))
            .await
            .expect_status(204);
    }

    // Runs the jobs that delete the bytes.
    fixture.stack.run_for(seconds(1)).await;
}
