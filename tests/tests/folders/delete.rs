//! `DELETE /folders/:id`: only an empty folder is deleted; and the purge of folders.

use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, folder_path, stack_test, text};

use super::create::{ROOT, get_folder, paths};
use crate::{
    spaces::delete::stored_data,
    uploads::presign::{PendingFile, presign_body},
};

/// Content of a folder.
#[derive(Clone, Copy, Debug)]
enum Content {
    File,
    /// A file whose bytes were not sent.
    PendingFile,
    Folder,
}

impl Content {
    /// Creates the content in a folder, and returns its path in the API.
    async fn put(self, acme: &TestSpace, folder: &Value) -> String {
        match self {
            Content::File => file_address(&upload_to(acme, folder).await["id"]),
            Content::PendingFile => PendingFile::create(acme, json!({"folder_id": folder["id"]}))
                .await
                .address(),
            Content::Folder => folder_path(&acme.folder("Inner").inside(folder).await.record),
        }
    }
}

pub(super) fn file_address(id: &Value) -> String {
    format!("/files/{}", text(id))
}

/// Uploads the photo into a folder.
pub(super) async fn upload_to(acme: &TestSpace, folder: &Value) -> Value {
    acme.upload(PHOTO).into(folder).await.record
}

pub(super) async fn delete(acme: &TestSpace, folder: &Value) -> Response {
    acme.delete(&folder_path(folder)).await
}

/// Asserts that a folder cannot be deleted and is unchanged.
async fn assert_full(acme: &TestSpace, folder: &Value) {
    let before = get_folder(acme, folder).await;
    let response = delete(acme, folder).await;
    let message = text(&response.json()["message"]);
    assert!(message.contains("not empty"), "{message}");
    assert_eq!(
        response.expect_error(409),
        json!({"id": ["The id field must be the id of an empty folder."]})
    );
    assert_eq!(get_folder(acme, folder).await, before);
}

/// Asserts that a folder is deleted at once and permanently.
pub(super) async fn assert_deleted(acme: &TestSpace, folder: &Value) {
    assert!(
        delete(acme, folder)
            .await
            .expect_status(204)
            .body
            .is_empty()
    );
    acme.get_err(404, &folder_path(folder)).await;
    delete(acme, folder).await.expect_error(404);
}

#[stack_test]
async fn delete_nonempty_folder_returns_409(stack: &Stack, acme: &TestSpace) {
    for content in [Content::Folder, Content::File, Content::PendingFile] {
        let around = acme.folder("Around").await;
        for outer in [&ROOT, &around] {
            let folder = acme.folder("Photos").inside(outer).await;
            let inside = content.put(acme, &folder).await;
            assert_full(acme, &folder).await;
            acme.get_ok(&inside).await;
            acme.delete_ok(&inside).await;
            assert_deleted(acme, &folder).await;
            let again = acme.folder("PHOTOS").inside(outer).await;
            assert_ne!(again["id"], folder["id"], "{content:?}");
            assert_deleted(acme, &again).await;
        }
        assert_eq!(
            get_folder(acme, &around).await["has_children"],
            false,
            "{content:?}"
        );
        assert_deleted(acme, &around).await;
    }

    assert!(paths(acme).await.is_empty());
    stack.run_purges().await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn folder_is_deletable_after_content_moved_away(stack: &Stack, acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let folder = acme.folder("Folder").inside(&outer).await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let file = upload_to(acme, &folder).await;

    assert_full(acme, &outer).await;
    acme.put_ok(&folder_path(&inner), json!({"parent_id": null}))
        .await;
    assert_full(acme, &outer).await;
    assert_full(acme, &folder).await;
    acme.put_ok(
        &file_address(&file["id"]),
        json!({"folder_id": inner["id"]}),
    )
    .await;
    assert_full(acme, &inner).await;
    assert_full(acme, &outer).await;
    assert_deleted(acme, &folder).await;
    assert_deleted(acme, &outer).await;

    let remaining_file = acme.get_ok(&file_address(&file["id"])).await;

    assert_eq!(remaining_file["folder_path"], "Inner/");
    assert!(
        stack
            .anonymous
            .fetch(&text(&remaining_file["url"]))
            .await
            .body
            == PHOTO
    );
    acme.put_ok(&file_address(&file["id"]), json!({"folder_id": "root"}))
        .await;
    assert_deleted(acme, &inner).await;
    stack.anonymous.fetch(&text(&remaining_file["url"])).await;
}

#[stack_test]
async fn folder_is_deletable_after_pending_file_is_abandoned(stack: &Stack, acme: &TestSpace) {
    let waits = acme.folder("Waits").await;
    let gets = acme.folder("Gets").await;
    let unsent = PendingFile::create(acme, json!({"folder_id": waits["id"]})).await;
    let pending_file = PendingFile::create(acme, json!({"folder_id": gets["id"]})).await;
    pending_file.send(stack, PHOTO).await.expect_status(200);
    assert_full(acme, &waits).await;
    assert_full(acme, &gets).await;

    stack.run_confirm_checks().await;
    acme.get_err(404, &unsent.address()).await;
    assert_deleted(acme, &waits).await;
    let active = acme.get_ok(&pending_file.address()).await;
    assert_eq!(
        (&active["status"], &active["folder_path"]),
        (&json!("active"), &json!("Gets/"))
    );
    assert_full(acme, &gets).await;
    acme.delete_ok(&pending_file.address()).await;
    assert_deleted(acme, &gets).await;
    stack.run_purges().await;
}

#[stack_test]
async fn deleted_folder_is_no_target(stack: &Stack, acme: &TestSpace) {
    let client = &acme.client;
    let deleted = acme.folder("Photos").await;
    let other = acme.folder("Other").await;
    let file = acme.upload(PHOTO).await;
    assert_deleted(acme, &deleted).await;
    let before = stack.dump().await;

    let id = &deleted.id;
    let parent = json!({"parent_id": id});
    let child = json!({"name": "New", "space_id": acme.id, "parent_id": id});
    for response in [
        client.post("/folders", child).await,
        client.put(&folder_path(&other), parent).await,
        client.get(&format!("/folders?parent_id={id}")).await,
    ] {
        assert_eq!(
            response.expect_error(422),
            json!({"parent_id": ["The selected parent id is invalid."]})
        );
    }

    let folder = json!({"folder_id": id});
    let presign = presign_body(acme, folder.clone());
    for response in [
        client.get(&format!("/files?folder_id={id}")).await,
        client.put(&file_address(&file["id"]), folder).await,
        acme.upload(PHOTO).into(&deleted).send().await,
        acme.upload(PHOTO)
            .into(&deleted)
            .with_path("a/b")
            .send()
            .await,
        client.post("/upload/presign", presign).await,
    ] {
        assert_eq!(
            response.expect_error(422),
            json!({"folder_id": ["The selected folder id is invalid."]})
        );
    }
    stack
        .dump()
        .await
        .assert_unchanged(&before, "requests for a deleted folder");
}

#[stack_test]
async fn path_of_deleted_folder_creates_another_folder(stack: &Stack, acme: &TestSpace) {
    let deleted = acme.folder("Photos").await;
    let protected = json!({"access_control": {"requires_auth": true}});
    let access = format!("{}/access-control", folder_path(&deleted));
    acme.put_ok(&access, protected).await;
    assert_deleted(acme, &deleted).await;

    let file = acme.upload(PHOTO).into(&ROOT).with_path("Photos").await;

    assert_ne!(file["folder_id"], deleted["id"]);
    assert_eq!(file["access_control"]["source"], "space");
    stack.anonymous.fetch(file.url()).await;
}

#[stack_test]
async fn deleted_folders_leave_no_items(stack: &Stack, acme: &TestSpace) {
    let before = stored_data(stack).await;
    let outer = acme.folder("Outer").await;
    let one = acme.folder("One").inside(&outer).await;
    let two = acme.folder("Two").inside(&outer).await;
    let client = &acme.client;
    client
        .put_ok(
            &folder_path(&two),
            json!({"parent_id": one["id"], "name": "Été"}),
        )
        .await;
    client
        .put_ok(&folder_path(&outer), json!({"name": "Renamed"}))
        .await;

    let protected = json!({"access_control": {"requires_auth": true}});
    client
        .put_ok(&format!("{}/access-control", folder_path(&one)), protected)
        .await;
    client
        .put_ok(
            &format!("{}/security", folder_path(&two)),
            json!({"security": {}}),
        )
        .await;
    for inner in [&two, &one] {
        assert_full(acme, &outer).await;
        assert_deleted(acme, inner).await;
    }

    assert_deleted(acme, &outer).await;
    stored_data(stack)
        .await
        .assert_unchanged(&before, "folders that were created and deleted");
}
