//! Changes of the type and the folder of a file by users and admins: a user cannot lower the
//! effective protection.

use serde_json::{Value, json};
use tests::{Client, File, PHOTO, StackOptions, TestSpace, stack_test};

const TYPES: [&str; 3] = ["upload", "private", "authenticated"];

/// Creates folders in a public space, and returns their ids: the root, public by inheritance, protected,
/// protected by its parent, and public by its own setting in a protected folder.
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
