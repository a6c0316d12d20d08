//! A few folders that many shuffle at once, in any order: whatever comes of it fits together.

use futures::future::join_all;
use rand::Rng;
use serde_json::json;
use tests::{Answer, form, seconds};

use super::{Ring, race, text};

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
    fn draw(ring: &mut Ring, folders: &[String]) -> Act {
        let draws = &mut ring.draws;
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

    async fn perform(&self, ring: &Ring) -> Answer {
        match self {
            Act::Move(id, parent) => ring.move_folder(id, parent.as_deref()).await,
            Act::Rename(id, name) => ring.rename_folder(id, name).await,
            Act::Make(parent, name) => {
                ring.acme
                    .client
                    .post("/folders", ring.new_folder(name, parent.as_deref()))
                    .await
            }
            Act::Delete(id) => ring.delete_folder(id).await,
            Act::Upload(folder, path) => {
                let form = form(&ring.acme.handle, "a.txt", "text/plain", "some text");
                let form = form.text(
                    "folder_id",
                    folder.clone().unwrap_or_else(|| "root".to_owned()),
                );
                let form = path
                    .iter()
                    .fold(form, |form, path| form.text("folder_path", *path));
                ring.acme.client.upload(form).await
            }
        }
    }
}

#[tokio::test]
async fn whatever_is_done_to_folders_at_once_they_fit_together() {
    race(301, shuffled).await;
}

async fn shuffled(ring: &mut Ring) {
    let address = format!("/folders?space_id={}&limit=100", ring.acme.id);
    let listed = ring.acme.client.get(&address).await.demand(200).json();
    let folders = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|folder| text(&folder["id"]));
    let folders: Vec<String> = folders.collect();
    let mut acts = Vec::new();
    for _ in 0..HANDS {
        acts.push((Act::draw(ring, &folders), ring.lateness()));
    }
    let answers = acts
        .iter()
        .map(|(act, lateness)| ring.late(*lateness, act.perform(ring)));
    let answers = ring.meet(join_all(answers)).await;
    let mut gone = Vec::new();
    for ((act, _), answer) in acts.iter().zip(answers) {
        if !ring.demand(&answer, &[200, 201, 204, 404, 409, 422, 503]) {
            continue;
        }
        match act {
            Act::Delete(id) => gone.push(id),
            Act::Upload(..) => {
                ring.told.insert(text(&answer.created()["id"]));
            }
            _ => {}
        }
    }
    for id in gone {
        assert!(
            ring.shown(id).await.is_none(),
            "{:?}: {id} was deleted, and is there: {acts:?}",
            ring.place
        );
        let inside = format!("/files?space_id={}&folder_id={id}", ring.acme.id);
        assert_eq!(
            ring.acme.client.get(&inside).await.refused(422),
            json!({"folder_id": ["The selected folder id is invalid."]})
        );
    }
    if ring.place.1 % TIDIED == TIDIED - 1 {
        ring.look().await;
        tidy(ring).await;
    }
}

/// Deletes the files, and the folders from the innermost one up.
async fn tidy(ring: &Ring) {
    let client = &ring.acme.client;
    let files = client
        .get(&format!("/files?space_id={}&limit=100", ring.acme.id))
        .await
        .demand(200)
        .json();
    for file in files["data"].as_array().expect("a list") {
        client
            .delete(&format!("/files/{}", text(&file["id"])))
            .await
            .demand(204);
    }
    let folders = client
        .get(&format!("/folders?space_id={}&limit=100", ring.acme.id))
        .await
        .demand(200)
        .json();
    let mut folders = folders["data"].as_array().expect("a list").clone();
    folders.sort_by_key(|folder| std::cmp::Reverse(text(&folder["path"]).len()));
    for folder in folders {
        ring.delete_folder(&text(&folder["id"])).await.demand(204);
    }
    // Their bytes follow.
    ring.stack.pass(seconds(1)).await;
}
