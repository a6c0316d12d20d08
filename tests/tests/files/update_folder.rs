//! `PUT /files/:id`: moves into folders, folders that a move creates, and the required roles.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, TestSpace, UNKNOWN_ID, file_path, form, stack_test, text};

use crate::support::pages::list_ids;

/// Uploads a text with a client.
async fn upload_as(acme: &TestSpace, client: &Client) -> Value {
    client
        .upload_form(form(&acme.handle, "a.txt", "text/plain", "some text"))
        .await
        .expect_created()
}

/// Returns the paths of the folders of a space, sorted.
async fn paths(acme: &TestSpace) -> Vec<String> {
    let list = acme.fetch("/folders?limit=100").await.json();
    let mut paths: Vec<String> = list["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|folder| text(&folder["path"]))
        .collect();
    paths.sort();

    paths
}

#[stack_test]
async fn move_to_unknown_folder_returns_422(stack: &Stack, acme: &TestSpace, other: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let foreign = other.folder("Photos").await.id;
    let deleted = acme.folder("Gone").await.id;
    acme.delete_ok(&format!("/folders/{deleted}")).await;

    let file = acme
        .put_ok(
            &file_path(&upload_as(acme, &acme.client).await),
            json!({"folder_id": photos}),
        )
        .await;
    let before = stack.dump().await;
    let invalid = json!({"folder_id": ["The selected folder id is invalid."]});

    for folder in [
        UNKNOWN_ID,
        "x",
        "ROOT/",
        "Photos",
        &foreign,
        &deleted,
        &acme.id,
        &text(&file["id"]),
    ] {
        for client in [&acme.client, &stack.account()] {
            let alone = client
                .put(&file_path(&file), json!({"folder_id": folder}))
                .await;
            assert_eq!(alone.expect_error(422), invalid, "{folder}");
            let with_path =
                json!({"id": file["id"], "folder_id": folder, "folder_path": "a/b", "ref": "x"});
            assert_eq!(
                client.put_err(422, "/files", with_path).await,
                invalid,
                "{folder}"
            );
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "moves to nowhere");
    assert_eq!(acme.get_ok(&file_path(&file)).await, file);
}

/// The folder that a file is in.
struct FolderOfFile {
    id: String,
    path: String,
}

#[stack_test]
async fn folder_path_is_resolved_from_folder_and_created(acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let file = upload_as(acme, &acme.client).await;
    let move_file = async |folder: &str, path: &str| {
        let body = json!({"folder_id": folder, "folder_path": path});
        let moved = acme.put_ok(&file_path(&file), body).await;
        assert_eq!(acme.get_ok(&file_path(&file)).await, moved);
        for field in ["storage_path", "url", "name"] {
            assert_eq!(moved[field], file[field], "{field} stays");
        }
        FolderOfFile {
            id: text(&moved["folder_id"]),
            path: text(&moved["folder_path"]),
        }
    };
    let FolderOfFile { id: beach, path } = move_file("root", "/Photos/Süd/Strand/").await;

    assert_eq!(path, "Photos/Süd/Strand/");
    assert_eq!(
        paths(acme).await,
        ["Photos/", "Photos/Süd/", "Photos/Süd/Strand/"]
    );

    let shown_folder = acme.get_ok(&format!("/folders/{beach}")).await;

    assert_eq!(shown_folder["path"], json!(path));

    let south = move_file(&photos, "SU\u{308}D").await.id;
    assert_eq!(
        shown_folder["parent_id"],
        json!(south),
        "paths ignore case and Unicode form"
    );
    for (from, path) in [
        ("root", "photos/süd/STRAND"),
        (&photos, "süd / strand"),
        (&south, "Strand"),
    ] {
        let moved = move_file(from, path).await;
        assert_eq!(moved.id, beach, "{path}");
        assert_eq!(moved.path, "Photos/Süd/Strand/", "{path}");
    }

    let moved = move_file(&beach, "日本").await;
    assert_eq!(moved.path, "Photos/Süd/Strand/日本/");
    assert_eq!(paths(acme).await.len(), 4);
    assert_eq!(
        list_ids(&acme.client, &format!("folder_id={beach}")).await,
        [""; 0],
        "a list excludes files in subfolders"
    );
}

#[stack_test]
async fn invalid_folder_path_creates_nothing(stack: &Stack, acme: &TestSpace) {
    let file = upload_as(acme, &acme.client).await;
    let deep = json!({"folder_id": "root", "folder_path": vec!["a"; 19].join("/")});
    let deep = text(&acme.put_ok(&file_path(&file), deep).await["folder_id"]);
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
        let errors = acme
            .put(
                &file_path(&file),
                json!({"folder_id": folder, "folder_path": path}),
            )
            .await;
        let errors = errors.expect_error(422);
        assert!(errors["folder_path"].is_array(), "{path}: {errors}");
        assert_eq!(
            errors.as_object().map(serde_json::Map::len),
            Some(1),
            "{path}: {errors}"
        );
    }

    // Another invalid field prevents the creation of folders too.
    for wrong in [
        json!({"type": "public"}),
        json!({"size": 1}),
        json!({"tags": [5]}),
    ] {
        let mut body = json!({"folder_id": "root", "folder_path": "new/path"});
        body.as_object_mut()
            .expect("an object")
            .extend(wrong.as_object().expect("an object").clone());
        acme.put_err(422, &file_path(&file), body).await;
    }

    let unknown_file = json!({"id": UNKNOWN_ID, "folder_id": "root", "folder_path": "new/path"});
    acme.put_err(404, "/files", unknown_file).await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "paths that are none");

    let deepest = json!({"folder_id": deep, "folder_path": "b"});
    acme.put_ok(&file_path(&file), deepest).await;
    assert_eq!(paths(acme).await.len(), 20);
}

#[stack_test]
async fn user_moves_files_into_existing_folders_only(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let south = acme.folder("Süd").inside(&photos).await.id;
    let user = acme.role("user").await;
    let admin = acme.role("admin").await;
    let file = upload_as(acme, &user).await;

    for body in [
        json!({"folder_id": south}),
        json!({"folder_id": "root", "folder_path": "photos/süd"}),
        json!({"folder_id": "root"}),
        json!({"folder_id": "root", "folder_path": "Photos/Süd/"}),
    ] {
        user.put_ok(&file_path(&file), body).await;
    }

    let file = user.get_ok(&file_path(&file)).await;
    assert_eq!(
        (&file["folder_id"], &file["folder_path"]),
        (&json!(south), &json!("Photos/Süd/"))
    );

    let before = stack.dump().await;
    for (folder, path, missing) in [
        ("root", "photos/Nord", "Photos/Nord"),
        ("root", "New", "New"),
        (&south, "a/b", "Photos/Süd/a/b"),
    ] {
        let body = json!({"folder_id": folder, "folder_path": path, "ref": "x"});
        let response = user.put(&file_path(&file), body).await;
        let message = format!(
            "The folder `{missing}` does not exist. Creating folders requires the role admin or higher."
        );
        assert_eq!(response.json()["message"], message);
        assert_eq!(response.expect_error(403), json!({}), "{path}");
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "folders that a user wanted");

    let body = json!({"folder_id": south, "folder_path": "a/b", "ref": "x"});
    let moved = admin.put_ok(&file_path(&file), body).await;

    assert_eq!(
        (&moved["folder_path"], &moved["ref"]),
        (&json!("Photos/Süd/a/b/"), &json!("x"))
    );
}

#[stack_test]
async fn user_updates_own_files_and_admin_any_file(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let [viewer, user, colleague, admin] = [
        acme.role("viewer").await,
        acme.role("user").await,
        acme.role("user").await,
        acme.role("admin").await,
    ];
    let photo = || form(&acme.handle, "a.jpg", "image/jpeg", PHOTO);
    let users = user.upload_form(photo()).await.expect_created();
    let owners = acme.upload_form(photo()).await.expect_created();
    let mut number = 0;

    for (file, client, status) in [
        (&users, &user, 200),
        (&users, &colleague, 403),
        (&users, &viewer, 403),
        (&users, &admin, 200),
        (&users, &acme.client, 200),
        (&users, &stack.account(), 200),
        (&users, &other.client, 404),
        (&owners, &user, 403),
        (&owners, &viewer, 403),
        (&owners, &admin, 200),
        (&owners, &stack.account(), 200),
        (&owners, &other.client, 404),
    ] {
        for by_body in [false, true] {
            number += 1;
            let reference = format!("change {number}");
            let before = acme.get_ok(&file_path(file)).await;
            let body = json!({"id": file["id"], "ref": reference});
            let path = if by_body {
                "/files".to_owned()
            } else {
                file_path(file)
            };
            let response = client.put(&path, body).await;
            let after = acme.get_ok(&file_path(file)).await;
            if status == 200 {
                assert_eq!(
                    (response.expect_ok(), &after["ref"]),
                    (after.clone(), &json!(reference))
                );
            } else {
                assert_eq!(response.expect_error(status), json!({}));
                assert_eq!(after, before);
            }
        }
    }
}
