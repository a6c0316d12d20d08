//! Changes of the type and the folder of a file by users and admins: a user cannot lower the
//! effective protection.

use serde_json::{Value, json};
use tests::{Client, PHOTO, StackOptions, TestSpace, file_path, form, stack_test, text};

const TYPES: [&str; 3] = ["upload", "private", "authenticated"];

/// Folders in a public space: public by inheritance, public by its own setting in a protected folder,
/// protected, and protected by its parent.
struct Folders([(Value, bool); 5]);

impl Folders {
    async fn create(acme: &TestSpace) -> Folders {
        let create = async |name: &str, parent: &Value, requires_auth: Option<bool>| {
            let id = json!(acme.folder(name).inside_id(parent.as_str()).await.id);
            if let Some(requires_auth) = requires_auth {
                let body = json!({"access_control": {"requires_auth": requires_auth}});
                acme.put_ok(&format!("/folders/{}/access-control", text(&id)), body)
                    .await;
            }
            id
        };
        let inheriting = create("Inheriting", &Value::Null, None).await;
        let protected = create("Protected", &Value::Null, Some(true)).await;
        let within_protected = create("Within", &protected, None).await;
        let public = create("Public", &protected, Some(false)).await;

        Folders([
            (Value::Null, false),
            (inheriting, false),
            (protected, true),
            (within_protected, true),
            (public, false),
        ])
    }
}

/// The fields of a file before a change, and the change.
#[derive(Clone, Copy)]
struct Transition<'a> {
    from: &'a Value,
    change: &'a Value,
}

fn transition<'a>(from: &'a Value, change: &'a Value) -> Transition<'a> {
    Transition { from, change }
}

/// Sets the state of a file as the owner, sends a change as another client, and returns its status.
async fn status_of_change(
    acme: &TestSpace,
    client: &Client,
    path: &str,
    transition: Transition<'_>,
) -> u16 {
    let Transition { from, change } = transition;
    acme.put_ok(path, from.clone()).await;

    let before = acme.get_ok(path).await;
    let response = client.put(path, change.clone()).await;

    if response.status != 200 {
        assert_eq!(acme.get_ok(path).await, before, "{change}");
        assert_eq!(response.clone().expect_error(403), json!({}), "{change}");
    }

    response.status
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn user_cannot_lower_protection_of_own_file(acme: &TestSpace) {
    let Folders(folders) = Folders::create(acme).await;
    let [root, _, _, within_protected, public] = &folders;
    let user = acme.role("user").await;
    let admin = acme.role("admin").await;
    let users = file_path(
        &user
            .upload_form(form(&acme.handle, "a.jpg", "image/jpeg", PHOTO))
            .await
            .expect_created(),
    );

    for (type_from, type_before) in TYPES.iter().enumerate() {
        for (type_to, type_after) in TYPES.iter().enumerate() {
            for (folder_before, is_protected_before) in [root, within_protected, public] {
                for (folder_after, is_protected_after) in [root, within_protected, public] {
                    let from = json!({"type": type_before, "folder_id": folder_before});
                    let change = json!({"type": type_after, "folder_id": folder_after});
                    let publishes = *is_protected_before
                        && !is_protected_after
                        && *type_after != "authenticated";
                    let expected = if type_to < type_from || publishes {
                        403
                    } else {
                        200
                    };
                    let what = format!("{from} to {change}");
                    assert_eq!(
                        status_of_change(acme, &user, &users, transition(&from, &change)).await,
                        expected,
                        "{what}"
                    );
                    // A rejected change leaves the state for the admin unchanged.
                    if expected == 403 {
                        let response = admin.put(&users, change).await;
                        response.with_context(&what).expect_status(200);
                    }
                }
            }
        }
    }
}

#[stack_test]
async fn protection_is_compared_for_every_form_of_target_folder(acme: &TestSpace) {
    let Folders(folders) = Folders::create(acme).await;
    let user = acme.role("user").await;
    let file = user
        .upload_form(form(&acme.handle, "a.jpg", "image/jpeg", PHOTO))
        .await
        .expect_created();
    let path = file_path(&file);
    let protected = &folders[2].0;
    let inside = json!({"folder_id": protected});

    for change in [
        json!({"folder_id": null}),
        json!({"folder_id": "root"}),
        json!({"folder_id": "root", "folder_path": "Inheriting"}),
        json!({"folder_id": protected, "folder_path": "Public"}),
        json!({"folder_id": "root", "folder_path": "protected/public/", "type": "private"}),
    ] {
        assert_eq!(
            status_of_change(acme, &user, &path, transition(&inside, &change)).await,
            403,
            "{change}"
        );
        let named = acme.get_ok(&path).await["id"].clone();
        let mut by_body = change.clone();
        by_body["id"] = named;
        user.put_err(403, "/files", by_body).await;
    }
    for change in [
        json!({"folder_id": protected, "folder_path": "Within"}),
        json!({"ref": "x", "original_name": "b.jpg"}),
        json!({"type": "private"}),
        json!({"folder_id": null, "type": "authenticated"}),
    ] {
        let from = json!({"folder_id": protected, "type": "upload"});
        assert_eq!(
            status_of_change(acme, &user, &path, transition(&from, &change)).await,
            200,
            "{change}"
        );
    }

    // The setting of a file applies in every folder.
    let access = format!("{path}/access-control");
    for (requires_auth, folder_before) in [(true, protected), (false, protected)] {
        let body = json!({"access_control": {"requires_auth": requires_auth}});
        acme.put_ok(&access, body).await;
        let from = json!({"folder_id": folder_before, "type": "upload"});
        let change = json!({"folder_id": null});
        assert_eq!(
            status_of_change(acme, &user, &path, transition(&from, &change)).await,
            200,
            "{requires_auth}"
        );
    }
}

#[stack_test]
async fn protected_space_protects_files_at_root(acme: &TestSpace) {
    let Folders(folders) = Folders::create(acme).await;
    let user = acme.role("user").await;
    let path = file_path(
        &user
            .upload_form(form(&acme.handle, "a.jpg", "image/jpeg", PHOTO))
            .await
            .expect_created(),
    );
    let body = json!({"access_control": {"requires_auth": true}});
    acme.put_ok(&format!("/spaces/{}/access-control", acme.id), body)
        .await;

    let root = json!({"folder_id": null});
    for ((folder, _), expected) in folders.iter().zip([200, 200, 200, 200, 403]) {
        let change = json!({"folder_id": folder});
        assert_eq!(
            status_of_change(acme, &user, &path, transition(&root, &change)).await,
            expected,
            "{change}"
        );
    }
}
