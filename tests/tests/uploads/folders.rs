//! `folder_id` and `folder_path` of uploads, on each route that accepts them.

use serde_json::{Value, json};
use tests::{Stack, stack_test};

use super::routes::{BY_KEY, Uploads};
use crate::folders::create::{ROOT, paths};

/// Asserts the folder of a file.
#[track_caller]
pub(crate) fn assert_in(file: &Value, folder: &Value) {
    assert_eq!(
        folder_of(file),
        json!({"id": folder["id"], "path": folder["path"]})
    );
}

/// Returns the id and path of a file's folder.
pub(super) fn folder_of(file: &Value) -> Value {
    json!({"id": file["folder_id"], "path": file["folder_path"]})
}

#[stack_test]
async fn upload_goes_into_requested_folder(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let photos = acme.folder("Photos").await;
    let south = acme.folder("Süd").inside(&photos).await;
    let beach = acme.folder("Strand").inside(&south).await;
    let lower = photos.id.to_lowercase();
    let blank = format!(" {} ", photos.id);
    let user = acme.role("user").await;

    let cases: [(&[(&str, &str)], &Value); 13] = [
        (&[], &ROOT),
        (&[("folder_id", "")], &ROOT),
        (&[("folder_id", " "), ("folder_path", "  ")], &ROOT),
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

    let expected = ["Photos/", "Photos/Süd/", "Photos/Süd/Strand/"];
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
    for fields in [
        [("folder_id", "root"), ("folder_path", "New")],
        [("folder_id", "root"), ("folder_path", "Photos/Form/Newer")],
        [("folder_id", &photos.id), ("folder_path", "New/Newer")],
    ] {
        for route in BY_KEY {
            let rejected = uploads.photo(route).with(&fields).by(&user).send().await;
            assert_eq!(rejected.expect_error(403), json!({}), "{fields:?}");
        }
    }
    uploads.assert_unchanged(&before, "uploads by users").await;
    assert_eq!(paths(acme).await.len(), 1 + 2 * BY_KEY.len());
    stack.run_confirm_checks().await;
}
