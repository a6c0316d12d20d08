//! The number of AWS calls of uploads into folders, and of moves of folders.
//!
//! An upload reads the space together with the config, and again with the folder after the files are
//! stored.

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
    cost(stack, "uploads", 201, acme.upload_form(form))
        .await
        .calls
}

/// An upload and what it costs.
struct UploadCost<'a> {
    /// Fields of the form.
    fields: &'a [(&'a str, &'a str)],
    calls: &'a str,
}

/// Asserts the costs of uploads, one after the other.
async fn assert_costs(stack: &Stack, acme: &TestSpace, uploads: &[UploadCost<'_>]) {
    for UploadCost { fields, calls } in uploads {
        let actual = upload(stack, acme, fields).await;
        assert_eq!(actual, counted(calls), "{fields:?}");
    }
}

/// Creates a space and nested folders, and uploads once, since the first upload looks up the active
/// config. Returns the space and the ids of the folders.
async fn warm_library(stack: &Stack) -> Library {
    let acme = warm(stack).await;
    acme.upload(PHOTO).await;
    let folders = nested(&acme, DEEPEST - 1).await;
    Library { acme, folders }
}

/// A space with nested folders.
struct Library {
    acme: TestSpace,
    /// Ids of the folders, from the root down.
    folders: Vec<String>,
}

#[stack_test]
async fn uploads_into_folders_stay_within_call_budget(stack: &Stack) {
    let Library { acme, folders } = warm_library(stack).await;
    let deepest = folders.last().expect("a folder").as_str();

    let uploads = [
        UploadCost {
            fields: &[],
            calls: "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
        UploadCost {
            fields: &[("folder_id", "root")],
            calls: "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
        UploadCost {
            fields: &[("folder_id", &folders[0])],
            calls: "3 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
        UploadCost {
            fields: &[("folder_id", &folders[4])],
            calls: "4 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
        UploadCost {
            fields: &[("folder_id", deepest)],
            calls: "4 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
    ];

    assert_costs(stack, &acme, &uploads).await;
}

#[stack_test]
async fn uploads_into_folder_paths_read_each_name_once(stack: &Stack) {
    let acme = warm_library(stack).await.acme;

    let uploads = [
        UploadCost {
            fields: &[("folder_id", "root"), ("folder_path", "level 1/Level 2")],
            calls: "3 BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
        // Creates both folders.
        UploadCost {
            fields: &[("folder_id", "root"), ("folder_path", "x/y")],
            calls: "3 BatchGetItem, GetItem, PutObject, SendMessageBatch, 3 TransactWriteItems",
        },
        UploadCost {
            fields: &[("folder_id", "root"), ("folder_path", "x/y")],
            calls: "3 BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
    ];

    assert_costs(stack, &acme, &uploads).await;
}

#[stack_test]
async fn uploads_into_folders_of_configs_stay_within_call_budget(stack: &Stack) {
    let acme = warm_library(stack).await.acme;
    for (name, path) in [("kept", "level 1/level 2"), ("made", "new/newer")] {
        let settings = json!({"storage": {"folder": path}});
        acme.upload_config(name).with_settings(settings).await;
    }

    let uploads = [
        UploadCost {
            fields: &[("upload_config", "kept")],
            calls: "3 BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
        UploadCost {
            fields: &[("upload_config", "made")],
            calls: "3 BatchGetItem, GetItem, PutObject, SendMessageBatch, 3 TransactWriteItems",
        },
        // A folder of the request takes precedence over that of the config, which is not read.
        UploadCost {
            fields: &[("upload_config", "kept"), ("folder_id", "root")],
            calls: "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems",
        },
    ];

    assert_costs(stack, &acme, &uploads).await;
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
        let presign = acme.post(
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
        // The ancestors are read once, for the response. The upload config is read for what follows.
        let expected = format!(
            "{confirmed}BatchGetItem, CopyObject, 2 GetItem, GetObject, SendMessageBatch, TransactWriteItems"
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
            let moving = acme.put(&folder, json!({ "parent_id": parent }));
            assert_eq!(
                cost(stack, "folders", 200, moving).await.calls,
                counted(expected),
                "{id} to {parent}"
            );
        }
        for file in &files {
            let path = text(&acme.get_ok(&file_path(file)).await["folder_path"]);
            assert_eq!(path.starts_with("place/"), !parent.is_null(), "{path}");
        }
    }
}
