//! Moves of images by users, between folders with other watermarks and transformation policies.

use serde_json::{Value, json};
use tests::{Client, File, PHOTO, StackOptions, TestSpace, stack_test};

use crate::support::image_server::{ImageServer, logo};

/// Moves of an image by name of the folders, and their status for a user.
const MOVES: [(&str, &str, u16); 14] = [
    ("plain", "marked", 200),
    ("marked", "plain", 403),
    ("marked", "root", 403),
    ("marked", "marked/within", 200),
    ("marked/within", "root", 403),
    ("marked", "same", 200),
    ("marked", "other", 403),
    ("marked", "marked/unmarked", 403),
    ("plain", "named", 200),
    ("named", "signed", 200),
    ("signed", "named", 403),
    ("named", "root", 403),
    ("signed", "signed/open", 403),
    ("plain", "root", 200),
];

/// Creates the folders with their security settings.
async fn create_folders(acme: &TestSpace, server: &ImageServer) {
    let create = async |name: &str, parent: &Value, security: Value| {
        let folder = acme.folder(name).inside(parent).await;
        acme.set_security(folder.path(), security).await;
        folder
    };
    let root = &Value::Null;
    let marked = server.watermark();
    let north = server.watermark_at("north");
    let unmarked = json!({"watermark": {"enabled": false}});

    create("plain", root, Value::Null).await;
    create("same", root, marked.clone()).await;
    create("other", root, north).await;
    let marked = create("marked", root, marked).await;
    create("within", &marked, Value::Null).await;
    create("unmarked", &marked, unmarked).await;
    create("named", root, json!({"transformations": "named"})).await;
    let signed = create("signed", root, json!({"transformations": "signed"})).await;
    create("open", &signed, json!({"transformations": "any"})).await;
}

/// Moves a file by the path of its folder.
async fn move_file(client: &Client, file: &File, folder: &str) -> u16 {
    let path = (folder != "root").then_some(folder);
    let body = json!({"folder_id": "root", "folder_path": path});
    client.put(file.path(), body).await.status
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn user_cannot_take_images_away_from_watermark_and_policy(acme: &TestSpace) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    create_folders(acme, &server).await;
    let user = acme.role("user").await;
    let admin = acme.role("admin").await;
    let image = acme.upload(PHOTO).by(&user).await;
    let document = acme.upload("text").named("a.txt", "text/plain");
    let document = document.by(&user).await;

    for (from, to, expected) in MOVES {
        for (file, expected) in [(&image, expected), (&document, 200)] {
            assert_eq!(move_file(&admin, file, from).await, 200, "to {from}");
            let before = user.get_ok(file.path()).await;

            let status = move_file(&user, file, to).await;

            assert_eq!(status, expected, "{from} to {to}");
            if expected == 403 {
                assert_eq!(user.get_ok(file.path()).await, before);
                assert_eq!(move_file(&admin, file, to).await, 200, "{from} to {to}");
            }
        }
    }
}

#[stack_test]
async fn user_may_protect_image_in_folder_with_policy_by_its_type(acme: &TestSpace) {
    let folder = acme.folder("signed").await;
    let security = json!({"transformations": "signed"});
    acme.set_security(folder.path(), security).await;
    let user = acme.role("user").await;
    let image = acme.upload(PHOTO).into(&folder).by(&user).await;

    // A private file has the strictest policy in every folder.
    let to_root = json!({"folder_id": null, "type": "private"});
    user.put_ok(image.path(), to_root).await;
    let public = json!({"type": "upload"});
    user.put_err(403, image.path(), public).await;
}
