//! Replicas of what delivery reads of a space, which are written with the space.

use domain::spaces::Handle;
use serde_json::{Value, json};
use table::item_keys::Key;
use tests::{Dump, PHOTO, Stack, TestSpace, stack_test};

use crate::support::image_server::{ImageServer, logo};

/// Deliveries that read several replicas: all eight, with a probability of 0.998.
const DELIVERIES: usize = 64;

const REPLICAS: usize = 8;

/// Returns the replicas of a space.
fn replicas(dump: &Dump, acme: &TestSpace) -> Vec<Value> {
    let prefix = format!("DELIVERY_SPACE#{}#", acme.handle);
    dump.items_with_prefix(&prefix).cloned().collect()
}

/// Returns the one value that all replicas of a space have.
async fn replica(stack: &Stack, acme: &TestSpace) -> Value {
    let mut replicas = replicas(&stack.dump().await, acme);
    assert_eq!(replicas.len(), REPLICAS);
    replicas.dedup();
    let [replica] = replicas.as_slice() else {
        panic!("they differ: {replicas:?}");
    };
    replica.clone()
}

/// Requests a file as often as necessary to read all replicas, and asserts the status of every
/// response.
async fn assert_delivered(stack: &Stack, url: &str, status: u16) {
    for _ in 0..DELIVERIES {
        stack.anonymous.fetch_as(status, url, &[]).await;
    }
}

#[stack_test]
async fn every_replica_follows_changes_of_the_space(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let created = replica(stack, acme).await;
    assert_eq!(created["access_control"]["requires_auth"], false);
    assert_delivered(stack, file.url(), 200).await;

    acme.set_access(&acme.path(), Some(true)).await;
    let protected = replica(stack, acme).await;
    assert_eq!(protected["access_control"]["requires_auth"], true);
    assert_delivered(stack, file.url(), 403).await;

    acme.set_enabled(false).await;
    assert_delivered(stack, file.url(), 404).await;

    acme.delete_by_force().await;
    assert!(replicas(&stack.dump().await, acme).is_empty());
    assert_delivered(stack, file.url(), 404).await;
    stack.run_purges().await;
}

#[stack_test]
async fn change_that_does_not_concern_delivery_writes_no_replica(stack: &Stack, acme: &TestSpace) {
    let before = stack.dump().await;
    acme.update(json!({"name": "Other"})).await;
    let after = stack.dump().await;

    assert_eq!(before.items.len(), after.items.len());
    assert_eq!(replicas(&before, acme), replicas(&after, acme));
    let handle = Handle::parse(&acme.handle).expect("a handle");
    let by_handle = after.item(&Key::handle(&handle));
    assert_eq!(by_handle, Some(&json!({ "space_id": acme.id })));
}

#[stack_test]
async fn replicas_contain_no_text_of_users(stack: &Stack, acme: &TestSpace) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    acme.set_security(&acme.path(), server.watermark()).await;

    let stored = replica(stack, acme).await;

    assert_eq!(stored["security"]["watermark"]["enabled"], true);
    assert_eq!(stored["security"]["watermark"]["url"], Value::Null);
    assert_eq!(stored.get("name"), None);
}
