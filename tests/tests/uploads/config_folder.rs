//! `config.storage.folder`: the default folder of uploads on every route.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, folder_path, form, stack_test, text};

use super::{
    folders::{
        BY_KEY, ROUTES,
        Route::{Unsigned, UnsignedPresign},
        Uploads, assert_in,
    },
    presign::PendingFile,
};
use crate::folders::create::{ROOT, assert_only, paths};

/// Maximum depth of folders.
const MAX_DEPTH: usize = 20;

#[stack_test]
async fn config_folder_is_used_and_created_for_every_caller(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"storage": {"folder": "/in/Süd/"}})).await;
    let acme = uploads.acme();
    let user = acme.role("user").await;

    // Existing folders match in any case. A renamed folder is created again.
    let top = acme.folder("IN").await;
    let mut expected = vec!["IN/".to_owned()];

    for route in ROUTES {
        let first = uploads.record(uploads.send(&user, route, &[]).await).await;
        assert_eq!(first["folder_path"], "IN/Süd/", "{route:?}");
        let folder = acme
            .get_ok(&format!("/folders/{}", text(&first["folder_id"])))
            .await;
        assert_eq!(folder["parent_id"], top["id"]);
        assert_in(
            &uploads.record(uploads.send(&user, route, &[]).await).await,
            &folder,
        );
        if ![Unsigned, UnsignedPresign].contains(&route) {
            let blank = [("folder_id", " "), ("folder_path", "")];
            assert_in(&uploads.upload(route, &blank).await, &folder);
        }
        let name = format!("{route:?}");
        acme.put_ok(&folder_path(&folder), json!({"name": name}))
            .await;
        expected.push(format!("IN/{name}/"));
    }

    expected.sort();
    assert_eq!(paths(acme).await, expected);

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn requested_folder_overrides_config(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"storage": {"folder": "in"}})).await;
    let acme = uploads.acme();
    let photos = acme.folder("Photos").await;
    let id = text(&photos["id"]);

    for route in BY_KEY {
        assert_in(
            &uploads.upload(route, &[("folder_id", "root")]).await,
            &ROOT,
        );
        assert_in(&uploads.upload(route, &[("folder_id", &id)]).await, &photos);
        let by_path = [("folder_id", "root"), ("folder_path", "photos")];
        assert_in(&uploads.upload(route, &by_path).await, &photos);
        let errors = uploads
            .send(&acme.client, route, &[("folder_id", UNKNOWN_ID)])
            .await
            .expect_error(422);
        assert_eq!(
            errors,
            json!({"folder_id": ["The selected folder id is invalid."]}),
            "{route:?}"
        );
    }

    assert_eq!(
        paths(acme).await,
        ["Photos/"],
        "the folder of the config was not created"
    );

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn unsigned_upload_cannot_choose_folder(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"storage": {"folder": "in"}})).await;
    let acme = uploads.acme();
    let id = text(&acme.folder("Photos").await["id"]);
    let before = uploads.stored().await;

    for route in [Unsigned, UnsignedPresign] {
        let rejected = async |fields: &[(&str, &str)]| {
            uploads
                .send(&acme.client, route, fields)
                .await
                .expect_error(422)
        };
        for id in ["root", &id, &id.to_lowercase(), UNKNOWN_ID, "x"] {
            assert_only(&rejected(&[("folder_id", id)]).await, "folder_id");
            let both = rejected(&[("folder_id", id), ("folder_path", "a/b")]).await;
            assert!(
                both["folder_id"].is_array() && both["folder_path"].is_array(),
                "{both}"
            );
        }
        for path in ["Photos", "a/b", "a//b"] {
            assert_only(&rejected(&[("folder_path", path)]).await, "folder_path");
        }
    }

    uploads
        .stored()
        .await
        .assert_unchanged(&before, "unsigned uploads with a folder");

    // Blank fields are ignored.
    for route in [Unsigned, UnsignedPresign] {
        let file = uploads
            .upload(route, &[("folder_id", ""), ("folder_path", " ")])
            .await;
        assert_eq!(file["folder_path"], "in/");
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn changed_config_folder_applies_to_new_files_only(stack: &Stack, acme: &TestSpace) {
    let id = acme
        .upload_config("in")
        .with_settings(json!({"storage": {"folder": "first"}}))
        .await
        .id;
    let photo = || form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO).text("upload_config", "in");
    let first = acme.upload_form(photo()).await.expect_created();
    let pending_file = PendingFile::create(acme, json!({"upload_config": "in"})).await;
    let longest = ["a"; MAX_DEPTH].join("/");

    for (folder, path) in [
        (json!("second/Third"), json!("second/Third/")),
        (json!(longest), json!(format!("{longest}/"))),
        (json!("FIRST"), json!("first/")),
        (json!(null), json!(null)),
    ] {
        let change = json!({"id": id, "config": {"storage": {"folder": folder}}});
        acme.post_ok("/upload-configs/update", change).await;
        assert_eq!(
            acme.upload_form(photo()).await.expect_created()["folder_path"],
            path
        );
    }

    let deeper = json!({"id": id, "config": {"storage": {"folder": format!("{longest}/a")}}});
    let errors = acme.post_err(422, "/upload-configs/update", deeper).await;
    assert_only(&errors, "config.storage.folder");

    pending_file.send(stack, PHOTO).await.expect_status(200);
    let confirmed = pending_file.confirm(&acme.client).await.expect_ok();
    let found = acme.get_ok(&format!("/files/{}", text(&first["id"]))).await;

    for file in [&confirmed, &found] {
        assert_eq!(
            (&file["folder_id"], &file["folder_path"]),
            (&first["folder_id"], &json!("first/"))
        );
    }

    assert_eq!(paths(acme).await.len(), 1 + 2 + MAX_DEPTH);

    stack.run_confirm_checks().await;
}
