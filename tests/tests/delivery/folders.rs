//! Settings of nested folders: access and watermarks follow moves, and a missing folder protects its
//! files.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Response, Stack, StackOptions, stack_test};

use super::fixture::{Content, DeliveryFixture, FixtureFile};
use crate::support::image_server::{ImageServer, logo};

/// Names of nested folders.
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Creates nested folders, and returns their ids, the outermost first.
async fn nested(fixture: &DeliveryFixture<'_>, names: &[&str]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for name in names {
        let id = fixture
            .folder_in(name, ids.last().map(String::as_str))
            .await;
        ids.push(id);
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
    let fixture = DeliveryFixture::new(stack).await;
    let ids = nested(&fixture, &NAMES).await;
    let file = fixture.put("upload", &ids[4]).await;
    let anonymous = &fixture.stack.anonymous;
    let client = &fixture.acme.client;
    let mut settings = [None; NAMES.len()];

    for (step, path, decides) in STEPS {
        match step {
            Move(folder, into) => {
                let body = json!({"parent_id": into.map(|into| &ids[into])});
                client
                    .put_ok(&format!("/folders/{}", ids[folder]), body)
                    .await;
            }
            Say(folder, requires_auth) => {
                settings[folder] = requires_auth;
                fixture
                    .set(&format!("/folders/{}", ids[folder]), requires_auth)
                    .await;
            }
        }
        let protected = decides.is_some_and(|folder| settings[folder] == Some(true));
        anonymous
            .get(&file.url)
            .await
            .with_context(&format!("after {step:?}"))
            .expect_status(if protected { 403 } else { 200 });
        anonymous.fetch(&fixture.signed(&file.url)).await;
        client.fetch(&file.url).await;
        let (source, id) = decides.map_or(("space", &fixture.acme.id), |folder| {
            ("folder", &ids[folder])
        });
        let record = client.get_ok(&file.path).await;
        let expected = json!({
            "requires_auth": protected, "public_read": !protected, "source": source, "inherited_from": id,
            "setting": null,
        });
        assert_eq!(record["access_control"], expected, "after {step:?}");
        assert_eq!(
            (record["folder_path"].as_str(), &record["folder_id"]),
            (Some(path), &json!(ids[4])),
            "after {step:?}"
        );
        assert_eq!(
            record["url"],
            file.url.as_str(),
            "an address stays what it is"
        );
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn moved_file_inherits_access_of_new_folder(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let ids = nested(&fixture, &NAMES).await;
    let public = fixture.folder_in("public", Some(&ids[4])).await;
    let file = fixture.put("upload", "root").await;
    fixture
        .set(&format!("/folders/{}", ids[0]), Some(true))
        .await;
    fixture
        .set(&format!("/folders/{public}"), Some(false))
        .await;

    for (folder, status) in [
        (json!(ids[4]), 403),
        (json!(null), 200),
        (json!(ids[0]), 403),
        (json!(public), 200),
        (json!(ids[2].to_lowercase()), 403),
        (json!("root"), 200),
    ] {
        fixture
            .acme
            .put_ok(&file.path, json!({"folder_id": folder}))
            .await;
        fixture
            .stack
            .anonymous
            .get(&file.url)
            .await
            .expect_status(status);
    }
}

/// Requests a file with all clients that have access.
async fn responses(
    fixture: &DeliveryFixture<'_>,
    viewer: &Client,
    file: &FixtureFile,
) -> Vec<Response> {
    let anonymous = &fixture.stack.anonymous;
    let signed = fixture.signed(&file.url);
    vec![
        anonymous.get(&file.url).await,
        anonymous.get(&signed).await,
        viewer.get(&file.url).await,
    ]
}

async fn assert_marked(
    fixture: &DeliveryFixture<'_>,
    viewer: &Client,
    file: &FixtureFile,
    is_marked: bool,
) {
    for response in responses(fixture, viewer, file).await {
        let is_original = response.expect_status(200).body == PHOTO;
        assert_eq!(is_original, !is_marked);
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn nearest_folder_with_watermark_setting_decides(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let viewer = fixture.acme.role("viewer").await;
    let ids = nested(&fixture, &NAMES).await;
    let image = fixture.put("upload", &ids[4]).await;
    let outside_file = fixture.put("upload", "root").await;
    let text = fixture
        .put_file(
            "upload",
            &ids[4],
            Content {
                name: "a.txt",
                mime_type: "text/plain",
                bytes: b"some text",
            },
        )
        .await;
    let [outer, inner] = [&ids[0], &ids[3]].map(|id| format!("/folders/{id}"));
    let space = fixture.space();
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let on = json!({"security": {"watermark": {"enabled": true, "url": server.url()}}});
    let off = json!({"security": {"watermark": {"enabled": false}}});
    for (path, security, inside, outside) in [
        (&outer, &on, true, false),
        (&inner, &off, false, false),
        (&space, &on, false, true),
        (&inner, &Value::Null, true, true),
        (&outer, &off, false, true),
        (&inner, &on, true, true),
        (&space, &Value::Null, true, false),
        (&inner, &Value::Null, false, false),
    ] {
        let path = format!("{path}/security");
        let client = &fixture.acme.client;
        let changed = if security.is_null() {
            client.delete(&path).await
        } else {
            client.put(&path, security.clone()).await
        };
        changed.expect_ok();
        assert_marked(&fixture, &viewer, &image, inside).await;
        assert_marked(&fixture, &viewer, &outside_file, outside).await;
        let text = viewer.fetch(&text.url).await;
        assert_eq!(text.body, "some text");
    }

    // Access is required before the watermark matters.
    let inner_security = format!("{inner}/security");
    let client = &fixture.acme.client;
    client.put_ok(&inner_security, on).await;
    fixture.set(&outer, Some(true)).await;
    fixture.stack.anonymous.get_err(403, &image.url).await;
    fixture
        .stack
        .anonymous
        .fetch(&fixture.signed(&image.url))
        .await;
    fixture
        .acme
        .put_ok(&image.path, json!({"folder_id": null}))
        .await;
    assert_marked(&fixture, &viewer, &image, false).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn file_in_missing_folder_is_denied(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let viewer = fixture.acme.role("viewer").await;
    let ids = nested(&fixture, &NAMES).await;
    let inner = fixture.put("upload", &ids[4]).await;
    let outer = fixture.put("upload", &ids[1]).await;
    let public = fixture.put("upload", &ids[4]).await;
    let outside_file = fixture.put("upload", "root").await;
    fixture.set(&public.path, Some(false)).await;
    for file in [&inner, &outer, &public, &outside_file] {
        for response in responses(&fixture, &viewer, file).await {
            response.expect_status(200);
        }
    }

    // First a folder in the middle, then the one with the files.
    for (lost, hidden, seen) in [
        (&ids[2], vec![&inner, &public], vec![&outer, &outside_file]),
        (&ids[1], vec![&inner, &public, &outer], vec![&outside_file]),
    ] {
        fixture
            .stack
            .remove_folder_record(&fixture.acme, lost)
            .await;
        for file in hidden {
            for response in responses(&fixture, &viewer, file).await {
                response.expect_error(403);
            }
            fixture
                .stack
                .anonymous
                .get_with(&file.url, &[("if-none-match", "*")])
                .await
                .expect_error(403);
        }
        for file in seen {
            for response in responses(&fixture, &viewer, file).await {
                response.expect_status(200);
            }
        }
    }

    let record = viewer.get_ok(&inner.path).await["access_control"].clone();
    assert_eq!(
        (&record["requires_auth"], &record["source"]),
        (&json!(true), &json!("folder"))
    );
    fixture
        .acme
        .put_ok(&inner.path, json!({"folder_id": null}))
        .await;
    fixture.stack.anonymous.fetch(&inner.url).await;
}
