//! Files that are uploaded, moved and deleted during deletions of folders and files: no file is
//! lost, and none is stored in a deleted folder.

use futures::future::{join, join_all, join3};
use rand::RngExt;
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Response, form, text};

use super::{RaceFixture, race};
use crate::uploads::presign::{PendingFile, presign_body};

/// Content of all files.
const TEXT: &str = "some text";
/// Number of concurrent uploads.
const UPLOADS: usize = 3;

/// How a file is uploaded into a folder.
#[derive(Clone, Copy, Debug)]
enum Route {
    /// Directly, into the folder.
    Folder,
    /// Directly, into a subfolder that does not exist yet.
    Subfolder,
    /// By a presigned URL.
    Presign,
}

const ROUTES: [Route; 3] = [Route::Folder, Route::Subfolder, Route::Presign];

impl Route {
    async fn send(self, fixture: &RaceFixture, folder: &str) -> Response {
        let acme = &fixture.acme;
        match self {
            Route::Folder => {
                let form = text_form(&acme.handle, &[("folder_id", folder)]);
                acme.upload_form(form).await
            }
            Route::Subfolder => {
                let fields = [("folder_id", folder), ("folder_path", "x/y")];
                acme.upload_form(text_form(&acme.handle, &fields)).await
            }
            Route::Presign => {
                let body = presign_body(acme, json!({ "folder_id": folder }));
                acme.post("/upload/presign", body).await
            }
        }
    }
}

fn text_form(handle: &str, fields: &[(&str, &str)]) -> Form {
    let form = form(handle, "note.txt", "text/plain", TEXT);
    fields.iter().fold(form, |form, (name, value)| {
        form.text((*name).to_owned(), (*value).to_owned())
    })
}

/// Returns the id of a file from the response of either route.
fn id_of(response: &Response) -> String {
    let body = response.json();
    text(if body["file_id"].is_string() {
        &body["file_id"]
    } else {
        &body["data"]["id"]
    })
}

/// Uploads a text into the root, and returns its record.
async fn upload_to_root(fixture: &mut RaceFixture) -> Value {
    let form = text_form(&fixture.acme.handle, &[("folder_id", "root")]);
    let file = fixture.acme.upload_form(form).await.expect_created();
    fixture.acknowledged.insert(text(&file["id"]));

    file
}

fn path_of(file: &Value) -> String {
    format!("/files/{}", text(&file["id"]))
}

/// Asserts that the CDN delivers a file.
async fn assert_delivered(fixture: &RaceFixture, file: &Value) {
    let url = text(&file["url"]);
    let delivered = fixture.stack.anonymous.fetch(&url).await;

    assert!(delivered.body == TEXT, "{}: {file}", fixture.id);
}

#[tokio::test]
async fn folder_deletion_and_uploads_are_serialized() {
    race(201, upload_into_deleted_folder).await;
}

async fn upload_into_deleted_folder(fixture: &mut RaceFixture) {
    let target = fixture.folder(&fixture.name("target"), None).await;
    let routes = [
        ROUTES[fixture.draws.random_range(0..ROUTES.len())],
        ROUTES[fixture.draws.random_range(0..ROUTES.len())],
    ];
    let delays = [(); 3].map(|()| fixture.delay());
    let round = fixture.id;

    let uploads =
        [0, 1].map(|index| fixture.delayed(delays[index], routes[index].send(fixture, &target)));
    let deletion = fixture.delayed(delays[2], fixture.delete_folder(&target));
    let (deletion, uploads) = fixture
        .run_concurrently(join(deletion, join_all(uploads)))
        .await;

    let is_deleted = fixture.succeeded(&deletion, &[204, 409]);
    let accepted: Vec<Response> = uploads
        .into_iter()
        .filter(|upload| fixture.succeeded(upload, &[201, 422, 503]))
        .collect();
    assert!(
        !is_deleted || accepted.is_empty(),
        "{round}: the deletion deleted accepted files: {routes:?}"
    );
    assert!(
        !is_deleted || fixture.find_folder(&target).await.is_none(),
        "{round}"
    );

    for upload in accepted {
        let id = id_of(&upload);
        assert_accepted_file_is_stored(fixture, &id).await;
        fixture.acknowledged.insert(id);
    }
}

/// Asserts that a file exists, that its folder exists and lists it, and that it is delivered if it
/// is active.
async fn assert_accepted_file_is_stored(fixture: &RaceFixture, id: &str) {
    let round = fixture.id;
    let client = &fixture.acme.client;
    let file = client.get_ok(&format!("/files/{id}")).await;
    let folder = text(&file["folder_id"]);
    assert!(
        fixture.find_folder(&folder).await.is_some(),
        "{round}: {file}"
    );

    let path = format!("/files?space_id={}&folder_id={folder}", fixture.acme.id);
    let list = client.fetch(&path).await.json();
    let is_listed = list["data"]
        .as_array()
        .is_some_and(|files| files.iter().any(|file| file["id"] == id));
    assert!(is_listed, "{round}: {list}");

    if file["status"] == "active" {
        assert_delivered(fixture, &file).await;
    }
}

#[tokio::test]
async fn folder_deletion_and_file_move_are_serialized() {
    race(202, move_into_deleted_folder).await;
}

async fn move_into_deleted_folder(fixture: &mut RaceFixture) {
    let target = fixture.folder(&fixture.name("target"), None).await;
    let file = upload_to_root(fixture).await;
    let path = path_of(&file);
    let delays = [(); 2].map(|()| fixture.delay());
    let round = fixture.id;
    let client = &fixture.acme.client;

    let deletion = fixture.delayed(delays[0], fixture.delete_folder(&target));
    let movement = client.put(&path, json!({ "folder_id": target }));
    let movement = fixture.delayed(delays[1], movement);
    let (deletion, movement) = fixture.run_concurrently(join(deletion, movement)).await;

    let is_deleted = fixture.succeeded(&deletion, &[204, 409]);
    let is_moved = fixture.succeeded(&movement, &[200, 422, 503]);
    assert!(
        !(is_deleted && is_moved),
        "{round}: the file moved into a deleted folder"
    );

    let record = client.get_ok(&path).await;
    assert!(
        !is_moved || record["folder_id"] == target.as_str(),
        "{round}: {record}"
    );
    assert!(
        !is_deleted || record["folder_id"].is_null(),
        "{round}: {record}"
    );
    assert_delivered(fixture, &file).await;
}

#[tokio::test]
async fn file_deleted_during_update_is_gone() {
    race(203, update_and_delete).await;
}

async fn update_and_delete(fixture: &mut RaceFixture) {
    let folder = fixture.folder(&fixture.name("folder"), None).await;
    let file = upload_to_root(fixture).await;
    let path = path_of(&file);
    let access_path = format!("{path}/access-control");
    let updates = [
        (&path, json!({"tags": ["a", "b"], "ref": "x"})),
        (&path, json!({"original_name": "b.txt"})),
        (&path, json!({ "folder_id": folder })),
        (
            &access_path,
            json!({"access_control": {"requires_auth": false}}),
        ),
    ];
    let delays = [(); 6].map(|()| fixture.delay());
    let round = fixture.id;
    let client = &fixture.acme.client;

    let updates = updates
        .into_iter()
        .zip(delays)
        .map(|((path, body), delay)| fixture.delayed(delay, client.put(path, body)));
    let deletions = delays[4..]
        .iter()
        .map(|delay| fixture.delayed(*delay, client.delete(&path)));
    let requests = join(join_all(updates), join_all(deletions));
    let (updates, deletions) = fixture.run_concurrently(requests).await;

    for update in &updates {
        fixture.succeeded(update, &[200, 404]);
    }
    let deleted = deletions
        .iter()
        .filter(|deletion| fixture.succeeded(deletion, &[204, 404]))
        .count();
    assert!(
        deleted <= 1 && (fixture.is_chaotic || deleted == 1),
        "{round}: deleted {deleted} times"
    );

    let url = text(&file["url"]);
    let api_status = client.get(&path).await.status;
    let cdn_status = fixture.stack.anonymous.get(&url).await.status;
    assert_eq!(api_status, cdn_status, "{round}: the API and the CDN");
    assert!(
        api_status == 404 || (deleted == 0 && api_status == 200),
        "{round}: {api_status}"
    );

    if api_status == 404 {
        fixture.delete_folder(&folder).await.expect_status(204);
    }
}

#[tokio::test]
async fn concurrent_uploads_create_missing_folders_once() {
    race(204, upload_to_one_path).await;
}

async fn upload_to_one_path(fixture: &mut RaceFixture) {
    let path = format!("{}/b/c", fixture.name("a"));
    let delays = [(); UPLOADS].map(|()| fixture.delay());
    let round = fixture.id;
    let client = &fixture.acme.client;
    let upload = |number: usize| {
        // Paths are case-insensitive.
        let path = if number == 0 {
            path.to_uppercase()
        } else {
            path.clone()
        };
        let fields = [("folder_id", "root"), ("folder_path", path.as_str())];
        let form = text_form(&fixture.acme.handle, &fields);
        fixture.delayed(delays[number], client.upload_form(form))
    };

    let uploads = fixture
        .run_concurrently(join_all((0..UPLOADS).map(upload)))
        .await;

    let accepted: Vec<Response> = uploads
        .into_iter()
        .filter(|upload| fixture.succeeded(upload, &[201]))
        .collect();
    let mut folders: Vec<String> = Vec::new();
    for upload in accepted {
        let file = upload.expect_created();
        let record = client.get_ok(&path_of(&file)).await;
        let folder_path = text(&file["folder_path"]).to_lowercase();

        assert_eq!(record, file, "{round}");
        assert_eq!(folder_path, format!("{path}/"), "{round}");
        folders.push(text(&file["folder_id"]));
        fixture.acknowledged.insert(text(&file["id"]));
    }

    folders.dedup();
    assert!(folders.len() <= 1, "{round}: {folders:?}");
}

#[tokio::test]
async fn pending_file_is_confirmed_moved_and_deleted_concurrently() {
    race(205, confirm_move_and_delete).await;
}

async fn confirm_move_and_delete(fixture: &mut RaceFixture) {
    let folder = fixture.folder(&fixture.name("folder"), None).await;
    let body = json!({"filename": "note.txt", "content_type": "text/plain", "size": TEXT.len()});
    let pending_file = PendingFile::create(&fixture.acme, body).await;
    let sent = pending_file.send(&fixture.stack, TEXT).await;
    sent.expect_status(200);
    fixture.acknowledged.insert(pending_file.id().to_owned());
    let has_deletion = fixture.draws.random_bool(0.5);
    let delays = [(); 3].map(|()| fixture.delay());
    let round = fixture.id;
    let client = &fixture.acme.client;
    let path = pending_file.address();

    let confirmation = fixture.delayed(delays[0], pending_file.confirm(client));
    let movement = client.put(&path, json!({ "folder_id": folder }));
    let movement = fixture.delayed(delays[1], movement);
    let deletion = async {
        if has_deletion {
            Some(fixture.delayed(delays[2], client.delete(&path)).await)
        } else {
            None
        }
    };
    let (confirmation, movement, deletion) = fixture
        .run_concurrently(join3(confirmation, movement, deletion))
        .await;

    let allowed: &[u16] = if has_deletion { &[200, 404] } else { &[200] };
    let is_confirmed = fixture.succeeded(&confirmation, allowed);
    let is_moved = fixture.succeeded(&movement, allowed);
    let is_deleted = deletion.is_some_and(|deletion| fixture.succeeded(&deletion, &[204]));
    let response = client.get(&path).await;

    if is_deleted {
        response.expect_error(404);
        fixture.delete_folder(&folder).await.expect_status(204);
        return;
    }
    if has_deletion && response.status == 404 {
        assert!(fixture.is_chaotic, "{round}: no deletion succeeded");
        return;
    }

    let file = response.expect_ok();
    assert!(
        !is_moved || file["folder_id"] == folder.as_str(),
        "{round}: {file}"
    );
    assert!(
        !is_confirmed || file["status"] == "active",
        "{round}: {file}"
    );
    if is_confirmed {
        assert_delivered(fixture, &file).await;
    }
}
