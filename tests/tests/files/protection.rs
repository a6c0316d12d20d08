//! Changes of the type and the folder of a file by users and admins: a user cannot lower the
//! effective protection, nor take an image away from its watermark and transformation policy.

use serde_json::{Value, json};
use tests::{Client, File, PHOTO, StackOptions, TestSpace, stack_test};

use crate::support::image_server::{ImageServer, logo};

const TYPES: [&str; 3] = ["upload", "private", "authenticated"];

/// Creates folders in a public space, and returns their ids: the root, public by inheritance,
/// protected, protected by its parent, and public by its own setting in a protected folder.
async fn create_folders(acme: &TestSpace) -> [Value; 5] {
    let inheriting = acme.folder("Inheriting").await;
    let protected = acme.folder("Protected").await;
    let within_protected = acme.folder("Within").inside(&protected).await;
    let public = acme.folder("Public").inside(&protected).await;
    acme.set_access(protected.path(), Some(true)).await;
    acme.set_access(public.path(), Some(false)).await;

    let [inheriting, protected, within_protected, public] =
        [inheriting, protected, within_protected, public].map(|folder| json!(folder.id));
    [Value::Null, inheriting, protected, within_protected, public]
}

/// Sets the state of a file as the owner, and asserts the status of a change by another client.
async fn assert_change(
    acme: &TestSpace,
    client: &Client,
    file: &File,
    (from, change): (&Value, &Value),
    status: u16,
) {
    let before = acme.put_ok(file.path(), from).await;

    let response = client.put(file.path(), change).await;

    let response = response.with_context(&format!("{from} to {change}"));
    if status == 403 {
        assert_eq!(response.expect_error(403), json!({}), "{change}");
        assert_eq!(acme.get_ok(file.path()).await, before, "{change}");
    } else {
        response.expect_status(status);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn user_cannot_lower_protection_of_own_file(acme: &TestSpace) {
    let [root, _, _, protected, public] = create_folders(acme).await;
    let folders = [(root, false), (protected, true), (public, false)];
    let user = acme.role("user").await;
    let admin = acme.role("admin").await;
    let file = acme.upload(PHOTO).by(&user).await;

    for (type_from, type_before) in TYPES.iter().enumerate() {
        for (type_to, type_after) in TYPES.iter().enumerate() {
            for (folder_before, is_protected_before) in &folders {
                for (folder_after, is_protected_after) in &folders {
                    let from = json!({"type": type_before, "folder_id": folder_before});
                    let change = json!({"type": type_after, "folder_id": folder_after});
                    let publishes = *is_protected_before
                        && !is_protected_after
                        && *type_after != "authenticated";
                    let is_rejected = type_to < type_from || publishes;
                    let status = if is_rejected { 403 } else { 200 };
                    assert_change(acme, &user, &file, (&from, &change), status).await;
                    // A rejected change leaves the state for the admin unchanged.
                    if is_rejected {
                        admin.put_ok(file.path(), change).await;
                    }
                }
            }
        }
    }
}

#[stack_test]
async fn protection_is_compared_for_every_form_of_target_folder(acme: &TestSpace) {
    let [_, _, protected, ..] = create_folders(acme).await;
    let user = acme.role("user").await;
    let file = acme.upload(PHOTO).by(&user).await;
    let inside = json!({"folder_id": protected, "type": "upload"});

    for mut change in [
        json!({"folder_id": null}),
        json!({"folder_id": "root"}),
        json!({"folder_id": "root", "folder_path": "Inheriting"}),
        json!({"folder_id": protected, "folder_path": "Public"}),
        json!({"folder_id": "root", "folder_path": "protected/public/", "type": "private"}),
    ] {
        assert_change(acme, &user, &file, (&inside, &change), 403).await;
        change["id"] = json!(file.id);
        user.put_err(403, "/files", change).await;
    }
    for change in [
        json!({"folder_id": protected, "folder_path": "Within"}),
        json!({"ref": "x", "original_name": "b.jpg"}),
        json!({"type": "private"}),
        json!({"folder_id": null, "type": "authenticated"}),
    ] {
        assert_change(acme, &user, &file, (&inside, &change), 200).await;
    }

    // The setting of a file applies in every folder.
    let outside = json!({"folder_id": null});
    for requires_auth in [true, false] {
        acme.set_access(file.path(), Some(requires_auth)).await;
        assert_change(acme, &user, &file, (&inside, &outside), 200).await;
    }
}

#[stack_test]
async fn protected_space_protects_files_at_root(acme: &TestSpace) {
    let folders = create_folders(acme).await;
    let user = acme.role("user").await;
    let file = acme.upload(PHOTO).by(&user).await;
    acme.set_access(&acme.path(), Some(true)).await;

    let root = json!({"folder_id": null});
    for (folder, status) in folders.iter().zip([200, 200, 200, 200, 403]) {
        let change = json!({ "folder_id": folder });
        assert_change(acme, &user, &file, (&root, &change), status).await;
    }
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

/// Creates the folders with their security settings.
async fn create_marked_folders(acme: &TestSpace, server: &ImageServer) {
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
    create_marked_folders(acme, &server).await;
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
