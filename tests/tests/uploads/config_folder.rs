//! `config.storage.folder`: the default folder of uploads on every route.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, folder_path, stack_test, text};

use super::{
    folders::{MAX_DEPTH, assert_in},
    presign::PendingFile,
    routes::{
        ROUTES,
        Route::{Unsigned, UnsignedPresign},
        Uploads,
    },
};
use crate::folders::create::{assert_only, paths};

#[stack_test]
async fn config_folder_is_used_and_created_for_every_caller(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"storage": {"folder": "/in/Süd/"}})).await;
    let acme = uploads.acme();
    let user = acme.role("user").await;

    // Existing folders match in any case. A renamed folder is created again.
    let top = acme.folder("IN").await;
    let mut expected = vec!["IN/".to_owned()];

    for route in ROUTES {
        let upload = uploads.photo(route).by(&user);
        let first = uploads.record(upload.send().await).await;
        assert_eq!(first["folder_path"], "IN/Süd/", "{route:?}");
        let folder = acme
            .get_ok(&format!("/folders/{}", text(&first["folder_id"])))
            .await;
        assert_eq!(folder["parent_id"], top["id"]);
        // Blank fields are ignored.
        let blank = upload
            .clone()
            .with(&[("folder_id", " "), ("folder_path", "")]);
        for again in [upload, blank] {
            assert_in(&uploads.record(again.send().await).await, &folder);
        }

        let name = format!("{route:?}");
        acme.put_ok(&folder_path(&folder), json!({ "name": name }))
            .await;
        expected.push(format!("IN/{name}/"));
    }

    expected.sort();
    assert_eq!(paths(acme).await, expected);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn unsigned_upload_cannot_choose_folder(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"storage": {"folder": "in"}})).await;
    let id = uploads.acme().folder("Photos").await.id;
    let before = uploads.stored().await;
    let message = |field: &str| {
        json!([format!(
            "The {field} field must not be present: the upload config sets the folder."
        )])
    };
    let id_error = json!({"folder_id": message("folder id")});
    let path_error = json!({"folder_path": message("folder path")});
    let both = json!({"folder_id": message("folder id"), "folder_path": message("folder path")});

    for route in [Unsigned, UnsignedPresign] {
        let errors = async |fields: &[(&str, &str)]| {
            let upload = uploads.photo(route).with(fields);
            upload.send().await.expect_error(422)
        };
        for id in ["root", &id, &id.to_lowercase(), UNKNOWN_ID, "x"] {
            assert_eq!(errors(&[("folder_id", id)]).await, id_error);
            let with_path = [("folder_id", id), ("folder_path", "a/b")];
            assert_eq!(errors(&with_path).await, both);
        }
        for path in ["Photos", "a/b", "a//b"] {
            assert_eq!(errors(&[("folder_path", path)]).await, path_error);
        }
    }

    uploads.assert_unchanged(&before, "requested folders").await;
}

#[stack_test]
async fn changed_config_folder_applies_to_new_files_only(stack: &Stack, acme: &TestSpace) {
    let settings = json!({"storage": {"folder": "first"}});
    let id = acme.upload_config("in").with_settings(settings).await.id;
    let first = acme.upload(PHOTO).with_config("in").await;
    let pending_file = PendingFile::create(acme, json!({"upload_config": "in"})).await;
    let longest = ["a"; MAX_DEPTH].join("/");

    for (folder, path) in [
        (json!("second/Third"), json!("second/Third/")),
        (json!(longest), json!(format!("{longest}/"))),
        (json!("FIRST"), json!("first/")),
        (json!(null), json!(null)),
    ] {
        let change = json!({"config": {"storage": {"folder": folder}}});
        acme.update_upload_config(&id, change).await;
        let file = acme.upload(PHOTO).with_config("in").await;
        assert_eq!(file["folder_path"], path);
    }

    let deeper = json!({"id": id, "config": {"storage": {"folder": format!("{longest}/a")}}});
    let errors = acme.post_err(422, "/upload-configs/update", deeper).await;
    assert_only(&errors, "config.storage.folder");

    pending_file.put(stack, PHOTO).await;
    let confirmed = pending_file.confirm(&acme.client).await.expect_ok();
    for file in [&confirmed, &acme.get_ok(first.path()).await] {
        let expected = json!({"folder_id": first["folder_id"], "folder_path": "first/"});
        assert_fields(file, expected);
    }

    assert_eq!(paths(acme).await.len(), 1 + 2 + MAX_DEPTH);
    stack.run_confirm_checks().await;
}
