//! Files that come into folders, move and go, while folders and files are deleted: none is lost,
//! and none is left in what is gone.

use futures::future::{join, join_all, join3};
use rand::Rng;
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Response, form};

use super::{RaceFixture, race, text};
use crate::uploads::presign::{PendingFile, presign_body};

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
    PendingFile,
}

const WAYS: [Comes; 3] = [Comes::Directly, Comes::ByPath, Comes::PendingFile];

fn note(handle: &str, fields: &[(&str, &str)]) -> Form {
    let form = form(handle, "note.txt", "text/plain", TEXT);
    fields.iter().fold(form, |form, (name, value)| {
        form.text((*name).to_owned(), (*value).to_owned())
    })
}

impl Comes {
    async fn send(self, fixture: &RaceFixture, folder: &str) -> Response {
        let (client, handle) = (&fixture.acme.client, &fixture.acme.handle);
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
            Comes::PendingFile => {
                client
                    .post(
                        "/upload/presign",
                        presign_body(&fixture.acme, json!({ "folder_id": folder })),
                    )
                    .await
            }
        }
    }
}

/// The id of the file that was uploaded or announced.
fn id_of(response: &Response) -> String {
    let body = response.json();
    text(if body["file_id"].is_string() {
        &body["file_id"]
    } else {
        &body["data"]["id"]
    })
}

/// Uploads a text into a folder, or into none where that is `root`; gives its record.
async fn stored(fixture: &mut RaceFixture, folder: &str) -> Value {
    let file = fixture
        .acme
        .client
        .upload(note(&fixture.acme.handle, &[("folder_id", folder)]))
        .await
        .expect_created();
    fixture.reported.insert(text(&file["id"]));
    file
}

fn address(file: &Value) -> String {
    format!("/files/{}", text(&file["id"]))
}

#[tokio::test]
async fn folder_deletion_and_uploads_are_serialized() {
    race(201, uploaded_into_the_doomed).await;
}

async fn uploaded_into_the_doomed(fixture: &mut RaceFixture) {
    let doomed = fixture.folder(&fixture.name("doomed"), None).await;
    let ways = [
        WAYS[fixture.draws.random_range(0..WAYS.len())],
        WAYS[fixture.draws.random_range(0..WAYS.len())],
    ];
    let lateness = [fixture.lateness(), fixture.lateness(), fixture.lateness()];
    let uploads =
        [0, 1].map(|index| fixture.late(lateness[index], ways[index].send(fixture, &doomed)));
    let deletion = fixture.late(lateness[2], fixture.delete_folder(&doomed));
    let (deletion, uploads) = fixture.meet(join(deletion, join_all(uploads))).await;
    let deleted = fixture.check(&deletion, &[204, 409]);
    let stored: Vec<Response> = uploads
        .into_iter()
        .filter(|upload| fixture.check(upload, &[201, 422, 503]))
        .collect();

    assert!(
        !deleted || stored.is_empty(),
        "{:?}: files went with their folder: {ways:?}",
        fixture.place
    );
    assert!(
        !deleted || fixture.shown(&doomed).await.is_none(),
        "{:?}",
        fixture.place
    );

    for upload in stored {
        let id = id_of(&upload);
        let file = fixture
            .acme
            .client
            .get(&format!("/files/{id}"))
            .await
            .expect_ok();
        let folder = text(&file["folder_id"]);

        assert!(
            fixture.shown(&folder).await.is_some(),
            "{:?}: {file}",
            fixture.place
        );

        let listed = format!("/files?space_id={}&folder_id={folder}", fixture.acme.id);
        let listed = fixture
            .acme
            .client
            .get(&listed)
            .await
            .expect_status(200)
            .json();
        let is_listed = listed["data"]
            .as_array()
            .is_some_and(|files| files.iter().any(|file| file["id"] == id.as_str()));

        assert!(is_listed, "{:?}: {listed}", fixture.place);

        if file["status"] == "active" {
            assert!(
                fixture
                    .stack
                    .anonymous
                    .get(&text(&file["url"]))
                    .await
                    .expect_status(200)
                    .body
                    == TEXT
            );
        }

        fixture.reported.insert(id);
    }
}

#[tokio::test]
async fn folder_deletion_and_file_move_are_serialized() {
    race(202, moved_into_the_doomed).await;
}

async fn moved_into_the_doomed(fixture: &mut RaceFixture) {
    let doomed = fixture.folder(&fixture.name("doomed"), None).await;
    let file = stored(fixture, "root").await;
    let (first, second) = (fixture.lateness(), fixture.lateness());
    let path = address(&file);
    let coming = fixture
        .acme
        .client
        .put(&path, json!({ "folder_id": doomed }));
    let deletion = fixture.late(first, fixture.delete_folder(&doomed));
    let (deletion, coming) = fixture
        .meet(join(deletion, fixture.late(second, coming)))
        .await;
    let (deleted, came) = (
        fixture.check(&deletion, &[204, 409]),
        fixture.check(&coming, &[200, 422, 503]),
    );

    assert!(
        !(deleted && came),
        "{:?}: it came into what is gone",
        fixture.place
    );

    let shown = fixture.acme.client.get(&path).await.expect_ok();
    assert!(
        !came || shown["folder_id"] == doomed.as_str(),
        "{:?}: {shown}",
        fixture.place
    );
    assert!(
        !deleted || shown["folder_id"].is_null(),
        "{:?}: {shown}",
        fixture.place
    );
    fixture
        .stack
        .anonymous
        .get(&text(&file["url"]))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn file_deleted_during_update_is_gone() {
    race(203, changed_and_deleted).await;
}

async fn changed_and_deleted(fixture: &mut RaceFixture) {
    let folder = fixture.folder(&fixture.name("folder"), None).await;
    let file = stored(fixture, "root").await;
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
    let lateness = [(); 6].map(|()| fixture.lateness());
    let client = &fixture.acme.client;
    let updates = changes
        .into_iter()
        .zip(lateness)
        .map(|((end, body), requests)| {
            let path = format!("{path}{end}");
            fixture.late(requests, async move { client.put(&path, body).await })
        });
    let deletions = lateness[4..]
        .iter()
        .map(|requests| fixture.late(*requests, client.delete(&path)));
    let (responses, deletions) = fixture
        .meet(join(join_all(updates), join_all(deletions)))
        .await;

    for response in &responses {
        fixture.check(response, &[200, 404]);
    }

    let deleted = deletions
        .iter()
        .filter(|deletion| fixture.check(deletion, &[204, 404]))
        .count();
    assert!(
        deleted <= 1 && (fixture.is_chaotic || deleted == 1),
        "{:?}: it is deleted {deleted} times",
        fixture.place
    );

    let (shown, delivered) = (
        client.get(&path).await.status,
        fixture.stack.anonymous.get(&url).await.status,
    );
    assert_eq!(
        shown, delivered,
        "{:?}: the API and the CDN agree",
        fixture.place
    );
    assert!(
        shown == 404 || (deleted == 0 && shown == 200),
        "{:?}: {shown}",
        fixture.place
    );

    if shown == 404 {
        fixture.delete_folder(&folder).await.expect_status(204);
    }
}

#[tokio::test]
async fn concurrent_uploads_create_missing_folders_once() {
    race(204, sent_down_one_path).await;
}

async fn sent_down_one_path(fixture: &mut RaceFixture) {
    let (path, lateness) = (
        format!("{}/b/c", fixture.name("a")),
        [(); UPLOADS].map(|()| fixture.lateness()),
    );
    let upload = |number: usize| {
        // A path is the same in any case.
        let path = if number == 0 {
            path.to_uppercase()
        } else {
            path.clone()
        };
        let form = note(
            &fixture.acme.handle,
            &[("folder_id", "root"), ("folder_path", &path)],
        );
        fixture.late(lateness[number], fixture.acme.client.upload(form))
    };
    let uploads = fixture.meet(join_all((0..UPLOADS).map(upload))).await;
    let stored: Vec<Response> = uploads
        .into_iter()
        .filter(|upload| fixture.check(upload, &[201]))
        .collect();
    let mut folders: Vec<String> = Vec::new();
    for upload in stored {
        let file = upload.expect_created();
        fixture.reported.insert(text(&file["id"]));

        let shown = fixture.acme.client.get(&address(&file)).await.expect_ok();
        assert_eq!(shown, file, "{:?}", fixture.place);
        folders.push(text(&file["folder_id"]));
        assert_eq!(
            text(&file["folder_path"]).to_lowercase(),
            format!("{path}/"),
            "{:?}",
            fixture.place
        );
    }

    folders.dedup();
    assert!(folders.len() <= 1, "{:?}: {folders:?}", fixture.place);
}

#[tokio::test]
async fn pending_file_is_confirmed_moved_and_deleted_concurrently() {
    race(205, confirmed_moved_and_deleted).await;
}

async fn confirmed_moved_and_deleted(fixture: &mut RaceFixture) {
    let folder = fixture.folder(&fixture.name("folder"), None).await;
    let body = json!({"filename": "note.txt", "content_type": "text/plain", "size": TEXT.len()});
    let pending_file = PendingFile::create(&fixture.acme, body).await;

    pending_file
        .send(&fixture.stack, TEXT)
        .await
        .expect_status(200);
    fixture.reported.insert(pending_file.id().to_owned());

    let is_deleted = fixture.draws.random_bool(0.5);
    let lateness = [fixture.lateness(), fixture.lateness(), fixture.lateness()];
    let (client, path) = (&fixture.acme.client, pending_file.address());
    let deletion = async {
        if is_deleted {
            Some(fixture.late(lateness[2], client.delete(&path)).await)
        } else {
            None
        }
    };
    let moving = client.put(&path, json!({ "folder_id": folder }));
    let confirming = fixture.late(lateness[0], pending_file.confirm(client));
    let (confirmed, moved, deletion) = fixture
        .meet(join3(
            confirming,
            fixture.late(lateness[1], moving),
            deletion,
        ))
        .await;
    let allowed: &[u16] = if is_deleted { &[200, 404] } else { &[200] };
    let (confirmed, moved) = (
        fixture.check(&confirmed, allowed),
        fixture.check(&moved, allowed),
    );
    let deleted = deletion.is_some_and(|deletion| fixture.check(&deletion, &[204]));
    let shown = client.get(&path).await;

    if deleted {
        shown.expect_error(404);
        fixture.delete_folder(&folder).await.expect_status(204);
        return;
    }

    if is_deleted && shown.status == 404 {
        assert!(fixture.is_chaotic, "{:?}: nobody deleted it", fixture.place);
        return;
    }

    let file = shown.expect_ok();
    assert!(
        !moved || file["folder_id"] == folder.as_str(),
        "{:?}: {file}",
        fixture.place
    );
    assert!(
        !confirmed || file["status"] == "active",
        "{:?}: {file}",
        fixture.place
    );

    if confirmed {
        assert!(
            fixture
                .stack
                .anonymous
                .get(&text(&file["url"]))
                .await
                .expect_status(200)
                .body
                == TEXT
        );
    }
}
