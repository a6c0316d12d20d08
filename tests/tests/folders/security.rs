//! `PUT` and `DELETE /folders/:id/security`: the watermark of the nearest folder that has one
//! applies, or else that of the space.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, folder_path, seconds, stack_test};

use super::create::get_folder;
use crate::support::image_server::{ImageServer, logo};

/// Levels of settings: a space and two nested folders.
const LEVELS: usize = 3;

/// Returns a watermark that differs from the default in one field.
fn watermark(differences: &Value) -> Value {
    let mut watermark =
        json!({"enabled": false, "url": null, "position": "southeast", "opacity": 0.5});
    for (field, value) in differences.as_object().expect("an object") {
        watermark[field] = value.clone();
    }
    watermark
}

fn enabled(url: &str) -> Value {
    json!({"enabled": true, "url": url})
}

async fn image_server() -> ImageServer {
    ImageServer::start(&logo([255, 0, 0])).await
}

#[stack_test]
async fn documented_example_is_valid(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let folder = acme.folder("Photos").await;
    let paths = [
        ("/spaces/{id}/security", format!("/spaces/{}", acme.id)),
        ("/folders/{id}/security", folder_path(&folder)),
    ];

    let server = image_server().await;
    let api = openapi::api();
    for (documented, resource) in paths {
        let is_put = |operation: &&openapi::Operation| {
            operation.endpoint.path == documented && operation.endpoint.method == "PUT"
        };
        let operation = api.operations.iter().find(is_put).expect("an operation");
        let body = &operation.description["requestBody"]["content"]["application/json"]["schema"];
        let watermark = &body["properties"]["security"]["properties"]["watermark"];
        let mut example = watermark["examples"][0].clone();
        example["url"] = json!(server.url());

        let changed = acme
            .client
            .put(
                &format!("{resource}/security"),
                json!({"security": {"watermark": example}}),
            )
            .await
            .expect_ok();
        assert_eq!(changed["security"]["watermark"]["url"], example["url"]);
    }
}

#[stack_test]
async fn put_replaces_security_and_delete_inherits(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let photos = acme.folder("Photos").await;
    let path = format!("{}/security", folder_path(&photos));
    let server = image_server().await;
    let url = server.url();
    let of_space = json!({"enabled": true, "url": url, "position": "north"});
    acme.client
        .put(
            &format!("/spaces/{}/security", acme.id),
            json!({"security": {"watermark": of_space}}),
        )
        .await
        .expect_ok();

    let inherited = get_folder(&acme, &photos).await["security"].clone();
    assert_eq!(
        inherited,
        json!({"watermark": watermark(&of_space), "transformations": "any", "source": "space", "inherited_from": acme.id})
    );
    for (requested, differences) in [
        (
            json!({"watermark": {"enabled": true, "url": url, "position": "west", "opacity": 0.25}}),
            None,
        ),
        (json!({"watermark": {"enabled": true, "url": url}}), None),
        (json!({"watermark": {"opacity": 0.001}}), None),
        (json!({"watermark": {"url": url, "enabled": false}}), None),
        (
            json!({"watermark": {"url": null, "position": null, "opacity": null}}),
            Some(json!({})),
        ),
        (json!({"watermark": {}}), None),
        (json!({"watermark": null}), Some(json!({}))),
        // A disabled watermark is a setting too.
        (json!({}), Some(json!({}))),
    ] {
        stack.clock.advance(seconds(1));
        let differences = differences.unwrap_or_else(|| requested["watermark"].clone());
        let response = acme
            .client
            .put(&path, json!({"security": requested}))
            .await
            .expect_ok();
        let expected = json!({"watermark": watermark(&differences), "transformations": "any", "source": "direct", "inherited_from": photos["id"]});
        assert_eq!(response["security"], expected, "{requested}");
        assert_eq!(get_folder(&acme, &photos).await, response, "{requested}");
    }

    for _ in 0..2 {
        let response = acme.client.delete(&path).await.expect_ok();
        assert_eq!(response["security"], inherited);
        assert_eq!(get_folder(&acme, &photos).await, response);
    }
}

#[stack_test]
async fn invalid_folder_security_reports_all_errors(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let photos = acme.folder("Photos").await;
    let path = format!("{}/security", folder_path(&photos));
    let before = stack.dump().await;
    let required =
        "The security.watermark.url field is required when security.watermark.enabled is true.";

    for (body, errors) in [
        (
            json!({}),
            json!({"security": ["The security field is required."]}),
        ),
        (
            json!({"security": null}),
            json!({"security": ["The security field is required."]}),
        ),
        (
            json!({"security": []}),
            json!({"security": ["The security field must be an object."]}),
        ),
        (
            json!({"security": {"watermark": true, "hotlinking": {}}}),
            json!({
                "security.watermark": ["The security.watermark field must be an object."],
                "security.hotlinking": ["The security.hotlinking field is not supported."],
            }),
        ),
        (
            json!({"security": {"watermark": {"enabled": true}}}),
            json!({"security.watermark.url": [required]}),
        ),
        (
            json!({"security": {"watermark": {"url": "https://10.0.0.1/logo.png"}}}),
            json!({"security.watermark.url": ["The security.watermark.url field must be a public address."]}),
        ),
        (
            json!({"security": {"watermark": {"size": 1, "position": "middle", "opacity": 2, "url": "logo.png"}}}),
            json!({
                "security.watermark.size": ["The security.watermark.size field is not supported."],
                "security.watermark.position": ["The selected security.watermark.position is invalid."],
                "security.watermark.opacity": ["The security.watermark.opacity field must not be greater than 1."],
                "security.watermark.url": ["The security.watermark.url field must be a valid URL."],
            }),
        ),
    ] {
        assert_eq!(
            acme.client.put(&path, body.clone()).await.expect_error(422),
            errors,
            "{body}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "security settings that are wrong");
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

#[stack_test]
async fn nearest_watermark_takes_effect_at_once(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let image = acme.upload(PHOTO).into(&inner).await;
    let note = acme
        .upload("some text")
        .named("a.txt", "text/plain")
        .into(&inner)
        .await;
    let server = image_server().await;
    let levels = [
        (format!("/spaces/{}", acme.id), json!(acme.id)),
        of(&outer),
        of(&inner),
    ];
    let mut settings: [Option<Value>; LEVELS] = [const { None }; LEVELS];

    for (level, to) in changes(server.url()) {
        let path = format!("{}/security", levels[level].0);
        match &to {
            Some(value) => acme
                .client
                .put(&path, json!({"security": {"watermark": value}}))
                .await
                .expect_ok(),
            None => acme.client.delete(&path).await.expect_ok(),
        };
        settings[level] = to;

        let mut is_enabled = false;
        for (index, (address, _)) in levels.iter().enumerate() {
            // Without any setting, the default is that of the space.
            let nearest = (0..=index)
                .rev()
                .find(|nearest| settings[*nearest].is_some())
                .unwrap_or(0);
            let differences = settings[nearest].clone().unwrap_or(json!({}));
            let expected = watermark(&differences);
            is_enabled = expected["enabled"] == true;

            let security = acme.client.get(address).await.expect_ok()["security"].clone();
            assert_eq!(security["watermark"], expected, "{index} by {settings:?}");
            if index > 0 {
                let source = source_of(nearest, index);
                let inherited_from = &levels[nearest].1;
                assert_eq!(security["source"], source, "{index} by {settings:?}");
                assert_eq!(
                    &security["inherited_from"], inherited_from,
                    "{index} by {settings:?}"
                );
            }
        }

        let response = stack.anonymous.get(image.url()).await;
        let is_original = response.expect_status(200).body == PHOTO;
        assert_eq!(is_original, !is_enabled, "{settings:?}");
        assert_eq!(
            stack
                .anonymous
                .get(note.url())
                .await
                .expect_status(200)
                .body,
            "some text"
        );
    }
}

/// Returns the path of a folder in the API, and its id.
fn of(folder: &Value) -> (String, Value) {
    (folder_path(folder), folder["id"].clone())
}

#[stack_test]
async fn watermark_follows_folder_not_file(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let client = &acme.client;
    let watermarked = acme.folder("Marked").await;
    let plain = acme.folder("Plain").await;
    let inner = acme.folder("Inner").inside(&plain).await;
    let server = image_server().await;
    let body = json!({"security": {"watermark": enabled(server.url())}});
    client
        .put(&format!("{}/security", folder_path(&watermarked)), body)
        .await
        .expect_ok();

    let image = acme.upload(PHOTO).into(&inner).await;
    let check = async |is_marked: bool| {
        for client in [&stack.anonymous, client] {
            let response = client.get(image.url()).await.expect_status(200);
            assert_eq!(response.body != PHOTO, is_marked);
        }
    };
    check(false).await;
    client
        .put(
            &folder_path(&inner),
            json!({"parent_id": watermarked["id"]}),
        )
        .await
        .expect_ok();
    check(true).await;
    client
        .put(
            &folder_path(&watermarked),
            json!({"parent_id": plain["id"], "name": "Renamed"}),
        )
        .await
        .expect_ok();
    check(true).await;
    client
        .put(image.path(), json!({"folder_id": plain["id"]}))
        .await
        .expect_ok();
    check(false).await;
    client
        .put(image.path(), json!({"folder_id": watermarked["id"]}))
        .await
        .expect_ok();
    check(true).await;

    // Access is required before the watermark matters.
    let protected = json!({"access_control": {"requires_auth": true}});
    client
        .put(
            &format!("{}/access-control", folder_path(&plain)),
            protected,
        )
        .await
        .expect_ok();
    stack.anonymous.get(image.url()).await.expect_error(403);
    client.get(image.url()).await.expect_status(200);
    client
        .put(image.path(), json!({"folder_id": null}))
        .await
        .expect_ok();
    check(false).await;
}

#[stack_test]
async fn image_of_settings_that_cannot_be_written_is_deleted(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let server = image_server().await;
    let body = json!({"security": {"watermark": enabled(server.url())}});
    let first = format!("{}/security", acme.folder("First").await.path());
    let (set, calls) = stack.calls_of(acme.client.put(&first, body.clone())).await;
    set.expect_ok();
    acme.client.delete(&first).await.expect_ok();
    let second = acme.folder("Second").await;
    let second = second.path();

    let calls_before_write = u32::try_from(calls.len() - 1).expect("few calls");
    let mut hold = stack.local.faults().hold("folders", calls_before_write);
    let path = format!("{second}/security");
    let setting = acme.client.put(&path, body);
    let delete = async {
        hold.reached().await;
        let stored = stack.dump().await.objects;
        assert!(stored.keys().any(|key| key.contains("/watermarks/")));
        acme.client.delete(second).await.expect_status(204);
        hold.release();
    };
    let (set, ()) = futures::future::join(setting, delete).await;

    set.expect_error(404);
    let left = stack.dump().await.objects;
    assert!(!left.keys().any(|key| key.contains("/watermarks/")));
}
