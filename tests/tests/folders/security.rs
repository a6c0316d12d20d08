//! `PUT` and `DELETE /folders/:id/security`.

use serde_json::{Value, json};
use tests::{Folder, Observed, Stack, TestSpace, seconds, stack_test};

use super::create::get_folder;
use crate::support::image_server::{ImageServer, logo};

/// Returns a watermark that differs from the default in one field.
pub(super) fn watermark(differences: &Value) -> Value {
    let mut watermark =
        json!({"enabled": false, "url": null, "position": "southeast", "opacity": 0.5});
    for (field, value) in differences.as_object().expect("an object") {
        watermark[field] = value.clone();
    }
    watermark
}

pub(super) fn enabled(url: &str) -> Value {
    json!({"enabled": true, "url": url})
}

pub(super) async fn image_server() -> ImageServer {
    ImageServer::start(&logo([255, 0, 0])).await
}

#[stack_test]
async fn documented_example_is_valid(acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let server = image_server().await;
    let api = openapi::api();
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

/// A folder in a space whose watermark is enabled.
struct Inherited<'a> {
    acme: &'a TestSpace,
    photos: Folder,
    server: ImageServer,
    /// `security` of the folder.
    security: Value,
}

impl Inherited<'_> {
    async fn new(acme: &TestSpace) -> Inherited<'_> {
        let photos = acme.folder("Photos").await;
        let server = image_server().await;
        let of_space = json!({"enabled": true, "url": server.url(), "position": "north"});
        let security = json!({ "watermark": of_space });
        acme.set_security(&acme.path(), security).await;

        let security = get_folder(acme, &photos).await["security"].clone();
        let from_space = json!({"source": "space", "inherited_from": acme.id});
        let expected = json!({
            "watermark": watermark(&of_space),
            "transformations": "any",
            "sources": {"watermark": from_space, "transformations": from_space},
        });
        assert_eq!(security, expected);
        Inherited {
            acme,
            photos,
            server,
            security,
        }
    }

    /// Sets `security` of the folder, or resets it if it is null. Returns the record.
    async fn set(&self, security: Value) -> Value {
        self.acme.set_security(self.photos.path(), security).await
    }
}

#[stack_test]
async fn put_replaces_all_settings_of_the_watermark(stack: &Stack, acme: &TestSpace) {
    let inherited = Inherited::new(acme).await;
    let url = inherited.server.url();
    let from_space = json!({"source": "space", "inherited_from": acme.id});
    let own = json!({"source": "direct", "inherited_from": inherited.photos.id});

    for requested in [
        json!({"enabled": true, "url": url, "position": "west", "opacity": 0.25}),
        json!({"enabled": true, "url": url}),
        json!({"opacity": 0.001}),
        json!({"url": url, "enabled": false}),
        json!({"url": null, "position": null, "opacity": null}),
        // A disabled watermark is a setting too.
        json!({}),
    ] {
        stack.clock.advance(seconds(1));
        let response = inherited.set(json!({ "watermark": requested })).await;

        let mut differences = requested.clone();
        let fields = differences.as_object_mut().expect("an object");
        fields.retain(|_, value| !value.is_null());
        let expected = json!({
            "watermark": watermark(&differences),
            "transformations": "any",
            "sources": {"watermark": own, "transformations": from_space},
        });
        assert_eq!(response["security"], expected, "{requested}");
        let found = get_folder(acme, &inherited.photos).await;
        assert_eq!(found, response, "{requested}");
    }
}

#[stack_test]
async fn put_without_settings_and_delete_inherit(acme: &TestSpace) {
    let inherited = Inherited::new(acme).await;
    let own = json!({"watermark": {"opacity": 0.25}});

    for absent in [
        json!({}),
        json!({"watermark": null}),
        json!({"watermark": null, "transformations": null}),
        Value::Null,
        Value::Null,
    ] {
        let changed = inherited.set(own.clone()).await;
        assert_ne!(changed["security"], inherited.security, "{absent}");
        let response = inherited.set(absent.clone()).await;
        assert_eq!(response["security"], inherited.security, "{absent}");
        assert_eq!(get_folder(acme, &inherited.photos).await, response);
    }
    let unchanged = inherited.set(Value::Null).await;
    assert_eq!(unchanged["security"], inherited.security);
}

#[stack_test]
async fn invalid_folder_security_reports_all_errors(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await;
    let path = format!("{}/security", photos.path());
    let before = stack.dump().await;
    let required = json!({"security": ["The security field is required."]});

    for (body, errors) in [
        (json!({}), required.clone()),
        (json!({"security": null}), required),
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
            json!({"security.watermark.url": ["The security.watermark.url field is required when security.watermark.enabled is true."]}),
        ),
        (
            json!({"security": {"watermark": {"url": "https://10.0.0.1/logo.png"}}}),
            json!({"security.watermark.url": ["The security.watermark.url field must be the URL of a public host."]}),
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
        assert_eq!(acme.put_err(422, &path, &body).await, errors, "{body}");
    }
    stack
        .assert_unchanged(&before, "invalid security settings")
        .await;
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
