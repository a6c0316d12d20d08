//! The purge of a deleted space: passes, pages, and keys.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, seconds, stack_test, text};

use super::delete::{deletion_path, stored_data, with_retired};

/// Maximum delay of an SQS message, in seconds: 15 minutes.
const MAX_DELAY_SECONDS: u64 = 900;

#[tokio::test]
async fn objects_arriving_after_deletion_are_purged_in_three_passes() {
    let stack = Stack::start().await;
    let other = stack.space("Other").await;
    other.upload(PHOTO).await;
    let before = stored_data(&stack).await;
    let acme = stack.space("Acme").await;
    for _ in 0..3 {
        acme.upload(PHOTO).await;
    }
    let late = format!("_objects/{}/originals/late", acme.id);
    let exists = async || stack.dump().await.objects.contains_key(&late);

    acme.delete_by_force().await;
    stack.put_object(&late, b"authorized before").await;
    stack.run_for(seconds(1)).await;
    assert!(!exists().await, "the first pass runs at once");

    stack.put_object(&late, b"authorized before").await;
    stack.run_for(seconds(MAX_DELAY_SECONDS - 2)).await;
    assert!(exists().await, "the second pass is not due");
    stack.run_for(seconds(1)).await;
    assert!(!exists().await, "the second pass runs after 15 minutes");

    stack.put_object(&late, b"authorized before").await;
    for _ in 0..3 {
        stack.run_for(seconds(MAX_DELAY_SECONDS)).await;
    }
    stack.run_for(seconds(MAX_DELAY_SECONDS - 1)).await;
    assert!(exists().await, "the last pass is not due");

    stack.run_for(seconds(1)).await;
    let expected = with_retired(before, &acme.handle);
    let after = stored_data(&stack).await;
    after.assert_unchanged(&expected, "the last pass");
    stack.stop().await;
}

#[stack_test]
async fn large_space_is_purged_page_by_page(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let mut keys = vec![acme.client.clone()];
    for index in 0..120 {
        keys.push(acme.create_key(&format!("key {index}")).await.client);
    }
    for index in 0..1_010 {
        let key = format!("_objects/{}/originals/{index}", acme.id);
        stack.put_object(&key, b"x").await;
    }

    acme.delete_ok(&deletion_path(&acme)).await;
    for key in &keys {
        key.get_err(401, "/account").await;
    }

    stack.run_for(seconds(1)).await;
    assert!(stack.dump().await.objects.is_empty());
    stack.run_purges().await;
    let expected = with_retired(before, &acme.handle);
    let after = stored_data(stack).await;
    after.assert_unchanged(&expected, "a large space");
}

#[stack_test(multi_thread)]
async fn key_created_during_a_deletion_does_not_authenticate_after_it(stack: &Stack) {
    for round in 0..10 {
        let acme: TestSpace = stack.space(&format!("Acme {round}")).await;
        let (path, keys) = (deletion_path(&acme), acme.keys_path());
        let account = stack.account();

        let (deleted, created) = tokio::join!(
            account.delete(&path),
            account.post(&keys, json!({"name": "late"})),
        );

        deleted.expect_status(204);
        let created = created.expect_status_of(&[201, 404, 503]);
        if created.status == 201 {
            let key = stack
                .anonymous
                .with_key(&text(&created.expect_created()["key"]));
            key.get_err(401, "/account").await;
        }
    }

    stack.run_purges().await;
}
