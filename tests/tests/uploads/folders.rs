//! `folder_id` and `folder_path` of uploads, on each route that accepts them.

use serde_json::{Value, json};
use tests::{Stack, stack_test};

use super::routes::{BY_KEY, Uploads};
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
