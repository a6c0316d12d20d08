//! A few folders that many shuffle at once, in any order: whatever comes of it fits together.

use futures::future::join_all;
use rand::Rng;
use serde_json::json;
use tests::{Response, form, seconds};

use super::{RaceFixture, race, text};

/// Folders at most.
const FOLDERS: usize = 6;
/// Things that are done at once.
const HANDS: usize = 5;
/// Rounds after which all that is kept is looked at, and what nobody could delete is deleted.
const TIDIED: u64 = 5;
/// Names of folders: few, so that they meet.
const NAMES: [&str; 4] = ["a", "b", "A", "c"];

/// One thing that is done.
#[derive(Clone, Debug)]
enum Act {
    Move(String, Option<String>),
    Rename(String, &'static str),
    Make(Option<String>, &'static str),
    Delete(String),
    Upload(Option<String>, Option<&'static str>),
}

impl Act {
    fn draw(fixture: &mut RaceFixture, folders: &[String]) -> Act {
        let draws = &mut fixture.draws;
        let name = NAMES[draws.random_range(0..NAMES.len())];
        let place = folders.get(draws.random_range(0..=folders.len())).cloned();
        let Some(folder) = folders.get(draws.random_range(0..=folders.len())).cloned() else {
            return Act::Make(place, name);
        };

        match draws.random_range(0..100) {
            0..45 => Act::Move(folder, place),
            45..60 => Act::Rename(folder, name),
            60..70 if folders.len() < FOLDERS => Act::Make(place, name),
            60..85 => Act::Delete(folder),
            _ => Act::Upload(place, [None, Some("b/c")][draws.random_range(0..2)]),
        }
    }

    async fn perform(&self, fixture: &RaceFixture) -> Response {
        match self {
            Act::Move(id, parent) => fixture.move_folder(id, parent.as_deref()).await,
            Act::Rename(id, name) => fixture.rename_folder(id, name).await,
            Act::Make(parent, name) => {
                fixture
                    .acme
                    .client
                    .post("/folders", fixture.new_folder(name, parent.as_deref()))
                    .await
            }
            Act::Delete(id) => fixture.delete_folder(id).await,
            Act::Upload(folder, path) => {
                let form = form(&fixture.acme.handle, "a.txt", "text/plain", "some text");
                let form = form.text(
                    "folder_id",
                    folder.clone().unwrap_or_else(|| "root".to_owned()),
                );
                let form = path
                    .iter()
                    .fold(form, |form, path| form.text("folder_path", *path));
                fixture.acme.client.upload(form).await
            }
        }
    }
}

#[tokio::test]
async fn concurrent_folder_operations_keep_invariants() {
    race(301, shuffled).await;
}

async fn shuffled(fixture: &mut RaceFixture) {
    let address = format!("/folders?space_id={}&limit=100", fixture.acme.id);
    let listed = fixture
        .acme
        .client
        .get(&address)
        .await
        .expect_status(200)
        .json();
    let folders = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|folder| text(&folder["id"]));
    let folders: Vec<String> = folders.collect();
    let mut acts = Vec::new();
    for _ in 0..HANDS {
        acts.push((Act::draw(fixture, &folders), fixture.lateness()));
    }

    let responses = acts
        .iter()
        .map(|(act, lateness)| fixture.late(*lateness, act.perform(fixture)));
    let responses = fixture.meet(join_all(responses)).await;
    let mut gone = Vec::new();
    for ((act, _), response) in acts.iter().zip(responses) {
        if !fixture.check(&response, &[200, 201, 204, 404, 409, 422, 503]) {
            continue;
        }
        match act {
            Act::Delete(id) => gone.push(id),
            Act::Upload(..) => {
                fixture
                    .reported
                    .insert(text(&response.expect_created()["id"]));
            }
            _ => {}
        }
    }

    for id in gone {
        assert!(
            fixture.shown(id).await.is_none(),
            "{:?}: {id} was deleted, and is there: {acts:?}",
            fixture.place
        );
        let inside = format!("/files?space_id={}&folder_id={id}", fixture.acme.id);
        assert_eq!(
            fixture.acme.client.get(&inside).await.expect_error(422),
            json!({"folder_id": ["The selected folder id is invalid."]})
        );
    }

    if fixture.place.1 % TIDIED == TIDIED - 1 {
        fixture.look().await;
        tidy(fixture).await;
    }
}

/// Deletes the files, and the folders from the innermost one up.
async fn tidy(fixture: &RaceFixture) {
    let client = &fixture.acme.client;
    let files = client
        .get(&format!("/files?space_id={}&limit=100", fixture.acme.id))
        .await
        .expect_status(200)
        .json();

    for file in files["data"].as_array().expect("a list") {
        client
            .delete(&format!("/files/{}", text(&file["id"])))
            .await
            .expect_status(204);
    }

    let folders = client
        .get(&format!("/folders?space_id={}&limit=100", fixture.acme.id))
        .await
        .expect_status(200)
        .json();
    let mut folders = folders["data"].as_array().expect("a list").clone();

    folders.sort_by_key(|folder| std::cmp::Reverse(text(&folder["path"]).len()));

    for folder in folders {
        fixture
            .delete_folder(&text(&folder["id"]))
            .await
            .expect_status(204);
    }

    // Their bytes follow.
    fixture.stack.run_for(seconds(1)).await;
}
