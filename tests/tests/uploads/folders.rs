//! The folder of uploads on every route, and of moved files: `folder_id` and `folder_path`, or
//! `config.storage.folder`.

use serde_json::{Value, json};
use tests::{
    Client, PHOTO, Response, Stack, TestSpace, UNKNOWN_ID, assert_fields, field_error, file_path,
    folder_path, merged, stack_test,
};

use super::{
    presign::PendingFile,
    routes::{
        BY_KEY, ROUTES,
        Route::{self, Unsigned, UnsignedPresign},
        Uploads,
    },
};
use crate::{
    folders::create::{ROOT, assert_only, paths},
    support::pages::list_ids,
};

/// Maximum depth of folders.
pub(super) const MAX_DEPTH: usize = 20;

/// Asserts the folder of a file.
#[track_caller]
fn assert_in(file: &Value, folder: &Value) {
    let expected = json!({"id": folder["id"], "path": folder["path"]});
    assert_eq!(folder_of(file), expected);
}

/// Returns the id and path of a file's folder.
fn folder_of(file: &Value) -> Value {
    json!({"id": file["folder_id"], "path": file["folder_path"]})
}

/// The ways to choose the folder of a file: the upload routes with a key, and `None` for the move
/// of an earlier upload.
const WAYS: [Option<Route>; 3] = [Some(Route::Form), Some(Route::Presign), None];

/// Puts files of a client into folders.
struct Placement<'a> {
    uploads: &'a Uploads<'a>,
    client: &'a Client,
    /// Path of an earlier upload, whose moves keep its URL.
    moved: String,
    url: Value,
}

impl<'a> Placement<'a> {
    async fn new(uploads: &'a Uploads<'a>, client: &'a Client) -> Placement<'a> {
        let upload = uploads.photo(Route::Form).by(client);
        let file = upload.send().await.expect_created();
        Placement {
            uploads,
            client,
            moved: file_path(&file),
            url: file["url"].clone(),
        }
    }

    async fn send(&self, way: Option<Route>, fields: &[(&str, &str)]) -> Response {
        if let Some(route) = way {
            let upload = self.uploads.photo(route).with(fields);
            return upload.by(self.client).send().await;
        }
        let fields = fields.iter();
        let body: Value = fields
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        self.client.put(&self.moved, body).await
    }

    /// Returns the record of the file.
    async fn place(&self, way: Option<Route>, fields: &[(&str, &str)]) -> Value {
        let record = self.uploads.record(self.send(way, fields).await).await;
        assert!(way.is_some() || record["url"] == self.url, "{record}");
        record
    }
}

#[stack_test]
async fn file_goes_into_requested_folder(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({"storage": {"folder": "in"}})).await;
    let acme = uploads.acme();
    let by_config = acme.folder("in").await;
    let photos = acme.folder("Photos").await;
    let south = acme.folder("Süd").inside(&photos).await;
    let beach = acme.folder("Strand").inside(&south).await;
    let lower = photos.id.to_lowercase();
    let blank = format!(" {} ", photos.id);
    let user = acme.role("user").await;

    // Values of `folder_id` and `folder_path`, of which blank ones count as absent. Empty ones are
    // not sent.
    let cases: [(&str, &str, &Value); 13] = [
        ("", "", &by_config),
        (" ", "  ", &by_config),
        ("root", "", &ROOT),
        (&photos.id, "", &photos),
        (&lower, "", &photos),
        (&blank, " ", &photos),
        (&beach.id, "", &beach),
        ("root", "photos", &photos),
        ("root", "/PHOTOS/su\u{308}d/", &south),
        ("root", "Photos/Süd/Strand", &beach),
        (&photos.id, "Süd/Strand", &beach),
        (&south.id, "STRAND", &beach),
        (&photos.id, "süd / strand", &beach),
    ];

    for client in [&acme.client, &user] {
        let placement = Placement::new(&uploads, client).await;
        for (id, path, folder) in cases {
            let mut fields = vec![("folder_path", path), ("folder_id", id)];
            fields.retain(|(_, value)| !value.is_empty());
            for way in WAYS {
                // A move does not use the folder of the config.
                if way.is_some() || *folder != *by_config {
                    assert_in(&placement.place(way, &fields).await, folder);
                }
            }
        }
        for route in BY_KEY {
            let empty = [("folder_id", ""), ("folder_path", "")];
            assert_in(&placement.place(Some(route), &empty).await, &by_config);
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

    let by_admin = Placement::new(&uploads, &admin).await;
    let by_user = Placement::new(&uploads, &user).await;

    for way in WAYS {
        let path = format!("{way:?}/日本");
        let fields = [("folder_id", &*photos.id), ("folder_path", &path)];
        let file = by_admin.place(way, &fields).await;
        assert_eq!(file["folder_path"], format!("Photos/{path}/"));
        let in_photos = list_ids(acme, &format!("folder_id={}", photos.id)).await;
        assert!(in_photos.is_empty(), "files of subfolders are not listed");

        // Every uploader can use the folders now, in any case.
        let whole = format!("PHOTOS/{}", path.to_uppercase());
        let fields = [("folder_id", "root"), ("folder_path", &whole)];
        for later in WAYS {
            let into_it = by_user.place(later, &fields).await;
            assert_in(&into_it, &folder_of(&file));
        }
    }

    let before = uploads.stored().await;
    for (folder, path, missing) in [
        (&*photos.id, "New/Newer", "Photos/New/Newer"),
        ("root", "photos/New", "Photos/New"),
        ("root", "New", "New"),
    ] {
        let fields = [("folder_id", folder), ("folder_path", path), ("ref", "x")];
        for way in WAYS {
            let rejected = by_user.send(way, &fields).await;
            let message = format!(
                "The folder `{missing}` does not exist. Creating folders requires the role admin or higher."
            );
            assert_eq!(rejected.json()["message"], message);
            assert_eq!(rejected.expect_error(403), json!({}));
        }
    }
    uploads.assert_unchanged(&before, "files of users").await;
    assert_eq!(paths(acme).await.len(), 1 + 2 * WAYS.len());
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn invalid_folder_paths_are_rejected(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let placement = Placement::new(&uploads, uploads.acme()).await;
    let before = uploads.stored().await;
    let missing = field_error("folder_id", "is required when folder path is present");
    let short = [
        "a//b", "..", "a/../b", ".", "a/./b", "./b", "a/ /b", "a\u{7}",
    ];
    let long = "x".repeat(256);
    let long_inner = format!("a/{}", "é".repeat(256));
    let paths = [&short[..], &["a/\u{85}b", &long, &long_inner]].concat();

    for way in WAYS {
        let errors =
            async |fields: &[(&str, &str)]| placement.send(way, fields).await.expect_error(422);
        assert_eq!(errors(&[("folder_path", "a")]).await, missing);
        if way.is_some() {
            let blank = [("folder_path", "a"), ("folder_id", " ")];
            assert_eq!(errors(&blank).await, missing);
        }

        for &path in &paths {
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
    let placement = Placement::new(&uploads, uploads.acme()).await;

    for way in WAYS {
        let top = uploads.acme().folder(&format!("{way:?}")).await;
        let place = async |from: &str, path: &str| {
            let fields = [("folder_id", from), ("folder_path", path)];
            placement.place(way, &fields).await
        };
        let halfway = place(&top.id, &repeated(MAX_DEPTH / 2 - 1, "a")).await;
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
            let too_deep = placement.send(way, &fields).await;
            assert_only(&too_deep.expect_error(422), "folder_path");
        }
        uploads.assert_unchanged(&before, "too deep paths").await;

        let deepest = place(tenth, &repeated(MAX_DEPTH / 2, "a")).await;
        let path = format!("{way:?}/{}/", repeated(MAX_DEPTH - 1, "a"));
        assert_eq!(deepest["folder_path"], path);
        // Existing folders match in another case.
        let again = place(&top.id, &repeated(MAX_DEPTH - 1, "A")).await;
        assert_in(&again, &folder_of(&deepest));
        let from_root = format!("{way:?}/{}", repeated(MAX_DEPTH - 1, "b"));
        let file = place("root", &from_root).await;
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
        let path = folder_path(&json!({"id": first["folder_id"]}));
        let folder = acme.get_ok(&path).await;
        assert_eq!(folder["parent_id"], top["id"]);
        // Blank fields are ignored.
        let blank = [("folder_id", " "), ("folder_path", "")];
        for again in [upload.clone(), upload.with(&blank)] {
            assert_in(&uploads.record(again.send().await).await, &folder);
        }

        let name = format!("{route:?}");
        acme.put_ok(&path, json!({ "name": name })).await;
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
    let end = "must not be present: the upload config sets the folder";
    let id_error = field_error("folder_id", end);
    let path_error = field_error("folder_path", end);
    let both = merged(id_error.clone(), path_error.clone());

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
