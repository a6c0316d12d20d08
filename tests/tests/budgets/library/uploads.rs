//! The number of AWS calls of uploads into folders, and of moves of folders.
//!
//! An upload reads the space together with the config, and again with the folder after the files
//! are stored.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, form, stack_test, text};

use super::{Budget, DEEPEST, folder, nested, stored, warm};
use crate::uploads::presign::{PendingFile, presign_body};

/// Number of files and of folders in a folder that is moved.
const CROWD: usize = 20;

/// Creates a space and nested folders, and uploads once, since the first upload looks up the active
/// config. Returns the ids of the folders, from the root down.
async fn warm_library(stack: &Stack) -> (TestSpace, Vec<String>) {
    let acme = warm(stack).await;
    acme.upload(PHOTO).await;
    let folders = nested(&acme, DEEPEST - 1).await;
    (acme, folders)
}

/// Asserts the calls of an upload with these fields, apart from those that store and announce the
/// file.
async fn assert_upload(stack: &Stack, acme: &TestSpace, fields: &[(&str, &str)], calls: &str) {
    let form = form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO);
    let form = fields.iter().fold(form, |form, (name, value)| {
        form.text((*name).to_owned(), (*value).to_owned())
    });
    let (reads, writes) = calls
        .split_once(" + ")
        .unwrap_or((calls, "TransactWriteItems"));
    let calls = format!("{reads}, PutObject, SendMessageBatch, {writes}");

    let upload = acme.request("POST", "/upload").multipart(form);
    let budget = Budget::of(stack, "uploads", &acme.client);
    budget.send(201, upload, &calls).await;
}

#[stack_test]
async fn uploads_into_folders_stay_within_call_budget(stack: &Stack) {
    let (acme, folders) = warm_library(stack).await;

    assert_upload(stack, &acme, &[], "2 BatchGetItem").await;
    for (folder, calls) in [
        ("root", "2 BatchGetItem"),
        (&folders[0], "3 BatchGetItem"),
        (&folders[4], "4 BatchGetItem"),
        (&folders[DEEPEST - 2], "4 BatchGetItem"),
    ] {
        assert_upload(stack, &acme, &[("folder_id", folder)], calls).await;
    }

    for (path, calls) in [
        ("level 1/Level 2", "3 BatchGetItem, 2 GetItem"),
        // Creates both folders.
        ("x/y", "3 BatchGetItem, GetItem + 3 TransactWriteItems"),
        ("x/y", "3 BatchGetItem, 2 GetItem"),
    ] {
        let fields = [("folder_id", "root"), ("folder_path", path)];
        assert_upload(stack, &acme, &fields, calls).await;
    }
}

#[stack_test]
async fn uploads_into_folders_of_configs_stay_within_call_budget(stack: &Stack) {
    let (acme, _) = warm_library(stack).await;
    for (name, path) in [("kept", "level 1/level 2"), ("made", "new/newer")] {
        let settings = json!({"storage": {"folder": path}});
        acme.upload_config(name).with_settings(settings).await;
    }
    let (kept, made) = (("upload_config", "kept"), ("upload_config", "made"));

    let found = "3 BatchGetItem, 2 GetItem";
    assert_upload(stack, &acme, &[kept], found).await;
    let created = "3 BatchGetItem, GetItem + 3 TransactWriteItems";
    assert_upload(stack, &acme, &[made], created).await;
    // A folder of the request takes precedence over that of the config, which is not read.
    let fields = [kept, ("folder_id", "root")];
    assert_upload(stack, &acme, &fields, "2 BatchGetItem").await;
}

#[stack_test]
async fn presigned_uploads_into_folders_stay_within_call_budget(stack: &Stack) {
    let (acme, ids) = warm_library(stack).await;
    let budget = Budget::of(stack, "uploads", &acme.client);

    for (folder, reads, ancestors) in [
        ("root", "2 ", ""),
        (&ids[0], "3 ", "2 "),
        (&ids[4], "4 ", "2 "),
    ] {
        let body = presign_body(&acme, json!({"folder_id": folder}));
        let calls = format!("{reads}BatchGetItem, SendMessageBatch, TransactWriteItems");
        let presigned = budget.create("/upload/presign", body, &calls).await;
        let pending = PendingFile::of(presigned);
        pending.send(stack, PHOTO).await.expect_status(200);
        let confirm = || acme.request("POST", &pending.confirmation());

        // The ancestors are read once, for the response. The upload config is read for what
        // follows.
        let calls = format!(
            "{ancestors}BatchGetItem, CopyObject, 2 GetItem, GetObject, SendMessageBatch, TransactWriteItems"
        );
        budget.send(200, confirm(), &calls).await;
        let calls = format!("{ancestors}BatchGetItem");
        budget.send(200, confirm(), &calls).await;
    }
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn folder_move_takes_same_calls_for_any_content(stack: &Stack) {
    let acme = warm(stack).await;
    let empty = acme.folder("empty").await;
    let full = acme.folder("full").await;
    let place = acme.folder("place").await;
    let mut files = Vec::new();
    for number in 0..CROWD {
        let inner = folder(&acme, &format!("inner {number}"), Some(&full.id)).await;
        files.extend([stored(&acme, &full.id).await, stored(&acme, &inner).await]);
    }

    let budget = Budget::of(stack, "folders", &acme.client);
    for parent in [json!(place.id), Value::Null] {
        for folder in [&empty, &full] {
            let body = json!({ "parent_id": parent });
            let calls = "2 BatchGetItem, TransactWriteItems";
            budget.put(folder.path(), body, calls).await;
        }
        for file in &files {
            let path = text(&acme.get_ok(file.path()).await["folder_path"]);
            assert_eq!(path.starts_with("place/"), !parent.is_null(), "{path}");
        }
    }
}
