//! Upload configs that convert images to AVIF, which cannot have a watermark, and watermarks exclude each
//! other in a space.

use futures::future;
use media::Format;
use serde_json::{Value, json};
use tests::{Response, Stack, StackOptions, TestSpace, minutes, seconds, stack_test, text};

use super::lifecycle::delete;
use crate::{
    support::{
        image_server::{ImageServer, logo},
        images::image,
    },
    uploads::presign::PendingFile,
};

/// Rounds of the race.
const ROUNDS: usize = 6;

fn config_errors() -> Value {
    json!({"config.transformations.upload_format": [
        "The config.transformations.upload format field must not be avif while a watermark is enabled in the space or in one of its folders."
    ]})
}

fn watermark_errors(names: &str) -> Value {
    json!({"security.watermark.enabled": [
        format!("The security.watermark.enabled field must be false while upload configs convert images to AVIF: {names}.")
    ]})
}

fn upload_errors() -> Value {
    json!({"file": [
        "The file field must not be stored as AVIF, because a watermark was enabled in the space or in one of its folders."
    ]})
}

fn rules(format: &str) -> Value {
    json!({"transformations": {"upload_format": format}})
}

async fn create(acme: &TestSpace, name: &str, format: &str) -> Response {
    let body = json!({"space_id": acme.id, "name": name, "config": rules(format)});
    acme.post("/upload-configs", body).await
}

async fn update(acme: &TestSpace, id: &str, format: &str) -> Response {
    let body = json!({"id": id, "config": rules(format)});
    acme.post("/upload-configs/update", body).await
}

async fn set(acme: &TestSpace, path: &str, server: &ImageServer) -> Response {
    let watermark = json!({"enabled": true, "url": server.url()});
    let body = json!({"security": {"watermark": watermark}});
    acme.put(&format!("{path}/security"), body).await
}

#[stack_test]
async fn config_cannot_convert_to_avif_while_a_watermark_is_enabled(acme: &TestSpace) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let web = acme.upload_config("web").await;
    let outer = acme.folder("outer").await;
    let inner = acme.folder("inner").inside(&outer).await;

    for path in [acme.path().as_str(), inner.path()] {
        set(acme, path, &server).await.expect_ok();
        // Another watermark in place of the first one.
        set(acme, path, &server).await.expect_ok();

        let created = create(acme, "avif", "avif").await;
        assert_eq!(created.expect_error(422), config_errors(), "{path}");
        let updated = update(acme, &web.id, "avif").await;
        assert_eq!(updated.expect_error(422), config_errors(), "{path}");
        update(acme, &web.id, "webp").await.expect_ok();

        let security = format!("{path}/security");
        acme.delete(&security).await.expect_ok();
        update(acme, &web.id, "avif").await.expect_ok();
        update(acme, &web.id, "original").await.expect_ok();
    }

    set(acme, inner.path(), &server).await.expect_ok();
    acme.delete_ok(inner.path()).await;
    create(acme, "avif", "avif").await.expect_created();
}

#[stack_test]
async fn watermark_cannot_be_enabled_while_configs_convert_to_avif(
    stack: &Stack,
    acme: &TestSpace,
) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let folder = acme.folder("photos").await;
    create(acme, "web", "webp").await.expect_created();
    let first = create(acme, "first", "avif").await.expect_created();
    stack.clock.advance(seconds(1));
    let second = create(acme, "second", "avif").await.expect_created();
    let before = stack.dump().await;

    for path in [acme.path().as_str(), folder.path()] {
        let errors = set(acme, path, &server).await.expect_error(422);
        assert_eq!(errors, watermark_errors("second, first"), "{path}");
    }
    stack.assert_unchanged(&before, "rejected watermarks").await;

    let deletion = json!({"id": first["id"]});
    delete(&acme.client, deletion).await.expect_status(204);
    let errors = set(acme, &acme.path(), &server).await.expect_error(422);
    assert_eq!(errors, watermark_errors("second"));
    update(acme, &text(&second["id"]), "jpeg").await.expect_ok();
    set(acme, &acme.path(), &server).await.expect_ok();
    set(acme, folder.path(), &server).await.expect_ok();
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn concurrent_requests_never_leave_both(stack: &Stack) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    for round in 0..ROUNDS {
        let acme = stack.space(&format!("Acme {round}")).await;
        let folder = acme.folder("photos").await;

        let path = acme.path();
        let (config, in_space, in_folder) = future::join3(
            create(&acme, "avif", "avif"),
            set(&acme, &path, &server),
            set(&acme, folder.path(), &server),
        )
        .await;

        let is_converted = config.status == 201;
        for watermark in [in_space, in_folder] {
            let expected = if is_converted { 422 } else { 200 };
            assert_eq!(watermark.status, expected, "{round}");
        }
    }
}

#[stack_test]
async fn names_of_all_configs_that_exclude_a_watermark_are_reported(
    stack: &Stack,
    acme: &TestSpace,
) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    create(acme, "oldest", "avif").await.expect_created();
    for number in 0..100 {
        stack.clock.advance(seconds(1));
        let name = format!("config-{number}");
        create(acme, &name, "webp").await.expect_created();
    }

    let errors = set(acme, &acme.path(), &server).await.expect_error(422);
    assert_eq!(errors, watermark_errors("oldest"));

    let mut names = Vec::new();
    for number in 0..101 {
        stack.clock.advance(seconds(1));
        let name = format!("avif-{number}");
        create(acme, &name, "avif").await.expect_created();
        names.insert(0, name);
    }
    let errors = set(acme, &acme.path(), &server).await.expect_error(422);
    assert_eq!(errors, watermark_errors(&names[..100].join(", ")));
}

#[stack_test]
async fn pending_files_are_not_converted_once_a_watermark_is_enabled(
    stack: &Stack,
    acme: &TestSpace,
) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let config = create(acme, "avif", "avif").await.expect_created();
    let png = image(Format::Png, 64, 48);
    let mut pending = Vec::new();
    for (content_type, bytes) in [
        ("image/png", &png),
        ("image/png", &png),
        ("text/plain", &b"x".to_vec()),
    ] {
        let fields = json!({"upload_config": "avif", "filename": "a", "content_type": content_type, "size": bytes.len()});
        let file = PendingFile::create(acme, fields).await;
        file.put(stack, bytes.clone()).await;
        pending.push(file);
    }

    update(acme, &text(&config["id"]), "original")
        .await
        .expect_ok();
    let folder = acme.folder("photos").await;
    set(acme, folder.path(), &server).await.expect_ok();

    let rejection = pending[0].confirm(&acme.client).await.expect_error(422);
    assert_eq!(rejection, upload_errors());
    acme.get_err(404, &pending[0].address()).await;

    stack.run_confirm_checks().await;
    for rejected in &pending[..2] {
        acme.get_err(404, &rejected.address()).await;
    }
    let text = acme.get_ok(&pending[2].address()).await;
    assert_eq!(text["status"], "active");
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test]
async fn form_is_not_converted_if_a_watermark_is_enabled_meanwhile(
    stack: &Stack,
    acme: &TestSpace,
) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let config = create(acme, "avif", "avif").await.expect_created();
    let id = text(&config["id"]);

    // The call that stores the image: the config was read before.
    let mut hold = stack.local.faults().hold("uploads", 2);
    let png = acme
        .upload(image(Format::Png, 64, 48))
        .named("a.png", "image/png");
    let uploading = png.with_config("avif").send();
    let enable = async {
        hold.reached().await;
        update(acme, &id, "original").await.expect_ok();
        set(acme, &acme.path(), &server).await.expect_ok();
        hold.release();
    };
    let (upload, ()) = future::join(uploading, enable).await;

    assert_eq!(upload.expect_error(422), upload_errors());
    assert!(stack.dump().await.files_with_bytes().is_empty());
    stack.run_post_upload().await;
    stack.run_for(minutes(3)).await;
}
