//! `POST /upload/unsigned/:spaceHandle/:configName`: anonymous uploads from the referrers that a
//! config allows.

use std::net::Ipv4Addr;

use reqwest::{
    header::HeaderValue,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use table::keys;
use tests::{Client, PHOTO, Response, Stack, TestSpace, file, minutes, stack_test};

/// A referrer that the configs of [`UnsignedConfig::new`] allow.
pub(crate) const REFERRER: &str = "https://example.com/";

/// An upload config that allows unsigned uploads, and an anonymous client.
pub(crate) struct UnsignedConfig {
    /// Id of the config.
    pub(crate) config: String,
    /// Path of the upload route.
    pub(crate) path: String,
    pub(crate) anonymous: Client,
}

impl UnsignedConfig {
    /// Creates a config that allows [`REFERRER`]. `more` replaces or extends the fields.
    pub(crate) async fn new(
        stack: &Stack,
        acme: &TestSpace,
        name: &str,
        more: Value,
    ) -> UnsignedConfig {
        let unsigned = json!({
            "allow_unsigned": true,
            "unsigned_restrictions": {"allowed_referrers": ["example.com"], "require_https": false},
        });
        let config = acme.upload_config(name).with(unsigned).with(more).await;
        UnsignedConfig {
            config: config.id,
            path: format!("/upload/unsigned/{}/{name}", acme.handle),
            anonymous: stack.anonymous.clone(),
        }
    }

    /// Creates a config with a maximum of uploads per hour.
    pub(crate) async fn with_hourly_limit(
        stack: &Stack,
        acme: &TestSpace,
        name: &str,
        limit: u32,
    ) -> UnsignedConfig {
        let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": false, "max_uploads_per_hour": limit});
        UnsignedConfig::new(
            stack,
            acme,
            name,
            json!({"unsigned_restrictions": restrictions}),
        )
        .await
    }

    /// Returns the same config for a client at another address of the loopback network.
    pub(crate) fn at_address(&self, last: u8) -> UnsignedConfig {
        UnsignedConfig {
            config: self.config.clone(),
            path: self.path.clone(),
            anonymous: self.anonymous.at_address(Ipv4Addr::new(127, 0, 0, last)),
        }
    }

    /// Uploads a form from a referrer, with more headers.
    pub(crate) async fn send_with(
        &self,
        referrer: &[u8],
        headers: &[(&str, &str)],
        form: Form,
    ) -> Response {
        let request = self.anonymous.request("POST", &self.path);
        let request = request.header(
            "referer",
            HeaderValue::from_bytes(referrer).expect("a header"),
        );
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });

        self.anonymous.send(request.multipart(form)).await
    }

    /// Uploads a form from [`REFERRER`].
    pub(crate) async fn send_form(&self, form: Form) -> Response {
        self.send_with(REFERRER.as_bytes(), &[], form).await
    }

    /// Uploads the photo from [`REFERRER`].
    pub(crate) async fn send(&self) -> Response {
        self.send_form(form(photo())).await
    }

    /// Uploads a form with an idempotency key.
    pub(crate) async fn send_with_key(&self, key: &str, form: Form) -> Response {
        self.send_with(REFERRER.as_bytes(), &[("idempotency-key", key)], form)
            .await
    }

    /// Presigns an upload of the photo. `more` replaces or extends the fields.
    pub(crate) async fn presign(&self, more: Value) -> Response {
        let mut body =
            json!({"filename": "photo.jpg", "content_type": "image/jpeg", "size": PHOTO.len()});
        body.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());

        let request = self
            .anonymous
            .request("POST", &format!("{}/presign", self.path));
        self.anonymous
            .send(request.header("referer", REFERRER).json(&body))
            .await
    }
}

pub(crate) fn photo() -> Part {
    file("photo.jpg", "image/jpeg", PHOTO)
}

pub(crate) fn form(file: Part) -> Form {
    Form::new().part("file", file)
}

#[stack_test]
async fn allowed_referrer_uploads_file_without_owner(stack: &Stack, acme: &TestSpace) {
    let rules = json!({"delivery_type": "authenticated", "config": {"metadata": {"tags": ["a"]}}});
    let unsigned = UnsignedConfig::new(stack, acme, "open", rules).await;
    let other = UnsignedConfig::new(stack, acme, "other", json!({})).await;

    // Only the path selects the space and the config.
    let form = form(photo())
        .text("ref", "order 7")
        .text("upload_config", other.config)
        .text("space", "zzzzzz");
    let id = unsigned.send_form(form).await.expect_created()["id"].clone();
    let uploaded = acme
        .get_ok(&format!("/files/{}", id.as_str().expect("an id")))
        .await;

    for (field, value) in [
        ("uploaded_by", json!({"type": "unsigned"})),
        ("status", json!("active")),
        ("type", json!("authenticated")),
        ("upload_config_id", json!(unsigned.config)),
        ("space_id", json!(acme.id)),
        ("original_name", json!("photo.jpg")),
        ("mime_type", json!("image/jpeg")),
        ("size", json!(PHOTO.len())),
        ("ref", json!("order 7")),
        ("tags", json!(["a"])),
    ] {
        assert_eq!(uploaded[field], value, "{field}");
    }

    let url = uploaded["url"].as_str().expect("a URL");
    assert_eq!(acme.fetch(url).await.body, PHOTO);

    stack.anonymous.get_err(403, url).await;
}

#[stack_test]
async fn config_without_unsigned_uploads_returns_404_and_counts_nothing(
    stack: &Stack,
    acme: &TestSpace,
    elsewhere: &TestSpace,
) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let closed = UnsignedConfig::new(stack, acme, "closed", json!({"allow_unsigned": false})).await;
    let shut = UnsignedConfig::new(stack, acme, "shut", json!({})).await;
    let change = json!({"id": shut.config, "allow_unsigned": false});

    acme.post_ok("/upload-configs/update", change).await;

    let before = stack.dump().await;
    let at = |handle: &str, config: &str| format!("/upload/unsigned/{handle}/{config}");

    for (path, status) in [
        (at("zzzzzz", "open"), 404),
        (at("nonsense", "open"), 404),
        (at(&acme.handle.to_uppercase(), "open"), 404),
        (at(&acme.id, "open"), 404),
        (at(&elsewhere.handle, "open"), 403),
        (at(&acme.handle, "nothing"), 403),
        (at(&acme.handle, "Open"), 403),
        (at(&acme.handle, "a%20b"), 403),
        (at(&acme.handle, "starter"), 403),
        (at(&acme.handle, &unsigned.config), 403),
        (closed.path, 403),
        (shut.path, 403),
    ] {
        let unknown = UnsignedConfig {
            config: String::new(),
            path,
            anonymous: stack.anonymous.clone(),
        };
        for response in [unknown.send().await, unknown.presign(json!({})).await] {
            let response = response.expect_status(status);
            assert_eq!(
                response.header("x-ratelimit-limit"),
                "",
                "{}",
                response.request
            );
            assert_eq!(response.expect_error(status), json!({}));
        }
    }

    // Rejected requests create neither files nor counters.
    stack
        .dump()
        .await
        .assert_unchanged(&before, "requests to unknown paths");
    unsigned.send().await.expect_created();

    let counters = stack
        .dump()
        .await
        .items_with_prefix(keys::RATE_COUNTERS)
        .count();
    assert_eq!(counters, 1, "accepted uploads count");
}

#[stack_test]
async fn disabled_space_rejects_unsigned_uploads(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let space = acme.path();

    acme.put_ok(&space, json!({"name": "Acme", "enabled": false}))
        .await;

    unsigned.send().await.expect_error(403);
    unsigned.presign(json!({})).await.expect_error(403);

    acme.put_ok(&space, json!({"name": "Acme", "enabled": true}))
        .await;
    unsigned.send().await.expect_created();
}

async fn put_photo(client: &Client, pending_file: &Value) {
    let request = client.request("PUT", pending_file["upload_url"].as_str().expect("a URL"));

    client
        .send(request.header("content-type", "image/jpeg").body(PHOTO))
        .await
        .expect_status(200);
}

#[stack_test]
async fn unsigned_presign_is_confirmed_by_token(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let other = UnsignedConfig::new(stack, acme, "other", json!({})).await;
    let pending_file = unsigned
        .presign(json!({"ref": "order 7"}))
        .await
        .expect_status(201)
        .json();
    let unused = other.presign(json!({})).await.expect_status(201).json();

    assert_eq!(
        (&pending_file["expires_in"], &pending_file["data"]),
        (&json!(3600), &Value::Null)
    );

    let path = format!(
        "/upload/confirm/{}",
        pending_file["file_id"].as_str().expect("an id")
    );
    let confirm = |token: &Value| stack.anonymous.post(&path, json!({"confirm_token": token}));
    let token = &pending_file["confirm_token"];

    assert!(confirm(token).await.expect_error(409)["file"].is_array());

    put_photo(&stack.anonymous, &pending_file).await;
    confirm(&unused["confirm_token"]).await.expect_error(403);

    let active = confirm(token).await.expect_ok();
    let record = acme
        .get_ok(&format!("/files/{}", active["id"].as_str().expect("an id")))
        .await;

    for (field, value) in [
        ("status", json!("active")),
        ("uploaded_by", json!({"type": "unsigned"})),
        ("upload_config_id", json!(unsigned.config)),
        ("ref", json!("order 7")),
    ] {
        assert_eq!(record[field], value, "{field}");
    }

    assert_eq!(confirm(token).await.expect_ok(), active);
    assert_eq!(
        stack
            .anonymous
            .fetch(active["url"].as_str().expect("a URL"))
            .await
            .body,
        PHOTO
    );

    for _ in 0..9 {
        stack.run_for(minutes(15)).await;
    }

    confirm(token).await.expect_error(403);

    let gone = format!("/files/{}", unused["file_id"].as_str().expect("an id"));
    acme.get_err(404, &gone).await;
}
