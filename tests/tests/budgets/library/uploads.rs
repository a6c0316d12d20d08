//! The number of AWS calls of uploads into folders, and of moves of folders.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, file_path, form, stack_test, text};

use super::{Cost, DEEPEST, cost, counted, folder, nested, stored, warm};
use crate::uploads::presign::{PendingFile, presign_body};

/// Number of files and of folders in a folder that is moved.
const CROWD: usize = 20;

/// Uploads the photo with more fields, and returns the calls apart from [`COUNTED`](super::COUNTED)
/// and the write of the object.
async fn upload(stack: &Stack, acme: &TestSpace, fields: &[(&str, &str)]) -> String {
    let form = form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO);
    let form = fields.iter().fold(form, |form, (name, value)| {
        form.text((*name).to_owned(), (*value).to_owned())
    });
    cost(stack, "uploads", 201, acme.client.upload(form))
        .await
        .calls
}

#[stack_test]
async fn uploads_into_folders_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;

    // The first upload looks up the active config.
    acme.upload(PHOTO).await;

    let ids = nested(&acme, DEEPEST - 1).await;
    for (name, path) in [("kept", "level 1/level 2"), ("made", "new/newer")] {
        acme.upload_config(name)
            .with_settings(json!({"storage": {"folder": path}}))
            .await;
    }

    let deepest = ids.last().expect("a folder").as_str();

    // The space is read together with the config, and again with the folder after the files are
    // stored.
    let cases: &[(&[(&str, &str)], &str)] = &[
        (
            &[],
            "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        (
            &[("folder_id", "root")],
            "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        (
            &[("folder_id", &ids[0])],
            "3 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        (
            &[("folder_id", &ids[4])],
            "4 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        (
            &[("folder_id", deepest)],
            "4 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        // Each name of the path is one read.
        (
            &[("folder_id", "root"), ("folder_path", "level 1/Level 2")],
            "3 BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        (
            &[("folder_id", "root"), ("folder_path", "x/y")],
            "3 BatchGetItem, GetItem, PutObject, SendMessageBatch, 3 TransactWriteItems",
        ),
        (
            &[("folder_id", "root"), ("folder_path", "x/y")],
            "3 BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        (
            &[("upload_config", "kept")],
            "3 BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
        (
            &[("upload_config", "made")],
            "3 BatchGetItem, GetItem, PutObject, SendMessageBatch, 3 TransactWriteItems",
        ),
        // A folder of the request takes precedence over that of the config, which is not read.
        (
            &[("upload_config", "kept"), ("folder_id", "root")],
            "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        ),
    ];

    for (fields, expected) in cases {
        assert_eq!(
            upload(stack, &acme, fields).await,
            counted(expected),
            "{fields:?}"
        );
    }
}

#[stack_test]
async fn presigned_uploads_into_folders_stay_within_call_budget(stack: &Stack) {
    let acme = warm(stack).await;

    // The first upload looks up the active config.
    acme.upload(PHOTO).await;

    let ids = nested(&acme, 5).await;
    let first = ids[0].as_str();
    let fifth = ids[4].as_str();

    for (folder, batches, confirmed) in
        [("root", "2 ", ""), (first, "3 ", "2 "), (fifth, "4 ", "2 ")]
    {
        let presign = acme.client.post(
            "/upload/presign",
            presign_body(&acme, json!({"folder_id": folder})),
        );
        let Cost { response, calls } = cost(stack, "uploads", 201, presign).await;
        let expected = format!("{batches}BatchGetItem, SendMessageBatch, TransactWriteItems");
        assert_eq!(calls, counted(&expected), "{folder}");
        let pending_file = PendingFile {
            response: response.json(),
        };
        pending_file.send(stack, PHOTO).await.expect_status(200);
        // The ancestors are read once, for the response.
        let expected = format!(
            "{confirmed}BatchGetItem, CopyObject, GetItem, GetObject, SendMessageBatch, TransactWriteItems"
        );
        let Cost { calls, .. } =
            cost(stack, "uploads", 200, pending_file.confirm(&acme.client)).await;
        assert_eq!(calls, counted(&expected), "{folder}");
        let Cost { calls, .. } =
            cost(stack, "uploads", 200, pending_file.confirm(&acme.client)).await;
        assert_eq!(
            calls,
            counted(&format!("{confirmed}BatchGetItem")),
            "{folder}"
        );
    }
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn folder_move_takes_same_calls_for_any_content(stack: &Stack) {
    let acme = warm(stack).await;
    let empty = folder(&acme, "empty", None).await;
    let full = folder(&acme, "full", None).await;
    let folder_id = folder(&acme, "place", None).await;
    let mut files = Vec::new();

    for number in 0..CROWD {
        let inner = folder(&acme, &format!("inner {number}"), Some(&full)).await;
        files.extend([stored(&acme, &full).await, stored(&acme, &inner).await]);
    }

    for (parent, expected) in [
        (json!(folder_id), "2 BatchGetItem, TransactWriteItems"),
        (Value::Null, "2 BatchGetItem, TransactWriteItems"),
    ] {
        for id in [&empty, &full] {
            let folder = format!("/folders/{id}");
            let moving = acme.client.put(&folder, json!({ "parent_id": parent }));
            assert_eq!(
                cost(stack, "folders", 200, moving).await.calls,
                counted(expected),
                "{id} to {parent}"
            );
        }
        for file in &files {
            let path = text(&acme.client.get(&file_path(file)).await.expect_ok()["folder_path"]);
            assert_eq!(path.starts_with("place/"), !parent.is_null(), "{path}");
        }
    }
}
