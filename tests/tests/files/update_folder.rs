//! `PUT /files/:id`: moves into folders, folders that a move creates, and the required roles.

use serde_json::{Map, json};
use tests::{File, PHOTO, Stack, TestSpace, UNKNOWN_ID, merged, stack_test, text};

use crate::{folders::create::paths, support::pages::list_ids};

async fn upload_text(acme: &TestSpace) -> File {
    acme.upload("some text").named("a.txt", "text/plain").await
}

#[stack_test]
async fn folder_path_is_resolved_from_folder_and_created(acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let file = upload_text(acme).await;
    let move_file = async |folder: &str, path: &str| {
        let body = json!({"folder_id": folder, "folder_path": path});
        let moved = acme.put_ok(file.path(), body).await;
        assert_eq!(acme.get_ok(file.path()).await, moved);
        for field in ["storage_path", "url", "name"] {
            assert_eq!(moved[field], file[field], "{field} stays");
        }
        (text(&moved["folder_id"]), text(&moved["folder_path"]))
    };

    let (beach, path) = move_file("root", "/Photos/Süd/Strand/").await;
    assert_eq!(path, "Photos/Süd/Strand/");
    assert_eq!(paths(acme).await, ["Photos/", "Photos/Süd/", &path]);
    let folder = acme.get_ok(&format!("/folders/{beach}")).await;
    assert_eq!(folder["path"], *path);

    // Paths ignore case and Unicode form.
    let (south, _) = move_file(&photos, "SU\u{308}D").await;
    assert_eq!(folder["parent_id"], *south);
    for (from, below) in [
        ("root", "photos/süd/STRAND"),
        (&photos, "süd / strand"),
        (&south, "Strand"),
    ] {
        let moved = move_file(from, below).await;
        assert_eq!(moved, (beach.clone(), path.clone()), "{below}");
    }

    let (_, path) = move_file(&beach, "日本").await;
    assert_eq!(path, "Photos/Süd/Strand/日本/");
    assert_eq!(paths(acme).await.len(), 4);
    // A list excludes files in subfolders.
    let in_beach = list_ids(acme, &format!("folder_id={beach}")).await;
    assert_eq!(in_beach, [""; 0]);
}

#[stack_test]
async fn invalid_folder_path_creates_nothing(stack: &Stack, acme: &TestSpace) {
    let file = upload_text(acme).await;
    let deep = json!({"folder_id": "root", "folder_path": vec!["a"; 19].join("/")});
    let deep = text(&acme.put_ok(file.path(), deep).await["folder_id"]);
    let before = stack.dump().await;
    let long = "x".repeat(256);
    let many = ["b"; 21].join("/");

    for (folder, path) in [
        ("root", "a//b"),
        ("root", "a/../b"),
        ("root", "./b"),
        ("root", "b/\u{7}"),
        ("root", "b/ /c"),
        ("root", &long),
        ("root", &many),
        (&deep, "b/c"),
        (&deep, &many),
    ] {
        let body = json!({"folder_id": folder, "folder_path": path});
        let errors = acme.put_err(422, file.path(), body).await;
        assert!(errors["folder_path"].is_array(), "{path}: {errors}");
        assert_eq!(errors.as_object().map(Map::len), Some(1), "{errors}");
    }

    // Another invalid field prevents the creation of folders too.
    let valid = json!({"folder_id": "root", "folder_path": "new/path"});
    for wrong in [
        json!({"type": "public"}),
        json!({"size": 1}),
        json!({"tags": [5]}),
    ] {
        acme.put_err(422, file.path(), merged(valid.clone(), wrong))
            .await;
    }
    let unknown_file = merged(valid, json!({ "id": UNKNOWN_ID }));
    acme.put_err(404, "/files", unknown_file).await;
    stack.assert_unchanged(&before, "paths that are none").await;

    let deepest = json!({"folder_id": deep, "folder_path": "b"});
    acme.put_ok(file.path(), deepest).await;
    assert_eq!(paths(acme).await.len(), 20);
}

#[stack_test]
async fn user_moves_files_into_existing_folders_only(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let south = acme.folder("Süd").inside(&photos).await.id;
    let user = acme.role("user").await;
    let admin = acme.role("admin").await;
    let file = acme.upload(PHOTO).by(&user).await;

    for (folder, path) in [
        (&*south, ""),
        ("root", "photos/süd"),
        ("root", ""),
        ("root", "Photos/Süd/"),
    ] {
        let body = json!({"folder_id": folder, "folder_path": path});
        user.put_ok(file.path(), body).await;
    }
    let moved = user.get_ok(file.path()).await;
    assert_eq!(moved["folder_id"], *south);
    assert_eq!(moved["folder_path"], "Photos/Süd/");

    let before = stack.dump().await;
    for (folder, path, missing) in [
        ("root", "photos/Nord", "Photos/Nord"),
        ("root", "New", "New"),
        (&south, "a/b", "Photos/Süd/a/b"),
    ] {
        let body = json!({"folder_id": folder, "folder_path": path, "ref": "x"});
        let response = user.put(file.path(), body).await;
        let message = format!(
            "The folder `{missing}` does not exist. Creating folders requires the role admin or higher."
        );
        assert_eq!(response.json()["message"], message);
        assert_eq!(response.expect_error(403), json!({}), "{path}");
    }
    stack.assert_unchanged(&before, "missing folders").await;

    let body = json!({"folder_id": south, "folder_path": "a/b", "ref": "x"});
    let moved = admin.put_ok(file.path(), body).await;
    assert_eq!(moved["folder_path"], "Photos/Süd/a/b/");
    assert_eq!(moved["ref"], "x");
}
