//! Files that are uploaded, replaced, moved and deleted during deletions of folders and files: no
//! file is lost, and none is stored in a deleted folder.

use rand::RngExt;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{column, file_path, text};

use super::{RaceFixture, delete_folder, id_of, race};
use crate::{
    support::seeded::{
        operations::{Request, TEXT},
        pick,
    },
    uploads::presign::{PendingFile, presign_body},
};

/// Uploads a text into the root, and returns its record.
async fn upload_to_root(fixture: &mut RaceFixture) -> Value {
    let file = fixture.acme.upload(TEXT).named("note.txt", "text/plain");
    let file = file.into_id("root").await.record;
    fixture.acknowledged.insert(text(&file["id"]));

    file
}

/// Asserts that the CDN delivers a file.
async fn assert_delivered(fixture: &RaceFixture, file: &Value) {
    let delivered = fixture.stack.anonymous.fetch(&text(&file["url"])).await;
    fixture.assert(delivered.body == TEXT, "other bytes are delivered");
}

#[tokio::test]
async fn folder_deletion_and_uploads_are_serialized() {
    race(201, async |fixture| {
        let target = fixture.folder("target", None).await;
        let into_folder = json!({ "folder_id": target });
        let routes = [
            Request::upload(into_folder.clone()),
            Request::upload(json!({"folder_id": target, "folder_path": "x/y"})),
            Request::post("/upload/presign", presign_body(&fixture.acme, into_folder)),
        ];
        let [one, other] = [(); 2].map(|()| pick(&mut fixture.draws, &routes).clone());

        let requests = [one, other, delete_folder(&target)];
        let [one, other, deletion] = fixture.send(requests).await;

        let is_deleted = fixture.succeeded(&deletion, &[204, 409]);
        let accepted = fixture.successes(vec![one, other], [201, 422, 503]);
        let is_lost = is_deleted && !accepted.is_empty();
        fixture.assert(!is_lost, "the deletion deleted accepted files");
        let exists = fixture.find_folder(&target).await.is_some();
        fixture.assert(!is_deleted || !exists, "the deleted folder exists");

        for upload in accepted {
            let id = id_of(&upload);
            assert_accepted_file_is_stored(fixture, &id).await;
            fixture.acknowledged.insert(id);
        }
    })
    .await;
}

/// Asserts that a file exists, that its folder exists and lists it, and that it is delivered if it
/// is active.
async fn assert_accepted_file_is_stored(fixture: &RaceFixture, id: &str) {
    let client = &fixture.acme.client;
    let file = client.get_ok(&format!("/files/{id}")).await;
    let folder = text(&file["folder_id"]);
    let exists = fixture.find_folder(&folder).await.is_some();
    fixture.assert(exists, "the folder of a file is missing");

    let path = format!("/files?space_id={}&folder_id={folder}", fixture.acme.id);
    let listed = column(&client.get_ok(&path).await, "id");
    fixture.assert(
        listed.contains(&json!(id)),
        "an accepted file is not listed",
    );

    if file["status"] == "active" {
        assert_delivered(fixture, &file).await;
    }
}

#[tokio::test]
async fn folder_deletion_and_file_move_are_serialized() {
    race(202, async |fixture| {
        let target = fixture.folder("target", None).await;
        let file = upload_to_root(fixture).await;
        let path = file_path(&file);

        let movement = Request::put(&path, json!({ "folder_id": target }));
        let [deletion, movement] = fixture.send([delete_folder(&target), movement]).await;

        let is_deleted = fixture.succeeded(&deletion, &[204, 409]);
        let is_moved = fixture.succeeded(&movement, &[200, 422, 503]);
        fixture.assert(!is_deleted || !is_moved, "it moved into a deleted folder");
        let record = fixture.acme.get_ok(&path).await;
        let is_there = record["folder_id"] == *target;
        fixture.assert(!is_moved || is_there, "it did not move");
        let is_at_root = record["folder_id"].is_null();
        fixture.assert(!is_deleted || is_at_root, "its folder was deleted");
        assert_delivered(fixture, &file).await;
    })
    .await;
}

#[tokio::test]
async fn file_deleted_during_update_is_gone() {
    race(203, async |fixture| {
        let folder = fixture.folder("folder", None).await;
        let file = upload_to_root(fixture).await;
        let path = file_path(&file);
        let open = json!({"access_control": {"requires_auth": false}});

        let requests = [
            Request::put(&path, json!({"tags": ["a", "b"], "ref": "x"})),
            Request::put(&path, json!({"original_name": "b.txt"})),
            Request::put(&path, json!({ "folder_id": folder })),
            Request::put(&format!("{path}/access-control"), open),
            Request::delete(&path),
            Request::delete(&path),
        ];
        let responses = fixture.send(requests).await;

        let (updates, deletions) = responses.split_at(4);
        fixture.successes(updates.to_vec(), [200, 404]);
        let deleted = fixture.successes(deletions.to_vec(), [204, 404]).len();
        let is_expected = deleted == 1 || (fixture.is_chaotic && deleted == 0);
        fixture.assert(is_expected, "it was not deleted once");

        let api_status = fixture.acme.get(&path).await.status;
        let delivery = fixture.stack.anonymous.get(&text(&file["url"])).await;
        fixture.assert(delivery.status == api_status, "API and CDN differ");
        let exists = deleted == 0 && api_status == 200;
        fixture.assert(api_status == 404 || exists, "the deleted file exists");
        if api_status == 404 {
            let deletion = delete_folder(&folder).send(&fixture.acme).await;
            deletion.expect_status(204);
        }
    })
    .await;
}

#[tokio::test]
async fn replacements_updates_and_deletion_of_a_file_are_serialized() {
    race(206, async |fixture| {
        let folder = fixture.folder("folder", None).await;
        let file = upload_to_root(fixture).await;
        let path = file_path(&file);
        let texts = ["one", "the other"];
        let fields = json!({
            "filename": "note.txt", "content_type": "text/plain", "size": 5, "replaces": file["id"],
        });
        let upload = PendingFile::create(&fixture.acme, fields).await;
        upload.put(&fixture.stack, "third").await;
        let has_deletion = fixture.draws.random_bool(0.3);
        let deletion_or_read = if has_deletion {
            Request::delete(&path)
        } else {
            Request::get(&path)
        };

        let requests = [
            Request::replace(&path, texts[0]),
            Request::replace(&path, texts[1]),
            Request::post(&upload.confirmation(), Value::Null),
            Request::put(&path, json!({ "folder_id": folder })),
            Request::put(&path, json!({"tags": ["a"]})),
            deletion_or_read,
        ];
        let [replacements @ .., _, movement, tagging, deletion] = fixture.send(requests).await;

        let allowed: &[u16] = if has_deletion { &[200, 404] } else { &[200] };
        let is_moved = fixture.succeeded(&movement, allowed);
        let is_tagged = fixture.succeeded(&tagging, allowed);
        let is_replaced = replacements.map(|replaced| fixture.succeeded(&replaced, allowed));
        let is_deleted = fixture.succeeded(&deletion, &[200, 204]) && has_deletion;
        let found = fixture.acme.get(&path).await;
        let delivered = fixture.stack.anonymous.get(&text(&file["url"])).await;
        fixture.assert(delivered.status == found.status, "API and CDN differ");
        if found.status == 404 {
            fixture.assert(is_deleted || fixture.is_chaotic, "it was not deleted");
            return;
        }

        let record = found.expect_ok();
        fixture.assert(!is_deleted, "the deleted file exists");
        let is_there = record["folder_id"] == *folder;
        fixture.assert(!is_moved || is_there, "it did not move");
        fixture.assert(!is_tagged || record["tags"] == json!(["a"]), "no tag");
        let body = delivered.body;
        fixture.assert(record["size"] == body.len(), "size and bytes differ");
        let checksum = hex::encode(Sha256::digest(&body));
        fixture.assert(record["checksum_sha256"] == checksum, "mixed");
        let is_new = body != TEXT;
        fixture.assert(is_new || is_replaced == [false; 2], "old bytes");
    })
    .await;
}

#[tokio::test]
async fn concurrent_uploads_create_missing_folders_once() {
    race(204, async |fixture| {
        let path = format!("{}/b/c", fixture.name("a"));

        // Paths are case-insensitive.
        let paths = [path.to_uppercase(), path.clone(), path.clone()];
        let uploads =
            paths.map(|path| Request::upload(json!({"folder_id": "root", "folder_path": path})));
        let uploads = fixture.send(uploads).await;

        let mut folders: Vec<String> = Vec::new();
        for upload in fixture.successes(uploads.into(), [201]) {
            let file = upload.expect_created();
            let record = fixture.acme.get_ok(&file_path(&file)).await;
            let folder_path = text(&file["folder_path"]).to_lowercase();

            assert_eq!(record, file, "{}", fixture.place);
            assert_eq!(folder_path, format!("{path}/"), "{}", fixture.place);
            folders.push(text(&file["folder_id"]));
            fixture.acknowledged.insert(text(&file["id"]));
        }
        folders.dedup();
        fixture.assert(folders.len() <= 1, "several folders have this path");
    })
    .await;
}

#[tokio::test]
async fn pending_file_is_confirmed_moved_and_deleted_concurrently() {
    race(205, async |fixture| {
        let folder = fixture.folder("folder", None).await;
        let fields =
            json!({"filename": "note.txt", "content_type": "text/plain", "size": TEXT.len()});
        let pending = PendingFile::create(&fixture.acme, fields).await;
        pending.put(&fixture.stack, TEXT).await;
        fixture.acknowledged.insert(pending.id().to_owned());
        let path = pending.address();
        let has_deletion = fixture.draws.random_bool(0.5);
        let deletion_or_read = if has_deletion {
            Request::delete(&path)
        } else {
            Request::get(&path)
        };

        let requests = [
            Request::post(&pending.confirmation(), Value::Null),
            Request::put(&path, json!({ "folder_id": folder })),
            deletion_or_read,
        ];
        let [confirmation, movement, deletion] = fixture.send(requests).await;

        let allowed: &[u16] = if has_deletion { &[200, 404] } else { &[200] };
        let is_confirmed = fixture.succeeded(&confirmation, allowed);
        let is_moved = fixture.succeeded(&movement, allowed);
        let is_deleted = fixture.succeeded(&deletion, &[200, 204]) && has_deletion;
        let response = fixture.acme.get(&path).await;
        if is_deleted {
            response.expect_error(404);
            let deletion = delete_folder(&folder).send(&fixture.acme).await;
            deletion.expect_status(204);
            return;
        }
        if has_deletion && response.status == 404 {
            fixture.assert(fixture.is_chaotic, "no deletion succeeded");
            return;
        }

        let file = response.expect_ok();
        let is_there = file["folder_id"] == *folder;
        fixture.assert(!is_moved || is_there, "it did not move");
        let is_active = file["status"] == "active";
        fixture.assert(!is_confirmed || is_active, "it is not active");
        if is_confirmed {
            assert_delivered(fixture, &file).await;
        }
    })
    .await;
}
