//! `PUT` and `DELETE` of `/spaces/:id/security` and `/folders/:id/security`: each setting of the
//! nearest folder that sets it applies, or else that of the space.

use http_api::describe::ValueForms;
use serde_json::{Value, json};
use tests::{
    Ends, Folder, Observed, PHOTO, Stack, StackOptions, TestSpace, field_error, field_errors,
    merged, minutes, rows, seconds, stack_test,
};

use super::create::get_folder;
use crate::support::image_server::{ImageServer, logo};

/// Positions of a watermark.
const POSITIONS: &str = "northwest north northeast west center east southwest south southeast";

/// Returns a watermark with fields that differ from the default.
fn watermark(differences: Value) -> Value {
    let default = json!({"enabled": false, "url": null, "file_id": null, "position": "southeast", "opacity": 0.5});
    merged(default, differences)
}

async fn image_server() -> ImageServer {
    ImageServer::start(&logo([255, 0, 0])).await
}

#[stack_test]
async fn documented_example_is_valid(acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let server = image_server().await;
    let api = openapi::api(ValueForms::Canonical);
    for (documented, resource) in [
        ("/spaces/{id}/security", &*acme.path()),
        ("/folders/{id}/security", folder.path()),
    ] {
        let is_put = |operation: &&openapi::Operation| {
            operation.endpoint.path == documented && operation.endpoint.method == "PUT"
        };
        let operation = api.operations.iter().find(is_put).expect("an operation");
        let body = &operation.description["requestBody"]["content"]["application/json"]["schema"];
        let watermark = &body["properties"]["security"]["properties"]["watermark"];
        let mut example = watermark["examples"][0].clone();
        example["url"] = json!(server.url());

        let security = json!({ "watermark": example });
        let changed = acme.set_security(resource, security).await;
        assert_eq!(changed["security"]["watermark"]["url"], example["url"]);
    }
}

/// Returns watermarks of requests, and how the stored watermarks differ from the default.
fn watermarks(url: &str) -> Vec<(Value, Value)> {
    let mut cases = rows(json!([
        [
            {"enabled": true, "url": url, "position": "north", "opacity": 1},
            {"enabled": true, "url": url, "position": "north", "opacity": 1.0},
        ],
        [{"enabled": true, "url": url}, {"enabled": true, "url": url}],
        [{"opacity": 0.001}, {"opacity": 0.001}],
        // Tiny values are raised to a minimum that DynamoDB can store.
        [{"opacity": 1e-130}, {"opacity": 1e-6}],
        [{"opacity": 5e-324}, {"opacity": 1e-6}],
        [{"url": url, "enabled": false}, {"url": url}],
        [{"url": null, "position": null, "opacity": null}, {}],
        // A disabled watermark is a setting too.
        [{}, {}],
    ]));

    let position = |name| (json!({ "position": name }), json!({ "position": name }));
    cases.extend(POSITIONS.split(' ').map(position));
    cases
}

#[stack_test]
async fn put_replaces_all_settings_and_absent_ones_are_inherited(stack: &Stack, acme: &TestSpace) {
    let server = image_server().await;
    let space = acme.path();
    let folder = acme.folder("Photos").await;
    let from_space = json!({"source": "space", "inherited_from": acme.id});
    let own = json!({"source": "direct", "inherited_from": folder.id});
    let of_space = json!({"enabled": true, "url": server.url(), "position": "north"});

    for (path, inherited) in [(&*space, json!({})), (folder.path(), of_space)] {
        let security = |differences: &Value, source: &Value| {
            let security =
                json!({"watermark": watermark(differences.clone()), "transformations": "any"});
            let sources = json!({"sources": {"watermark": source, "transformations": from_space}});
            if path == space {
                return security;
            }
            merged(security, sources)
        };
        let set = async |given: &Value| {
            stack.clock.advance(seconds(1));
            let updated = acme.set_security(path, given.clone()).await;
            assert_eq!(acme.get_ok(path).await, updated, "{given}");
            updated["security"].clone()
        };
        let without_own = security(&inherited, &from_space);
        assert_eq!(acme.get_ok(path).await["security"], without_own);

        for (given, differences) in watermarks(server.url()) {
            let found = set(&json!({ "watermark": given })).await;
            assert_eq!(found, security(&differences, &own), "{given}");
        }
        for absent in [
            json!({}),
            json!({"watermark": null}),
            json!({"watermark": null, "transformations": null}),
            Value::Null,
        ] {
            let pale = json!({"enabled": true, "url": server.url(), "opacity": 0.25});
            set(&json!({ "watermark": pale })).await;
            for _ in 0..2 {
                assert_eq!(set(&absent).await, without_own, "{absent}");
            }
        }
        // The folder inherits it.
        let north = server.watermark_at("north");
        acme.set_security(&space, north).await;
    }
}

/// Returns invalid values of `security`, and the ends of the messages by the name of the field
/// below it.
fn invalid_security() -> Vec<(Value, Ends)> {
    let required = "is required when security.watermark.enabled is true";

    rows(json!([
        [null, {"": "is required"}],
        [[1], {"": "must be an object"}],
        [{"watermark": true, "hotlinking": {}}, {
            ".watermark": "must be an object",
            ".hotlinking": "is not supported",
        }],
        [{"hotlinking": {}, "watermark": {"size": 3, "opacity": 2}}, {
            ".hotlinking": "is not supported",
            ".watermark.size": "is not supported",
            ".watermark.opacity": "must not be greater than 1",
        }],
        [{"watermark": {"enabled": true}}, {".watermark.url": required}],
        [{"watermark": {"enabled": true, "url": null}}, {".watermark.url": required}],
        [{"watermark": {"enabled": true, "url": " "}}, {".watermark.url": required}],
        [{"watermark": {"enabled": true, "url": "http://example.com/logo.png"}}, {".watermark.url": "must be an https URL"}],
        [{"watermark": {"url": "https://10.0.0.1/logo.png"}}, {".watermark.url": "must be the URL of a public host"}],
        [{"watermark": {"enabled": null, "url": 1, "opacity": 0}}, {
            ".watermark.enabled": "must be true or false",
            ".watermark.url": "must be a string",
            ".watermark.opacity": "must be greater than 0",
        }],
        [{"watermark": {"opacity": -0.1}}, {".watermark.opacity": "must be greater than 0"}],
        [{"watermark": {"opacity": "0.5"}}, {".watermark.opacity": "must be a number"}],
        [{"watermark": {"position": "middle"}}, {".watermark.position": ""}],
        [{"watermark": {"size": 1, "position": "middle", "opacity": 2, "url": "logo.png"}}, {
            ".watermark.size": "is not supported",
            ".watermark.position": "",
            ".watermark.opacity": "must not be greater than 1",
            ".watermark.url": "must be a valid URL",
        }],
    ]))
}

#[stack_test]
async fn invalid_security_reports_all_errors_by_full_field_name(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let before = stack.dump().await;

    for path in [&*acme.path(), folder.path()] {
        let path = format!("{path}/security");
        for (security, ends) in invalid_security() {
            let ends = ends.into_iter();
            let expected = ends.map(|(field, end)| (format!("security{field}"), end));
            let expected = field_errors(expected);
            let body = json!({ "security": security });
            assert_eq!(acme.put_err(422, &path, body).await, expected, "{security}");
        }
        let absent = acme.put_err(422, &path, json!({})).await;
        assert_eq!(absent, field_error("security", "is required"));
    }

    stack.assert_unchanged(&before, "invalid security").await;
}

#[stack_test]
async fn image_of_settings_that_cannot_be_written_is_deleted(stack: &Stack, acme: &TestSpace) {
    let server = image_server().await;
    let body = json!({ "security": server.watermark() });
    let first = format!("{}/security", acme.folder("First").await.path());
    let Observed { output: set, calls } = stack.calls_of(acme.put(&first, body.clone())).await;
    set.expect_ok();
    acme.delete(&first).await.expect_ok();
    let second = acme.folder("Second").await;
    let second = second.path();

    let calls_before_write = u32::try_from(calls.len() - 1).expect("few calls");
    let mut hold = stack.local.faults().hold("folders", calls_before_write);
    let path = format!("{second}/security");
    let setting = acme.put(&path, body);
    let delete = async {
        hold.reached().await;
        let stored = stack.dump().await.objects;
        assert!(stored.keys().any(|key| key.contains("/watermarks/")));
        acme.delete_ok(second).await;
        hold.release();
    };
    let (set, ()) = futures::future::join(setting, delete).await;

    set.expect_error(404);
    let left = stack.dump().await.objects;
    assert!(!left.keys().any(|key| key.contains("/watermarks/")));
}

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
    let assert_security =
        async |folder: &Folder, opacity: f64, transformations: &str, sources: Value| {
            let security = &get_folder(acme, folder).await["security"];
            assert_eq!(security["watermark"]["opacity"], opacity);
            assert_eq!(security["transformations"], transformations);
            assert_eq!(security["sources"], sources);
        };

    let from = |source: &str, id: &str| json!({"source": source, "inherited_from": id});
    let from_space = from("space", &acme.id);
    let sources = json!({"watermark": from("direct", &outer.id), "transformations": from_space});
    assert_security(&outer, 0.25, "signed", sources).await;
    let from_outer = from("folder", &outer.id);
    let direct = from("direct", &inner.id);
    let sources = json!({"watermark": from_outer, "transformations": direct});
    assert_security(&inner, 0.25, "named", sources).await;

    // A setting that is absent from the body is not set any more.
    let opaque = json!({"watermark": {"opacity": 0.75}});
    acme.set_security(inner.path(), opaque).await;
    let sources = json!({"watermark": direct, "transformations": from_space});
    assert_security(&inner, 0.75, "signed", sources).await;
}

/// Levels, a space and two nested folders, and their new watermarks, null for a reset.
fn changes(url: &str) -> Vec<(usize, Value)> {
    rows(json!([
        [0, {"enabled": true, "url": url}],
        [1, {}],
        [2, {"enabled": true, "url": url, "opacity": 1.0}],
        [1, {"enabled": true, "url": url}],
        [2, {"url": url}],
        [0, {"position": "north"}],
        [2, null],
        [1, null],
        [0, {"enabled": true, "url": url}],
        [2, {"position": "east"}],
        [2, {"enabled": true, "url": url}],
        [0, null],
        [2, null],
    ]))
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn nearest_watermark_takes_effect_at_once(stack: &Stack, acme: &TestSpace) {
    let outer = acme.folder("Outer").await;
    let inner = acme.folder("Inner").inside(&outer).await;
    let image = acme.upload(PHOTO).into(&inner).await;
    let outside = acme.upload(PHOTO).await;
    let note = acme.upload("text").named("a.txt", "text/plain");
    let note = note.into(&inner).await;
    let signed = acme.sign(&image, minutes(10)).await;
    let server = image_server().await;
    let paths = [&*acme.path(), outer.path(), inner.path()];
    let ids = [&acme.id, &outer.id, &inner.id];
    let mut settings = [Value::Null, Value::Null, Value::Null];

    for (level, to) in changes(server.url()) {
        let security = if to.is_null() {
            Value::Null
        } else {
            json!({ "watermark": to })
        };
        acme.set_security(paths[level], security).await;
        settings[level] = to;

        let mut is_marked = [false; 3];
        for (index, path) in paths.iter().enumerate() {
            // Without any setting, the default is that of the space.
            let mut levels = (0..=index).rev();
            let nearest = levels.find(|nearest| !settings[*nearest].is_null());
            let nearest = nearest.unwrap_or(0);
            let differences = Some(settings[nearest].clone()).filter(Value::is_object);
            let expected = watermark(differences.unwrap_or(json!({})));
            is_marked[index] = expected["enabled"] == true;

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

        for (client, url, is_marked) in [
            (&stack.anonymous, image.url(), is_marked[2]),
            (&stack.anonymous, &signed, is_marked[2]),
            (&acme.client, image.url(), is_marked[2]),
            (&stack.anonymous, outside.url(), is_marked[0]),
        ] {
            let delivered = client.fetch(url).await;
            assert_eq!(delivered.body != PHOTO, is_marked, "{url}: {settings:?}");
        }
        stack.anonymous.fetch(note.url()).await.expect_body("text");
    }
}

#[stack_test]
async fn watermark_follows_folder_not_file(stack: &Stack, acme: &TestSpace) {
    let watermarked = acme.folder("Marked").await;
    let plain = acme.folder("Plain").await;
    let inner = acme.folder("Inner").inside(&plain).await;
    let server = image_server().await;
    let red = server.watermark();
    acme.set_security(watermarked.path(), red).await;
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
    let signed = acme.sign(&image, minutes(10)).await;
    for (client, url) in [(&acme.client, image.url()), (&stack.anonymous, &signed)] {
        assert!(client.fetch(url).await.body != PHOTO);
    }
    acme.put_ok(image.path(), json!({"folder_id": null})).await;
    check(false).await;
}
