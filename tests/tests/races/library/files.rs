//! Files that come into folders, move and go, while folders and files are deleted: none is lost,
//! and none is left in what is gone.

use futures::future::{join, join_all, join3};
use rand::Rng;
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Answer, form};

use super::{Ring, race, text};
use crate::uploads::presign::{Announced, said};

/// What files hold here.
const TEXT: &str = "some text";
/// Uploads at once.
const UPLOADS: usize = 3;

/// How a file comes into a folder.
#[derive(Clone, Copy, Debug)]
enum Comes {
    /// Right into it.
    Directly,
    /// Into one in it that has to be made.
    ByPath,
    /// As an announcement.
    Announced,
}

const WAYS: [Comes; 3] = [Comes::Directly, Comes::ByPath, Comes::Announced];

fn note(handle: &str, fields: &[(&str, &str)]) -> Form {
    let form = form(handle, "note.txt", "text/plain", TEXT);
    fields.iter().fold(form, |form, (name, value)| {
        form.text((*name).to_owned(), (*value).to_owned())
    })
}

impl Comes {
    async fn send(self, ring: &Ring, folder: &str) -> Answer {
        let (client, handle) = (&ring.acme.client, &ring.acme.handle);
        match self {
            Comes::Directly => client.upload(note(handle, &[("folder_id", folder)])).await,
            Comes::ByPath => {
                client
                    .upload(note(
                        handle,
                        &[("folder_id", folder), ("folder_path", "x/y")],
                    ))
                    .await
            }
            Comes::Announced => {
                client
                    .post(
                        "/upload/presign",
                        said(&ring.acme, json!({ "folder_id": folder })),
                    )
                    .await
            }
        }
    }
}

/// The id of the file that was uploaded or announced.
fn id_of(answer: &Answer) -> String {
    let body = answer.json();
    text(if body["file_id"].is_string() {
        &body["file_id"]
    } else {
        &body["data"]["id"]
    })
}

/// Uploads a text into a folder, or into none where that is `root`; gives its record.
async fn stored(ring: &mut Ring, folder: &str) -> Value {
    let file = ring
        .acme
        .client
        .upload(note(&ring.acme.handle, &[("folder_id", folder)]))
        .await
        .created();
    ring.told.insert(text(&file["id"]));
    file
}

fn address(file: &Value) -> String {
    format!("/files/{}", text(&file["id"]))
}

#[tokio::test]
async fn of_a_deletion_and_uploads_into_the_folder_one_comes_first() {
    race(201, uploaded_into_the_doomed).await;
}

async fn uploaded_into_the_doomed(ring: &mut Ring) {
    let doomed = ring.folder(&ring.name("doomed"), None).await;
    let ways = [
        WAYS[ring.draws.random_range(0..WAYS.len())],
        WAYS[ring.draws.random_range(0..WAYS.len())],
    ];
    let lateness = [ring.lateness(), ring.lateness(), ring.lateness()];
    let uploads = [0, 1].map(|index| ring.late(lateness[index], ways[index].send(ring, &doomed)));
    let deletion = ring.late(lateness[2], ring.delete_folder(&doomed));
    let (deletion, uploads) = ring.meet(join(deletion, join_all(uploads))).await;
    let deleted = ring.demand(&deletion, &[204, 409]);
    let stored: Vec<Answer> = uploads
        .into_iter()
        .filter(|upload| ring.demand(upload, &[201, 422, 503]))
        .collect();
    assert!(
        !deleted || stored.is_empty(),
        "{:?}: files went with their folder: {ways:?}",
        ring.place
    );
    assert!(
        !deleted || ring.shown(&doomed).await.is_none(),
        "{:?}",
        ring.place
    );
    for upload in stored {
        let id = id_of(&upload);
        let file = ring.acme.client.get(&format!("/files/{id}")).await.ok();
        let folder = text(&file["folder_id"]);
        assert!(
            ring.shown(&folder).await.is_some(),
            "{:?}: {file}",
            ring.place
        );
        let listed = format!("/files?space_id={}&folder_id={folder}", ring.acme.id);
        let listed = ring.acme.client.get(&listed).await.demand(200).json();
        let is_listed = listed["data"]
            .as_array()
            .is_some_and(|files| files.iter().any(|file| file["id"] == id.as_str()));
        assert!(is_listed, "{:?}: {listed}", ring.place);
        if file["status"] == "active" {
            assert!(
                ring.stack
                    .anonymous
                    .get(&text(&file["url"]))
                    .await
                    .demand(200)
                    .body
                    == TEXT
            );
        }
        ring.told.insert(id);
    }
}

#[tokio::test]
async fn of_a_deletion_and_a_file_that_moves_into_the_folder_one_comes_first() {
    race(202, moved_into_the_doomed).await;
}

async fn moved_into_the_doomed(ring: &mut Ring) {
    let doomed = ring.folder(&ring.name("doomed"), None).await;
    let file = stored(ring, "root").await;
    let (first, second) = (ring.lateness(), ring.lateness());
    let path = address(&file);
    let coming = ring.acme.client.put(&path, json!({ "folder_id": doomed }));
    let deletion = ring.late(first, ring.delete_folder(&doomed));
    let (deletion, coming) = ring.meet(join(deletion, ring.late(second, coming))).await;
    let (deleted, came) = (
        ring.demand(&deletion, &[204, 409]),
        ring.demand(&coming, &[200, 422, 503]),
    );
    assert!(
        !(deleted && came),
        "{:?}: it came into what is gone",
        ring.place
    );
    let shown = ring.acme.client.get(&path).await.ok();
    assert!(
        !came || shown["folder_id"] == doomed.as_str(),
        "{:?}: {shown}",
        ring.place
    );
    assert!(
        !deleted || shown["folder_id"].is_null(),
        "{:?}: {shown}",
        ring.place
    );
    ring.stack
        .anonymous
        .get(&text(&file["url"]))
        .await
        .demand(200);
}

#[tokio::test]
async fn a_file_that_is_deleted_while_it_is_changed_is_gone() {
    race(203, changed_and_deleted).await;
}

async fn changed_and_deleted(ring: &mut Ring) {
    let folder = ring.folder(&ring.name("folder"), None).await;
    let file = stored(ring, "root").await;
    let (path, url) = (address(&file), text(&file["url"]));
    let changes = [
        ("", json!({"tags": ["a", "b"], "ref": "x"})),
        ("", json!({"original_name": "b.txt"})),
        ("", json!({ "folder_id": folder })),
        (
            "/access-control",
            json!({"access_control": {"requires_auth": false}}),
        ),
    ];
    let lateness = [(); 6].map(|()| ring.lateness());
    let client = &ring.acme.client;
    let updates = changes
        .into_iter()
        .zip(lateness)
        .map(|((end, body), requests)| {
            let path = format!("{path}{end}");
            ring.late(requests, async move { client.put(&path, body).await })
        });
    let deletions = lateness[4..]
        .iter()
        .map(|requests| ring.late(*requests, client.delete(&path)));
    let (answers, deletions) = ring
        .meet(join(join_all(updates), join_all(deletions)))
        .await;
    for answer in &answers {
        ring.demand(answer, &[200, 404]);
    }
    let deleted = deletions
        .iter()
        .filter(|deletion| ring.demand(deletion, &[204, 404]))
        .count();
    assert!(
        deleted <= 1 && (ring.is_moody || deleted == 1),
        "{:?}: it is deleted {deleted} times",
        ring.place
    );
    let (shown, delivered) = (
        client.get(&path).await.status,
        ring.stack.anonymous.get(&url).await.status,
    );
    assert_eq!(
        shown, delivered,
        "{:?}: the API and the CDN agree",
        ring.place
    );
    assert!(
        shown == 404 || (deleted == 0 && shown == 200),
        "{:?}: {shown}",
        ring.place
    );
    if shown == 404 {
        ring.delete_folder(&folder).await.demand(204);
    }
}

#[tokio::test]
async fn uploads_that_need_the_same_folders_make_them_once() {
    race(204, sent_down_one_path).await;
}

async fn sent_down_one_path(ring: &mut Ring) {
    let (path, lateness) = (
        format!("{}/b/c", ring.name("a")),
        [(); UPLOADS].map(|()| ring.lateness()),
    );
    let upload = |number: usize| {
        // A path is the same in any case.
        let path = if number == 0 {
            path.to_uppercase()
        } else {
            path.clone()
        };
        let form = note(
            &ring.acme.handle,
            &[("folder_id", "root"), ("folder_path", &path)],
        );
        ring.late(lateness[number], ring.acme.client.upload(form))
    };
    let uploads = ring.meet(join_all((0..UPLOADS).map(upload))).await;
    let stored: Vec<Answer> = uploads
        .into_iter()
        .filter(|upload| ring.demand(upload, &[201]))
        .collect();
    let mut folders: Vec<String> = Vec::new();
    for upload in stored {
        let file = upload.created();
        ring.told.insert(text(&file["id"]));
        let shown = ring.acme.client.get(&address(&file)).await.ok();
        assert_eq!(shown, file, "{:?}", ring.place);
        folders.push(text(&file["folder_id"]));
        assert_eq!(
            text(&file["folder_path"]).to_lowercase(),
            format!("{path}/"),
            "{:?}",
            ring.place
        );
    }
    folders.dedup();
    assert!(folders.len() <= 1, "{:?}: {folders:?}", ring.place);
}

#[tokio::test]
async fn an_announced_file_may_be_confirmed_moved_and_deleted_at_once() {
    race(205, confirmed_moved_and_deleted).await;
}

async fn confirmed_moved_and_deleted(ring: &mut Ring) {
    let folder = ring.folder(&ring.name("folder"), None).await;
    let body = json!({"filename": "note.txt", "content_type": "text/plain", "size": TEXT.len()});
    let announced = Announced::to(&ring.acme, body).await;
    announced.send(&ring.stack, TEXT).await.demand(200);
    ring.told.insert(announced.id().to_owned());
    let is_deleted = ring.draws.random_bool(0.5);
    let lateness = [ring.lateness(), ring.lateness(), ring.lateness()];
    let (client, path) = (&ring.acme.client, announced.address());
    let deletion = async {
        if is_deleted {
            Some(ring.late(lateness[2], client.delete(&path)).await)
        } else {
            None
        }
    };
    let moving = client.put(&path, json!({ "folder_id": folder }));
    let confirming = ring.late(lateness[0], announced.confirm(client));
    let (confirmed, moved, deletion) = ring
        .meet(join3(confirming, ring.late(lateness[1], moving), deletion))
        .await;
    let allowed: &[u16] = if is_deleted { &[200, 404] } else { &[200] };
    let (confirmed, moved) = (
        ring.demand(&confirmed, allowed),
        ring.demand(&moved, allowed),
    );
    let deleted = deletion.is_some_and(|deletion| ring.demand(&deletion, &[204]));
    let shown = client.get(&path).await;
    if deleted {
        shown.refused(404);
        ring.delete_folder(&folder).await.demand(204);
        return;
    }
    if is_deleted && shown.status == 404 {
        assert!(ring.is_moody, "{:?}: nobody deleted it", ring.place);
        return;
    }
    let file = shown.ok();
    assert!(
        !moved || file["folder_id"] == folder.as_str(),
        "{:?}: {file}",
        ring.place
    );
    assert!(
        !confirmed || file["status"] == "active",
        "{:?}: {file}",
        ring.place
    );
    if confirmed {
        assert!(
            ring.stack
                .anonymous
                .get(&text(&file["url"]))
                .await
                .demand(200)
                .body
                == TEXT
        );
    }
}
