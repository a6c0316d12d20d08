//! Moves of images by users, between folders with other watermarks and transformation policies.

use serde_json::{Value, json};
use tests::{Client, PHOTO, StackOptions, TestSpace, file_path, form, stack_test};

use crate::support::image_server::{ImageServer, logo};

/// Folders at the root with their security settings, and whether each has the watermark.
fn folders(url: &str) -> [(&'static str, Value); 6] {
    let marked = json!({"enabled": true, "url": url});
    [
        ("plain", json!({})),
        ("marked", json!({"watermark": marked})),
        ("same", json!({"watermark": marked})),
        (
            "other",
            json!({"watermark": {"enabled": true, "url": url, "position": "north"}}),
        ),
        ("named", json!({"transformations": "named"})),
        ("signed", json!({"transformations": "signed"})),
    ]
}

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

async fn create_folders(acme: &TestSpace, url: &str) {
    let secure = async |path: &str, security: Value| {
        let body = json!({"security": security});
        let path = format!("{path}/security");
        acme.put_ok(&path, body).await;
    };
    for (name, security) in folders(url) {
        let folder = acme.folder(name).await;
        secure(folder.path(), security).await;
        match name {
            "marked" => {
                acme.folder("within").inside(&folder).await;
                let unmarked = acme.folder("unmarked").inside(&folder).await;
                let disabled = json!({"watermark": {"enabled": false}});
                secure(unmarked.path(), disabled).await;
            }
            "signed" => {
                let open = acme.folder("open").inside(&folder).await;
                secure(open.path(), json!({"transformations": "any"})).await;
            }
            _ => {}
        }
    }
}

/// Moves a file by the path of its folder.
async fn move_file(client: &Client, file: &str, folder: &str) -> u16 {
    let path = (folder != "root").then_some(folder);
    let body = json!({"folder_id": "root", "folder_path": path});
    client.put(file, body).await.status
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn user_cannot_take_images_away_from_watermark_and_policy(acme: &TestSpace) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    create_folders(acme, server.url()).await;
    let user = acme.role("user").await;
    let admin = acme.role("admin").await;
    let upload = async |name: &str, mime_type: &str, bytes: &'static [u8]| {
        let form = form(&acme.handle, name, mime_type, bytes);
        file_path(&user.upload_form(form).await.expect_created())
    };
    let image = upload("a.jpg", "image/jpeg", PHOTO).await;
    let document = upload("a.txt", "text/plain", b"text").await;

    for (from, to, expected) in MOVES {
        for (file, expected) in [(&image, expected), (&document, 200)] {
            assert_eq!(move_file(&admin, file, from).await, 200, "to {from}");
            let before = user.get_ok(file).await;

            let status = move_file(&user, file, to).await;

            assert_eq!(status, expected, "{file}: {from} to {to}");
            if expected == 403 {
                assert_eq!(user.get_ok(file).await, before);
                assert_eq!(move_file(&admin, file, to).await, 200, "{from} to {to}");
            }
        }
    }
}

#[stack_test]
async fn user_may_protect_image_in_folder_with_policy_by_its_type(acme: &TestSpace) {
    let folder = acme.folder("signed").await;
    let security = json!({"security": {"transformations": "signed"}});
    let path = format!("{}/security", folder.path());
    acme.put_ok(&path, security).await;
    let user = acme.role("user").await;
    let form = form(&acme.handle, "a.jpg", "image/jpeg", PHOTO).text("folder_id", folder.id);
    let image = file_path(&user.upload_form(form).await.expect_created());

    // A private file has the strictest policy in every folder.
    let to_root = json!({"folder_id": null, "type": "private"});
    user.put_ok(&image, to_root).await;
    user.put_err(403, &image, json!({"type": "upload"})).await;
}
