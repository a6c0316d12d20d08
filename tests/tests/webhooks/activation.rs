//! Everything that follows an upload is decided at its activation, even if file or config are
//! deleted at once.

use media::format::Format;
use serde_json::{Value, json};
use tests::{Answer, File, PHOTO, Stack, TestSpace, WebhookReceiver, minutes, seconds, stack_test};

use super::fixture::{Hooks, events};
use crate::{
    jobs::confirm_check::presign_and_send, processing::images::two_colors, support::images::image,
    uploads::presign::PendingFile,
};

/// An upload config with its own webhook URL, an eager rendition and automatic tags.
struct OwnConfig {
    id: String,
    receiver: WebhookReceiver,
}

impl OwnConfig {
    async fn new(acme: &TestSpace) -> OwnConfig {
        let receiver = WebhookReceiver::start().await;
        let config = acme
            .upload_config("own")
            .with_settings(settings(receiver.url()))
            .await;
        OwnConfig {
            id: config.id,
            receiver,
        }
    }

    async fn delete(&self, acme: &TestSpace) {
        delete_config(acme, &self.id).await;
    }

    async fn change(&self, acme: &TestSpace, settings: Value) {
        let fields = json!({ "config": settings });
        acme.update_upload_config(&self.id, fields).await;
    }

    /// Asserts that a PNG was processed by this config.
    async fn assert_applied(&self, acme: &TestSpace, path: &str) {
        let events = events(&self.receiver);
        assert_eq!(events, ["file.processed", "file.uploaded"]);
        let record = acme.get_ok(path).await;
        assert_eq!(record["thumbnails"][0]["width"], 33);
        assert_eq!(record["tags"], json!(["png", "landscape", "red"]));
    }
}

async fn delete_config(acme: &TestSpace, id: &str) {
    let request = acme.request("DELETE", "/upload-configs");
    let request = request.json(&json!({"id": id}));
    acme.send(request).await.expect_status(204);
}

fn settings(url: &str) -> Value {
    json!({
        "transformations": {"eager": [{"width": 33}]},
        "metadata": {"auto_tagging": true},
        "notifications": {"webhook_url": url, "events": ["file.processed"]},
    })
}

fn red() -> Vec<u8> {
    two_colors(200, 150, [220, 20, 10], [220, 20, 10])
}

async fn upload(acme: &TestSpace) -> File {
    let upload = acme.upload(red()).named("a.png", "image/png");
    upload.with_config("own").await
}

/// Runs all jobs, also the ones that wait for a record.
async fn run_jobs(stack: &Stack) {
    stack.run_post_upload().await;
    for _ in 0..4 {
        stack.run_for(seconds(40)).await;
    }
}

#[stack_test]
async fn file_that_is_deleted_at_once_has_its_event_and_leaves_no_object(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let photo = hooks.acme.upload(PHOTO).await;
    let confirmed = presign_and_send(stack, &hooks.acme, json!({})).await;
    confirmed.confirm(&hooks.acme.client).await.expect_ok();
    for path in [photo.path(), &confirmed.address()] {
        hooks.acme.delete_ok(path).await;
    }

    run_jobs(stack).await;
    stack.run_purges().await;

    assert_eq!(hooks.events(), ["file.uploaded", "file.uploaded"]);
    hooks.assert_delivered().await;
    let dump = stack.dump().await;
    let is_of_file = |key: &&String| key.contains(&photo.id) || key.contains(confirmed.id());
    assert_eq!(dump.objects.keys().filter(is_of_file).count(), 0);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn config_that_is_deleted_at_once_applies_to_its_files(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let own = OwnConfig::new(&hooks.acme).await;
    let file = upload(&hooks.acme).await;
    own.delete(&hooks.acme).await;

    run_jobs(stack).await;

    own.assert_applied(&hooks.acme, file.path()).await;
    assert_eq!(hooks.events(), Vec::<String>::new());
}

#[stack_test]
async fn later_changes_of_config_and_space_do_not_concern_active_files(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let own = OwnConfig::new(&hooks.acme).await;
    let file = upload(&hooks.acme).await;
    let upload = hooks.acme.upload("Hello");
    let text = upload.named("a.txt", "text/plain").await;
    let other = WebhookReceiver::start().await;
    let elsewhere = json!({"notifications": {"webhook_url": other.url()}});
    own.change(&hooks.acme, elsewhere).await;
    hooks.set_url(other.url()).await;

    run_jobs(stack).await;

    own.assert_applied(&hooks.acme, file.path()).await;
    assert_eq!(hooks.receiver.only().json()["file"]["id"], text.id);
    assert_eq!(other.received().len(), 0);
}

#[stack_test]
async fn confirmation_follows_the_rules_at_its_time(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let own = OwnConfig {
        id: hooks.acme.upload_config("own").await.id,
        receiver: WebhookReceiver::start().await,
    };
    let png = red();
    let fields = json!({
        "upload_config": "own", "filename": "a.png", "content_type": "image/png", "size": png.len(),
    });
    let pending = PendingFile::create(&hooks.acme, fields).await;
    pending.send(stack, png).await.expect_status(200);
    own.change(&hooks.acme, settings(own.receiver.url())).await;
    pending.confirm(&hooks.acme.client).await.expect_ok();
    own.delete(&hooks.acme).await;

    run_jobs(stack).await;

    own.assert_applied(&hooks.acme, &pending.address()).await;
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn retry_after_the_deletion_of_the_config_goes_to_its_last_url(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let own = OwnConfig::new(&hooks.acme).await;
    own.receiver.answer_next(Answer::status(500));
    let upload = hooks.acme.upload(image(Format::Png, 8, 8));
    upload.with_config("own").await;
    own.delete(&hooks.acme).await;

    run_jobs(stack).await;

    // Two events and a retry.
    assert_eq!(own.receiver.received().len(), 3);
    hooks.assert_delivered().await;
}

#[stack_test]
async fn retry_after_the_deletion_of_the_config_follows_the_url_of_the_space(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(500);
    let config = hooks.acme.upload_config("without-url").await;
    hooks.acme.upload(PHOTO).with_config("without-url").await;
    stack.run_post_upload().await;
    delete_config(&hooks.acme, &config.id).await;

    let other = WebhookReceiver::start().await;
    other.answer_all(Answer::status(500));
    hooks.set_url(other.url()).await;
    stack.run_for(seconds(6)).await;
    hooks.receiver.only();
    other.only();

    hooks.acme.update(json!({"webhook_url": null})).await;
    stack.run_for(minutes(6)).await;
    hooks.receiver.only();
    other.only();
    assert_eq!(hooks.message().await["failure"], "no_url");
}
