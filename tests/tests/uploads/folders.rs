//! The folder of uploads on every route: `folder_id` and `folder_path`, or `config.storage.folder`.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, assert_fields, folder_path, stack_test, text};

use super::{
    presign::PendingFile,
    routes::{
        BY_KEY, ROUTES,
        Route::{Unsigned, UnsignedPresign},
        Uploads,
    },
};
use crate::folders::create::{ROOT, assert_only, paths};

/// Maximum depth of folders.
pub(super) const MAX_DEPTH: usize = 20;

/// Asserts the folder of a file.
#[track_caller]
pub(crate) fn assert_in(file: &Value, folder: &Value) {
    assert_eq!(
        folder_of(file),
        json!({"id": folder["id"], "path": folder["path"]})
    );
}

/// Returns the id and path of a file's folder.
fn folder_of(file: &Value) -> Value {
    json!({"id": file["folder_id"], "path": file["folder_path"]})
}

#[stack_test]
async fn upload_goes_into_requested_folder(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"storage": {"folder": "in"}})).await;
    let acme = uploads.acme();
    let by_config = acme.folder("in").await;
    let photos = acme.folder("Photos").await;
    let south = acme.folder("Süd").inside(&photos).await;
    let beach = acme.folder("Strand").inside(&south).await;
    let lower = photos.id.to_lowercase();
    let blank = format!(" {} ", photos.id);
    let user = acme.role("user").await;

    let cases: [(&[(&str, &str)], &Value); 13] = [
        (&[], &by_config),
        (&[("folder_id", "")], &by_config),
        (&[("folder_id", " "), ("folder_path", "  ")], &by_config),
        (&[("folder_id", "root")], &ROOT),
        (&[("folder_id", &photos.id)], &photos),
        (&[("folder_id", &lower)], &photos),
        (&[("folder_id", &blank), ("folder_path", " ")], &photos),
        (&[("folder_id", &beach.id)], &beach),
        (&[("folder_id", "root"), ("folder_path", "photos")], &photos),
        (
            &[
                ("folder_path", "/PHOTOS/su\u{308}d/"),
                ("folder_id", "root"),
            ],
            &south,
        ),
        (
            &[("folder_id", "root"), ("folder_path", "Photos/Süd/Strand")],
            &beach,
        ),
        (
            &[("folder_id", &photos.id), ("folder_path", "Süd/Strand")],
            &beach,
        ),
        (
            &[("folder_id", &south.id), ("folder_path", "STRAND")],
            &beach,
        ),
    ];

    for (fields, folder) in cases {
        for route in BY_KEY {
            for client in [&acme.client, &user] {
                let upload = uploads.photo(route).with(fields).by(client);
                let file = uploads.record(upload.send().await).await;
                assert_in(&file, folder);
            }
        }
    }

    let expected = ["Photos/", "Photos/Süd/", "Photos/Süd/Strand/", "in/"];
    assert_eq!(paths(acme).await, expected);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn missing_folders_are_created_for_admins_only(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let admin = acme.role("admin").await;
    let user = acme.role("user").await;
    let photos = acme.folder("Photos").await;

    for route in BY_KEY {
        let path = format!("{route:?}/New");
        let fields = [("folder_id", &*photos.id), ("folder_path", &path)];
        let created = uploads.photo(route).with(&fields).by(&admin);
        let file = uploads.record(created.send().await).await;
        assert_eq!(file["folder_path"], format!("Photos/{path}/"));

        // Every uploader can use the folders now, in any case.
        let whole = format!("PHOTOS/{}", path.to_uppercase());
        let fields = [("folder_id", "root"), ("folder_path", &whole)];
        for later in BY_KEY {
            let by_user = uploads.photo(later).with(&fields).by(&user);
            let into_it = uploads.record(by_user.send().await).await;
            assert_in(&into_it, &folder_of(&file));
        }
    }

    let before = uploads.stored().await;
    let fields = [("folder_id", &*photos.id), ("folder_path", "New/Newer")];
    for route in BY_KEY {
        let rejected = uploads.photo(route).with(&fields).by(&user).send().await;
        assert_eq!(rejected.expect_error(403), json!({}));
    }
    uploads.assert_unchanged(&before, "uploads by users").await;
    assert_eq!(paths(acme).await.len(), 1 + 2 * BY_KEY.len());
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn invalid_folder_paths_are_rejected_on_every_route(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let before = uploads.stored().await;
    let missing =
        json!({"folder_id": ["The folder id field is required when folder path is present."]});
    let long = "x".repeat(256);
    let long_inner = format!("a/{}", "é".repeat(256));

    for route in BY_KEY {
        let errors = async |fields: &[(&str, &str)]| {
            let upload = uploads.photo(route).with(fields);
            upload.send().await.expect_error(422)
        };
        assert_eq!(errors(&[("folder_path", "a")]).await, missing);
        let blank = [("folder_path", "a"), ("folder_id", " ")];
        assert_eq!(errors(&blank).await, missing);

        for path in [
            "a//b",
            "..",
            "a/../b",
            ".",
            "a/./b",
            "a/ /b",
            "a\u{7}",
            "a/\u{85}b",
            &long,
            &long_inner,
        ] {
            let malformed = [("folder_id", "root"), ("folder_path", path)];
            assert_only(&errors(&malformed).await, "folder_path");
        }
    }

    uploads.assert_unchanged(&before, "invalid paths").await;
}

/// Returns a path of equal names.
fn repeated(count: usize, name: &str) -> String {
    vec![name; count].join("/")
}

#[stack_test]
async fn folder_path_is_limited_to_folder_depth(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;

    for route in BY_KEY {
        let top = uploads.acme().folder(&format!("{route:?}")).await;
        let upload = async |from: &str, path: &str| {
            let fields = [("folder_id", from), ("folder_path", path)];
            uploads.upload(route, &fields).await
        };
        let halfway = upload(&top.id, &repeated(MAX_DEPTH / 2 - 1, "a")).await;
        let tenth = halfway["folder_id"].as_str().expect("an id");

        let before = uploads.stored().await;
        for (from, path) in [
            ("root", repeated(MAX_DEPTH + 1, "b")),
            ("root", repeated(500, "b")),
            (&top.id, repeated(MAX_DEPTH, "a")),
            (&top.id, repeated(MAX_DEPTH, "b")),
            (tenth, repeated(MAX_DEPTH / 2 + 1, "a")),
        ] {
            let fields = [("folder_id", from), ("folder_path", &path)];
            let too_deep = uploads.photo(route).with(&fields).send().await;
            assert_only(&too_deep.expect_error(422), "folder_path");
        }
        uploads.assert_unchanged(&before, "too deep paths").await;

        let deepest = upload(tenth, &repeated(MAX_DEPTH / 2, "a")).await;
        let path = format!("{route:?}/{}/", repeated(MAX_DEPTH - 1, "a"));
        assert_eq!(deepest["folder_path"], path);
        // Existing folders match in another case.
        let again = upload(&top.id, &repeated(MAX_DEPTH - 1, "A")).await;
        assert_in(&again, &folder_of(&deepest));
        let from_root = format!("{route:?}/{}", repeated(MAX_DEPTH - 1, "b"));
        let file = upload("root", &from_root).await;
        assert_eq!(file["folder_path"], format!("{from_root}/"));
    }

    stack.run_confirm_checks().await;
}

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
