//! Inheritance of security settings: each setting of the nearest folder that sets it applies, or else
//! that of the space.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, folder_path, stack_test};

use super::{
    create::get_folder,
    security::{enabled, image_server, watermark},
};

/// Levels of settings: a space and two nested folders.
const LEVELS: usize = 3;

#[stack_test]
async fn each_setting_is_inherited_on_its_own(acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let set = async |path: &str, security: Value| {
        let body = json!({"security": security});
        let path = format!("{path}/security");
        acme.put_ok(&path, body).await;
    };
    set(&acme.path(), json!({"transformations": "signed"})).await;
    set(outer.path(), json!({"watermark": {"opacity": 0.25}})).await;
    set(inner.path(), json!({"transformations": "named"})).await;

    let security = get_folder(acme, &outer).await["security"].clone();
    assert_eq!(security["transformations"], "signed");
    assert_eq!(
        security["sources"],
        json!({
            "watermark": {"source": "direct", "inherited_from": outer["id"]},
            "transformations": {"source": "space", "inherited_from": acme.id},
        })
    );

    let security = get_folder(acme, &inner).await["security"].clone();
    assert_eq!(security["watermark"]["opacity"], 0.25);
    assert_eq!(security["transformations"], "named");
    assert_eq!(
        security["sources"],
        json!({
            "watermark": {"source": "folder", "inherited_from": outer["id"]},
            "transformations": {"source": "direct", "inherited_from": inner["id"]},
        })
    );

    // A setting that is absent from the body is not set any more.
    set(inner.path(), json!({"watermark": {"opacity": 0.75}})).await;
    let security = get_folder(acme, &inner).await["security"].clone();
    assert_eq!(security["watermark"]["opacity"], 0.75);
    assert_eq!(security["transformations"], "signed");
}

/// Levels and their new watermarks, `None` for a reset.
fn changes(url: &str) -> [(usize, Option<Value>); 11] {
    [
        (0, Some(enabled(url))),
        (1, Some(json!({}))),
        (
            2,
            Some(json!({"enabled": true, "url": url, "opacity": 1.0})),
        ),
        (1, Some(enabled(url))),
        (2, Some(json!({"url": url}))),
        (0, Some(json!({"position": "north"}))),
        (2, None),
        (1, None),
        (0, Some(enabled(url))),
        (2, Some(json!({"position": "east"}))),
        (2, None),
    ]
}

/// Returns the `source` of a level whose nearest setting is at another level or its own.
fn source_of(nearest: usize, level: usize) -> &'static str {
    match nearest {
        0 => "space",
        own if own == level => "direct",
        _ => "folder",
    }
}

/// A space or folder with settings.
struct Level {
    /// Path in the API.
    path: String,
    id: Value,
}

impl Level {
    fn of(folder: &Value) -> Level {
        Level {
            path: folder_path(folder),
            id: folder["id"].clone(),
        }
    }
}

#[stack_test]
async fn nearest_watermark_takes_effect_at_once(stack: &Stack, acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let image = acme.upload(PHOTO).into(&inner).await;
    let note = acme
        .upload("some text")
        .named("a.txt", "text/plain")
        .into(&inner)
        .await;
    let server = image_server().await;
    let space = Level {
        path: acme.path(),
        id: json!(acme.id),
    };
    let levels = [space, Level::of(&outer), Level::of(&inner)];
    let mut settings: [Option<Value>; LEVELS] = [const { None }; LEVELS];

    for (level, to) in changes(server.url()) {
        let path = format!("{}/security", levels[level].path);
        match &to {
            Some(value) => {
                acme.put_ok(&path, json!({"security": {"watermark": value}}))
                    .await
            }
            None => acme.delete(&path).await.expect_ok(),
        };
        settings[level] = to;

        let mut is_enabled = false;
        for (index, shown) in levels.iter().enumerate() {
            // Without any setting, the default is that of the space.
            let nearest = (0..=index)
                .rev()
                .find(|nearest| settings[*nearest].is_some())
                .unwrap_or(0);
            let differences = settings[nearest].clone().unwrap_or(json!({}));
            let expected = watermark(&differences);
            is_enabled = expected["enabled"] == true;

            let security = acme.get_ok(&shown.path).await["security"].clone();
            assert_eq!(security["watermark"], expected, "{index} by {settings:?}");
            if index > 0 {
                let source = json!({
                    "source": source_of(nearest, index),
                    "inherited_from": levels[nearest].id,
                });
                assert_eq!(
                    security["sources"]["watermark"], source,
                    "{index} by {settings:?}"
                );
            }
        }

        let response = stack.anonymous.get(image.url()).await;
        let is_original = response.expect_status(200).body == PHOTO;
        assert_eq!(is_original, !is_enabled, "{settings:?}");
        assert_eq!(stack.anonymous.fetch(note.url()).await.body, "some text");
    }
}

#[stack_test]
async fn watermark_follows_folder_not_file(stack: &Stack, acme: &TestSpace) {
    let client = &acme.client;
    let watermarked = acme.folder("Marked").await;
    let plain = acme.folder("Plain").await;
    let inner = acme.folder("Inner").inside(&plain).await;
    let server = image_server().await;
    let body = json!({"security": {"watermark": enabled(server.url())}});
    client
        .put_ok(&format!("{}/security", folder_path(&watermarked)), body)
        .await;

    let image = acme.upload(PHOTO).into(&inner).await;
    let check = async |is_marked: bool| {
        for client in [&stack.anonymous, client] {
            let response = client.fetch(image.url()).await;
            assert_eq!(response.body != PHOTO, is_marked);
        }
    };
    check(false).await;
    client
        .put_ok(
            &folder_path(&inner),
            json!({"parent_id": watermarked["id"]}),
        )
        .await;
    check(true).await;
    client
        .put_ok(
            &folder_path(&watermarked),
            json!({"parent_id": plain["id"], "name": "Renamed"}),
        )
        .await;
    check(true).await;
    client
        .put_ok(image.path(), json!({"folder_id": plain["id"]}))
        .await;
    check(false).await;
    client
        .put_ok(image.path(), json!({"folder_id": watermarked["id"]}))
        .await;
    check(true).await;

    // Access is required before the watermark matters.
    let protected = json!({"access_control": {"requires_auth": true}});
    client
        .put_ok(
            &format!("{}/access-control", folder_path(&plain)),
            protected,
        )
        .await;
    stack.anonymous.get_err(403, image.url()).await;
    client.fetch(image.url()).await;
    client
        .put_ok(image.path(), json!({"folder_id": null}))
        .await;
    check(false).await;
}
