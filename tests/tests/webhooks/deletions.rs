//! `file.deleted` and `file.restored`: sent if the upload config asks for it, once the record is
//! gone, trashed or restored.

use emulators::{InjectedError, Service::DynamoDb};
use serde_json::{Value, json};
use tests::{DYNAMODB_ATTEMPTS, File, PHOTO, Stack, column, merged, minutes, seconds, stack_test};

use super::fixture::Hooks;
use crate::{files::trash::keep_for_days, uploads::presign::PendingFile};

/// Uploads the photo with a config that asks for all events, to the URL of the space.
async fn upload_with_events(stack: &Stack, hooks: &Hooks) -> File {
    let events = json!({"notifications": {"events": ["file.deleted", "file.restored"]}});
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
async fn each_deletion_and_restoration_sends_an_event(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    keep_for_days(&hooks.acme, 1).await;
    let file = upload_with_events(stack, &hooks).await;
    let restore = format!("{}/restore", file.path());
    let mut expected = vec!["file.uploaded"];

    for _ in 0..2 {
        hooks.acme.delete_ok(file.path()).await;
        hooks.acme.delete_ok(file.path()).await;
        stack.run_for(seconds(2)).await;
        hooks.acme.post_ok(&restore, json!({})).await;
        stack.run_for(seconds(2)).await;
        expected.extend(["file.deleted", "file.restored"]);
    }
    // A final deletion from the trash is no second one.
    hooks.acme.delete_ok(file.path()).await;
    let permanent = format!("{}?permanent=true", file.path());
    hooks.acme.delete_ok(&permanent).await;
    stack.run_for(seconds(2)).await;
    expected.push("file.deleted");

    let received = hooks.receiver.received();
    let payloads: Vec<Value> = received.iter().map(|request| request.json()).collect();
    assert_eq!(
        json!(
            payloads
                .iter()
                .map(|payload| &payload["event"])
                .collect::<Vec<_>>()
        ),
        json!(expected)
    );
    assert_eq!(payloads[1]["file"], payloads[2]["file"]);
    let of_file = format!(
        "{}/webhook-deliveries?file_id={}",
        hooks.acme.path(),
        file.id
    );
    let mut listed = column(&hooks.acme.get_ok(&of_file).await, "event");
    listed.reverse();
    assert_eq!(json!(listed), json!(expected));
    stack.run_purges().await;
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
