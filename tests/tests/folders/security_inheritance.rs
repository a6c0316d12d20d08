//! Inheritance of security settings: each setting of the nearest folder that sets it applies, or else
//! that of the space.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, stack_test};

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
    let signed = json!({"transformations": "signed"});
    acme.set_security(&acme.path(), signed).await;
    let pale = json!({"watermark": {"opacity": 0.25}});
    acme.set_security(outer.path(), pale).await;
    let named = json!({"transformations": "named"});
    acme.set_security(inner.path(), named).await;

    let security = &get_folder(acme, &outer).await["security"];
    assert_eq!(security["transformations"], "signed");
    let sources = json!({
        "watermark": {"source": "direct", "inherited_from": outer.id},
        "transformations": {"source": "space", "inherited_from": acme.id},
    });
    assert_eq!(security["sources"], sources);

    let security = &get_folder(acme, &inner).await["security"];
    assert_eq!(security["watermark"]["opacity"], 0.25);
    assert_eq!(security["transformations"], "named");
    let sources = json!({
        "watermark": {"source": "folder", "inherited_from": outer.id},
        "transformations": {"source": "direct", "inherited_from": inner.id},
    });
    assert_eq!(security["sources"], sources);

    // A setting that is absent from the body is not set any more.
    let opaque = json!({"watermark": {"opacity": 0.75}});
    acme.set_security(inner.path(), opaque).await;
    let security = &get_folder(acme, &inner).await["security"];
    assert_eq!(security["watermark"]["opacity"], 0.75);
    assert_eq!(security["transformations"], "signed");
}

/// Levels and their new watermarks, `None` for a reset.
fn changes(url: &str) -> [(usize, Option<Value>); 11] {
    let opaque = json!({"enabled": true, "url": url, "opacity": 1.0});
    [
        (0, Some(enabled(url))),
        (1, Some(json!({}))),
        (2, Some(opaque)),
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

#[stack_test]
async fn nearest_watermark_takes_effect_at_once(stack: &Stack, acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let image = acme.upload(PHOTO).into(&inner).await;
    let note = acme.upload("text").named("a.txt", "text/plain");
    let note = note.into(&inner).await;
    let server = image_server().await;
    let space = acme.path();
    let paths = [&space, outer.path(), inner.path()];
    let ids = [&acme.id, &outer.id, &inner.id];
    let mut settings: [Option<Value>; LEVELS] = [const { None }; LEVELS];

    for (level, to) in changes(server.url()) {
        let security = to.as_ref().map(|to| json!({ "watermark": to }));
        acme.set_security(paths[level], json!(security)).await;
        settings[level] = to;

        let mut is_enabled = false;
        for (index, path) in paths.iter().enumerate() {
            // Without any setting, the default is that of the space.
            let mut levels = (0..=index).rev();
            let nearest = levels.find(|nearest| settings[*nearest].is_some());
            let nearest = nearest.unwrap_or(0);
            let differences = settings[nearest].clone().unwrap_or(json!({}));
            let expected = watermark(&differences);
            is_enabled = expected["enabled"] == true;

            let security = &acme.get_ok(path).await["security"];
            assert_eq!(security["watermark"], expected, "{index}: {settings:?}");
            if index > 0 {
                let source = match nearest {
                    0 => "space",
                    own if own == index => "direct",
                    _ => "folder",
                };
                let source = json!({"source": source, "inherited_from": ids[nearest]});
                assert_eq!(security["sources"]["watermark"], source, "{settings:?}");
            }
        }

        let delivered = stack.anonymous.fetch(image.url()).await;
        assert_eq!(delivered.body != PHOTO, is_enabled, "{settings:?}");
        stack.anonymous.fetch(note.url()).await.expect_body("text");
    }
}

#[stack_test]
async fn watermark_follows_folder_not_file(stack: &Stack, acme: &TestSpace) {
    let watermarked = acme.folder("Marked").await;
    let plain = acme.folder("Plain").await;
    let inner = acme.folder("Inner").inside(&plain).await;
    let server = image_server().await;
    acme.set_security(watermarked.path(), server.watermark())
        .await;
    let image = acme.upload(PHOTO).into(&inner).await;
    let check = async |is_marked: bool| {
        for client in [&stack.anonymous, &acme.client] {
            let response = client.fetch(image.url()).await;
            assert_eq!(response.body != PHOTO, is_marked);
        }
    };
    check(false).await;

    let into_plain = json!({"parent_id": plain.id, "name": "Renamed"});
    for (path, body, is_marked) in [
        (inner.path(), json!({"parent_id": watermarked.id}), true),
        (watermarked.path(), into_plain, true),
        (image.path(), json!({"folder_id": plain.id}), false),
        (image.path(), json!({"folder_id": watermarked.id}), true),
    ] {
        acme.put_ok(path, body).await;
        check(is_marked).await;
    }

    // Access is required before the watermark matters.
    acme.set_access(plain.path(), Some(true)).await;
    stack.anonymous.get_err(403, image.url()).await;
    acme.fetch(image.url()).await;
    acme.put_ok(image.path(), json!({"folder_id": null})).await;
    check(false).await;
}
