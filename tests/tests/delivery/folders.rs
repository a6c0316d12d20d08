//! Settings of nested folders: access follows moves, and a missing folder protects its files.

use serde_json::json;
use tests::{File, PHOTO, Stack, StackOptions, TestSpace, stack_test};

use super::fixture::DeliveryFixture;

/// Number of nested folders.
const DEPTH: usize = 5;

/// Creates the nested folders, and returns their ids, the outermost first.
async fn nested(acme: &TestSpace) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        let parent = ids.last().map(String::as_str);
        ids.push(acme.folder(name).inside_id(parent).await.id);
    }
    ids
}

/// A change of one of the five folders.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Moves it into another folder, or into the root.
    Move(usize, Option<usize>),
    /// Sets or resets `requires_auth`.
    Say(usize, Option<bool>),
}
use Step::{Move, Say};

/// Each step, the path of the innermost folder after it, and the folder that decides then, or
/// `None` for the space.
const STEPS: [(Step, &str, Option<usize>); 14] = [
    (Say(0, Some(true)), "a/b/c/d/e/", Some(0)),
    (Say(2, Some(false)), "a/b/c/d/e/", Some(2)),
    (Move(4, Some(1)), "a/b/e/", Some(0)),
    (Move(1, None), "b/e/", None),
    (Move(0, Some(1)), "b/e/", None),
    (Move(4, Some(0)), "b/a/e/", Some(0)),
    (Say(0, None), "b/a/e/", None),
    (Say(1, Some(true)), "b/a/e/", Some(1)),
    (Move(4, Some(3)), "b/c/d/e/", Some(2)),
    (Say(2, None), "b/c/d/e/", Some(1)),
    (Move(2, None), "c/d/e/", None),
    (Move(2, Some(0)), "b/a/c/d/e/", Some(1)),
    (Say(3, Some(false)), "b/a/c/d/e/", Some(3)),
    (Move(3, None), "d/e/", Some(3)),
];

#[stack_test(options = StackOptions::without_rate_limits())]
async fn moved_folder_takes_its_settings_along(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let ids = nested(&acme).await;
    let file = acme.put("upload", &ids[4]).await;
    let mut settings = [None; DEPTH];
    let path = |folder: usize| format!("/folders/{}", ids[folder]);

    for (step, folder_path, decides) in STEPS {
        match step {
            Move(folder, into) => {
                let body = json!({"parent_id": into.map(|into| &ids[into])});
                acme.put_ok(&path(folder), body).await;
            }
            Say(folder, requires_auth) => {
                settings[folder] = requires_auth;
                acme.set_access(&path(folder), requires_auth).await;
            }
        }

        let protected = decides.is_some_and(|folder| settings[folder] == Some(true));
        let status = if protected { 403 } else { 200 };
        let delivered = stack.anonymous.get(file.url()).await;
        delivered
            .with_context(&format!("after {step:?}"))
            .expect_status(status);
        stack.anonymous.fetch(&acme.signed(file.url())).await;
        acme.fetch(file.url()).await;

        let (source, id) = decides.map_or(("space", &acme.id), |folder| ("folder", &ids[folder]));
        let record = acme.get_ok(file.path()).await;
        let expected = json!({
            "requires_auth": protected, "public_read": !protected, "source": source, "inherited_from": id,
            "setting": null,
        });
        assert_eq!(record["access_control"], expected, "after {step:?}");
        assert_eq!(record["folder_path"], folder_path, "after {step:?}");
        assert_eq!(record["folder_id"], *ids[4], "after {step:?}");
        assert_eq!(record["url"], file.url());
    }
}

/// Requests a file without credentials, with a signature and with a key. Asserts the status, and
/// for 200 the body.
async fn assert_delivered(stack: &Stack, acme: &DeliveryFixture<'_>, file: &File, status: u16) {
    let signed = acme.signed(file.url());
    for (client, url) in [
        (&stack.anonymous, file.url()),
        (&stack.anonymous, &signed),
        (&acme.client, file.url()),
    ] {
        let response = client.fetch_as(status, url, &[]).await;
        assert!(status != 200 || response.body == PHOTO);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn file_in_missing_folder_is_denied(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let ids = nested(&acme).await;
    let inner = acme.put("upload", &ids[4]).await;
    let outer = acme.put("upload", &ids[1]).await;
    let public = acme.put("upload", &ids[4]).await;
    let outside = acme.put("upload", "root").await;
    acme.set_access(public.path(), Some(false)).await;
    for file in [&inner, &outer, &public, &outside] {
        assert_delivered(stack, &acme, file, 200).await;
    }

    // First a folder in the middle, then the one with the files.
    for (lost, hidden, seen) in [
        (&ids[2], vec![&inner, &public], vec![&outer, &outside]),
        (&ids[1], vec![&inner, &public, &outer], vec![&outside]),
    ] {
        stack.remove_folder_record(&acme, lost).await;
        for file in hidden {
            assert_delivered(stack, &acme, file, 403).await;
            let any = [("if-none-match", "*")];
            stack.anonymous.fetch_as(403, file.url(), &any).await;
        }
        for file in seen {
            assert_delivered(stack, &acme, file, 200).await;
        }
    }

    let record = acme.get_ok(inner.path()).await;
    assert_eq!(record["access_control"]["requires_auth"], true);
    assert_eq!(record["access_control"]["source"], "folder");
    acme.put_ok(inner.path(), json!({"folder_id": null})).await;
    stack.anonymous.fetch(inner.url()).await;
}
