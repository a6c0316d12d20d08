//! `file.deleted`: sent if the upload config asks for it, once the record is gone.

use emulators::{InjectedError, Service::DynamoDb};
use serde_json::{Value, json};
use tests::{DYNAMODB_ATTEMPTS, File, PHOTO, Stack, merged, minutes, seconds, stack_test};

use super::fixture::Hooks;
use crate::uploads::presign::PendingFile;

/// Uploads the photo with a config that asks for all events, to the URL of the space.
async fn upload_with_events(stack: &Stack, hooks: &Hooks) -> File {
    let events = json!({"notifications": {"events": ["file.deleted"]}});
    hooks.acme.upload_config("all").with_settings(events).await;
    let file = hooks.acme.upload(PHOTO).with_config("all").await;
    stack.run_post_upload().await;
    file
}

/// Returns the payload of the last webhook.
fn last_payload(hooks: &Hooks) -> Value {
    hooks.receiver.received().last().expect("a webhook").json()
}

#[stack_test]
async fn deletion_sends_the_deleted_file(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let file = upload_with_events(stack, &hooks).await;
    let mut expected = hooks.receiver.only().json();
    expected["event"] = json!("file.deleted");
    let assigned = json!({"title": "Harbour", "alt": null, "metadata": {"color": "blue"}});
    hooks.acme.put_ok(file.path(), &assigned).await;
    expected["file"] = merged(expected["file"].take(), assigned);

    hooks.acme.delete_ok(file.path()).await;
    stack.run_for(seconds(2)).await;

    assert_eq!(hooks.received(), 2);
    assert_eq!(last_payload(&hooks), expected);
    let messages = hooks.messages().await;
    assert_eq!(messages[0]["event"], "file.deleted");
    assert_ne!(messages[0]["id"], messages[1]["id"]);
}

#[stack_test]
async fn deletion_sends_nothing_unless_the_config_asks_for_it(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let file = hooks.upload(stack).await;
    hooks.acme.delete_ok(file.path()).await;

    let events = json!({"notifications": {"events": ["file.deleted"]}});
    let config = hooks.acme.upload_config("all").with_settings(events).await;
    let pending = PendingFile::create(&hooks.acme, json!({"upload_config": config.id})).await;
    hooks.acme.delete_ok(&pending.address()).await;
    stack.run_for(seconds(2)).await;

    hooks.receiver.only();
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn failed_deletion_sends_nothing(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let file = upload_with_events(stack, &hooks).await;

    let error = InjectedError::new(500, "InternalServerError");
    let faults = stack.local.faults();
    faults.fail(DynamoDb, "TransactWriteItems", DYNAMODB_ATTEMPTS, error);
    hooks.acme.delete_err(503, file.path()).await;
    for _ in 0..8 {
        stack.run_for(minutes(1)).await;
    }

    hooks.receiver.only();
    hooks.acme.get_ok(file.path()).await;
}

#[stack_test]
async fn deletion_of_a_space_sends_nothing(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    upload_with_events(stack, &hooks).await;
    hooks.acme.delete_by_force().await;
    stack.run_purges().await;

    hooks.receiver.only();
}
