//! `DELETE /folders/:id`: only an empty folder is deleted; and the deletion of spaces that contain
//! folders.

use serde_json::json;
use tests::{Folder, PHOTO, Stack, TestSpace, field_error, seconds, stack_test};

use super::create::{ROOT, get_folder, paths};
use crate::{
    spaces::delete::{stored_data, with_retired},
    uploads::presign::PendingFile,
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
    async fn put(self, acme: &TestSpace, folder: &Folder) -> String {
        match self {
            Content::File => acme.upload(PHOTO).into(folder).await.path().to_owned(),
            Content::PendingFile => {
                let fields = json!({ "folder_id": folder.id });
                PendingFile::create(acme, fields).await.address()
            }
            Content::Folder => acme.folder("Inner").inside(folder).await.path().to_owned(),
        }
    }
}

/// Asserts that a folder cannot be deleted and is unchanged.
async fn assert_full(acme: &TestSpace, folder: &Folder) {
    let before = get_folder(acme, folder).await;
    let response = acme.delete(folder.path()).await;
    response.expect_message("not empty");
    let expected = field_error("id", "must be the id of an empty folder");
    assert_eq!(response.expect_error(409), expected);
    assert_eq!(get_folder(acme, folder).await, before);
}

/// Asserts that a folder is deleted at once and permanently.
pub(super) async fn assert_deleted(acme: &TestSpace, folder: &Folder) {
    acme.delete_ok(folder.path()).await.expect_body("");
    acme.get_err(404, folder.path()).await;
    acme.delete_err(404, folder.path()).await;
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
            assert_ne!(again.id, folder.id, "{content:?}");
            assert_deleted(acme, &again).await;
        }
        let after = get_folder(acme, &around).await;
        assert_eq!(after["has_children"], false, "{content:?}");
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
    let file = acme.upload(PHOTO).into(&folder).await;

    assert_full(acme, &outer).await;
    acme.put_ok(inner.path(), json!({"parent_id": null})).await;
    assert_full(acme, &outer).await;
    assert_full(acme, &folder).await;
    let into_inner = json!({"folder_id": inner.id});
    acme.put_ok(file.path(), into_inner).await;
    assert_full(acme, &inner).await;
    assert_full(acme, &outer).await;
    assert_deleted(acme, &folder).await;
    assert_deleted(acme, &outer).await;

    assert_eq!(acme.get_ok(file.path()).await["folder_path"], "Inner/");
    stack.anonymous.fetch(file.url()).await.expect_body(PHOTO);
    acme.put_ok(file.path(), json!({"folder_id": "root"})).await;
    assert_deleted(acme, &inner).await;
    stack.anonymous.fetch(file.url()).await;
}

#[stack_test]
async fn folder_is_deletable_after_pending_file_is_abandoned(stack: &Stack, acme: &TestSpace) {
    let waits = acme.folder("Waits").await;
    let gets = acme.folder("Gets").await;
    let unsent = PendingFile::create(acme, json!({"folder_id": waits.id})).await;
    let sent = PendingFile::create(acme, json!({"folder_id": gets.id})).await;
    sent.put(stack, PHOTO).await;
    assert_full(acme, &waits).await;
    assert_full(acme, &gets).await;

    stack.run_confirm_checks().await;
    acme.get_err(404, &unsent.address()).await;
    assert_deleted(acme, &waits).await;
    let active = acme.get_ok(&sent.address()).await;
    assert_eq!(active["status"], "active");
    assert_eq!(active["folder_path"], "Gets/");
    assert_full(acme, &gets).await;
    acme.delete_ok(&sent.address()).await;
    assert_deleted(acme, &gets).await;
    stack.run_purges().await;
}

#[stack_test]
async fn path_of_deleted_folder_creates_another_folder(stack: &Stack, acme: &TestSpace) {
    let deleted = acme.folder("Photos").await;
    acme.set_access(deleted.path(), Some(true)).await;
    assert_deleted(acme, &deleted).await;

    let file = acme.upload(PHOTO).into(&ROOT).with_path("Photos").await;

    assert_ne!(file["folder_id"], *deleted.id);
    assert_eq!(file["access_control"]["source"], "space");
    stack.anonymous.fetch(file.url()).await;
}

#[stack_test]
async fn deleted_folders_leave_no_items(stack: &Stack, acme: &TestSpace) {
    let before = stored_data(stack).await;
    let outer = acme.folder("Outer").await;
    let one = acme.folder("One").inside(&outer).await;
    let two = acme.folder("Two").inside(&outer).await;
    let moved = json!({"parent_id": one.id, "name": "Été"});
    acme.put_ok(two.path(), moved).await;
    acme.put_ok(outer.path(), json!({"name": "Renamed"})).await;
    acme.set_access(one.path(), Some(true)).await;
    acme.set_security(two.path(), json!({})).await;

    for inner in [&two, &one] {
        assert_full(acme, &outer).await;
        assert_deleted(acme, inner).await;
    }
    assert_deleted(acme, &outer).await;

    let after = stored_data(stack).await;
    after.assert_unchanged(&before, "folders that were created and deleted");
}

#[stack_test]
async fn delete_space_with_folder_returns_409(stack: &Stack, acme: &TestSpace) {
    let space = format!("/spaces?id={}", acme.id);
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let not_empty = field_error("id", "must be the id of an empty space");

    for folder in [&inner, &outer] {
        for force in ["", "&force=false"] {
            let errors = acme.delete_err(409, &format!("{space}{force}")).await;
            assert_eq!(errors, not_empty);
        }
        // The space remains usable.
        let more = acme.folder("More").inside(&outer).await;
        acme.delete_ok(more.path()).await;
        assert_deleted(acme, folder).await;
    }

    acme.delete_ok(&space).await;
    stack.run_purges().await;
}

#[stack_test]
async fn forced_space_deletion_purges_folders(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let outer = acme.folder("Outer").await;
    let mut inner = acme.folder("Inner").inside(&outer).await;
    for number in 0..40 {
        stack.clock.advance(seconds(1));
        let folder = acme.folder(&number.to_string()).inside(&outer).await;
        if number % 4 == 0 {
            let body = json!({"parent_id": inner.id});
            acme.put_ok(folder.path(), body).await;
        }
        if number % 10 == 0 {
            inner = folder;
        }
    }
    let file = acme.upload(PHOTO).into(&inner).await;
    acme.set_access(inner.path(), Some(true)).await;
    acme.set_access(file.path(), Some(true)).await;
    acme.set_security(outer.path(), json!({})).await;
    let pending = json!({"folder_id": inner.id, "folder_path": "a/b"});
    PendingFile::create(&acme, pending).await;

    acme.delete_by_force().await;

    for (client, status) in [(&acme.client, 401), (&stack.account(), 404)] {
        client.get_err(status, outer.path()).await;
        let list = format!("/folders?space_id={}", acme.id);
        client.get_err(status, &list).await;
    }
    stack.run_purges().await;
    stack.run_confirm_checks().await;
    let after = stored_data(stack).await;
    after.assert_unchanged(&with_retired(before, &acme.handle), "a space with folders");
}
