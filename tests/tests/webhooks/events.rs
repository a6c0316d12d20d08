//! Events of uploads: one webhook for each file, whichever way it is uploaded.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use table::item_keys::Key;
use tests::{
    PHOTO, Stack, TestSpace, WebhookReceiver, assert_fields, column, file, minutes, seconds,
    stack_test, text,
};

use super::fixture::{Hooks, run_with_failures};
use crate::{
    jobs::confirm_check::{presign_and_send, run_for_minutes},
    support::signer::Signer,
    uploads::{presign::PendingFile, unsigned::UnsignedConfig},
};

/// Calls of an upload before its record is written: authentication, the space, the object, two
/// jobs.
const CALLS_BEFORE_THE_RECORD: u32 = 5;
/// Minutes after which an unconfirmed upload is checked.
const CHECK_MINUTES: u64 = 120;

#[stack_test]
async fn upload_sends_the_specified_payload(stack: &Stack) {
    let hooks = Hooks::new(stack).await;

    let file = hooks.upload(stack).await;

    // Processing events are not sent unless the config asks for them.
    stack.run_for(seconds(1)).await;
    let webhook = hooks.receiver.only();
    assert_eq!(webhook.request_line, "POST /hook HTTP/1.1");
    assert_eq!(webhook.header("content-type"), "application/json");
    assert!(webhook.header("user-agent").starts_with("Larder/"));
    let expected = format!(
        r#"{{"event":"file.uploaded","file":{{"id":"{}","name":{},"original_name":"photo.jpg","mime_type":"image/jpeg","size":{},"storage_path":{},"type":"upload","resource_type":"image","space_id":"{}"}}}}"#,
        file.id,
        file["name"],
        PHOTO.len(),
        file["storage_path"],
        hooks.acme.id,
    );
    assert_eq!(webhook.body, expected.as_bytes());
}

/// Returns the ids of the files that webhooks were sent for, sorted.
fn notified(receiver: &WebhookReceiver) -> Vec<String> {
    let ids = receiver.received().into_iter().map(|webhook| {
        let payload = webhook.json();
        assert_eq!(payload["event"], "file.uploaded");
        text(&payload["file"]["id"])
    });
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids
}

#[stack_test(undrained)]
async fn each_upload_route_sends_one_event_per_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let acme = &signer.acme;
    let receiver = WebhookReceiver::start().await;
    acme.update(json!({"webhook_url": receiver.url()})).await;
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    stack.run_post_upload().await;

    let mut ids = vec![acme.upload(PHOTO).await.id];
    let several = Form::new()
        .text("space", acme.handle.clone())
        .part("files", file("a.jpg", "image/jpeg", PHOTO))
        .part("files", file("b.txt", "text/plain", "text"));
    let several = acme.upload_form(several).await.expect_created();
    ids.extend(column(&several, "id").iter().map(text));
    let by_signature = signer.send(&signer.query(stack)).await.expect_created();
    ids.push(text(&by_signature["id"]));
    let anonymous = unsigned.send().await.expect_created();
    ids.push(text(&anonymous["id"]));
    let confirmed = presign_and_send(stack, acme, json!({})).await;
    confirmed.confirm(&acme.client).await.expect_ok();
    confirmed.confirm(&acme.client).await.expect_ok();
    ids.push(confirmed.id().to_owned());
    ids.sort();
    // An event waits for its record, and while two attempts to its host are in progress.
    for _ in 0..3 {
        stack.run_for(minutes(2)).await;
    }
    assert_eq!(notified(&receiver), ids);

    let unconfirmed = presign_and_send(stack, acme, json!({})).await;
    PendingFile::create(acme, json!({})).await;
    run_for_minutes(stack, CHECK_MINUTES + 5).await;
    ids.push(unconfirmed.id().to_owned());
    ids.sort();
    assert_eq!(notified(&receiver), ids);
}

#[stack_test]
async fn url_of_the_upload_config_replaces_that_of_the_space(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let receiver = WebhookReceiver::start().await;
    let settings = json!({"notifications": {"webhook_url": receiver.url()}});
    let config = hooks.acme.upload_config("own");
    config.with_settings(settings).await;

    hooks.acme.upload(PHOTO).with_config("own").await;
    stack.run_post_upload().await;

    receiver.only();
    assert_eq!(hooks.received(), 0);
    assert_eq!(hooks.message().await["url"], receiver.url());
}

#[stack_test]
async fn upload_without_url_sends_and_logs_nothing(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.acme.update(json!({"webhook_url": null})).await;

    hooks.upload(stack).await;

    assert_eq!(hooks.received(), 0);
    assert_eq!(hooks.messages().await, Vec::<Value>::new());
}

#[stack_test]
async fn failed_upload_sends_nothing(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let literal = json!({"storage": {"generate_filename": false, "unique_filename": false}});
    let config = hooks.acme.upload_config("literal");
    config.with_settings(literal).await;
    let upload = || hooks.acme.upload(PHOTO).with_config("literal").send();
    upload().await.expect_created();
    upload().await.expect_error(409);

    stack.run_post_upload().await;
    // The event of the second upload waits for its record.
    stack.run_for(seconds(30)).await;
    for _ in 0..4 {
        stack.run_for(minutes(1)).await;
    }

    hooks.receiver.only();
    hooks.message().await;
}

#[stack_test]
async fn event_waits_for_the_record_that_is_written_later(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let faults = stack.local.faults();
    let mut hold = faults.hold("uploads", CALLS_BEFORE_THE_RECORD);
    let mut upload = Box::pin(hooks.acme.upload(PHOTO).send());
    tokio::select! {
        response = &mut upload => panic!("not paused: {}", response.status),
        () = hold.reached() => {}
    }
    stack.run_post_upload().await;
    assert_eq!(hooks.received(), 0);

    hold.release();
    upload.await.expect_created();
    run_with_failures(stack).await;

    hooks.receiver.only();
}

#[stack_test]
async fn url_that_is_set_after_the_presign_request_gets_the_event(stack: &Stack, acme: &TestSpace) {
    let config = acme.upload_config("web").await;
    let own = PendingFile::create(acme, json!({"upload_config": "web"})).await;
    own.send(stack, PHOTO).await.expect_status(200);
    let other = presign_and_send(stack, acme, json!({})).await;
    let receiver = WebhookReceiver::start().await;
    let settings = json!({"config": {"notifications": {"webhook_url": receiver.url()}}});
    acme.update_upload_config(&config.id, settings).await;

    own.confirm(&acme.client).await.expect_ok();
    other.confirm(&acme.client).await.expect_ok();
    stack.run_post_upload().await;

    assert_eq!(notified(&receiver), [own.id()]);
    assert_eq!(receiver.only().json()["event"], "file.uploaded");
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn space_that_was_disabled_or_deleted_sends_nothing_more(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.answer_all(500);
    hooks.upload(stack).await;
    hooks.acme.upload(PHOTO).await;
    stack.run_for(seconds(0)).await;
    assert_eq!(hooks.received(), 2);

    hooks.acme.set_enabled(false).await;
    stack.run_for(seconds(6)).await;
    for message in hooks.messages().await {
        let expected =
            json!({"status": "failed", "failure": "space_disabled", "next_attempt_at": null});
        assert_fields(&message, expected);
    }

    hooks.acme.set_enabled(true).await;
    hooks.acme.upload(PHOTO).await;
    stack.run_for(seconds(0)).await;
    assert_eq!(hooks.received(), 3);
    hooks.acme.delete_by_force().await;
    stack.run_for(seconds(6)).await;
    stack.run_purges().await;

    assert_eq!(hooks.received(), 3);
    let dump = stack.dump().await;
    let is_of_space = |key: &Key| key.partition.contains(&hooks.acme.id);
    assert_eq!(dump.items.keys().filter(|key| is_of_space(key)).count(), 0);
}

#[stack_test]
async fn payload_of_an_uncommon_name_equals_the_record(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let upload = hooks.acme.upload(PHOTO);
    let file = upload.named("Ünï \"q\" \\ 1.jpg", "image/jpeg").await;
    stack.run_post_upload().await;

    let payload = hooks.receiver.only().json();
    for field in ["name", "original_name", "storage_path", "size"] {
        assert_eq!(payload["file"][field], file[field]);
    }
}
