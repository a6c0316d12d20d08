//! Replicas of what delivery reads of a space: written with the space, in the number of the template
//! parameter, which can change between two starts.

use std::sync::Arc;

use domain::Handle;
use serde_json::{Value, json};
use table::keys::Key;
use tempfile::TempDir;
use tests::{Client, Dump, PHOTO, Stack, StackOptions, TestSpace, stack_test};

use crate::support::image_server::{ImageServer, logo};

/// Deliveries that read several replicas: all eight, with a probability of 0.998.
const DELIVERIES: usize = 64;

/// Returns the replicas of a space, by number.
fn replicas<'a>(dump: &'a Dump, handle: &str) -> Vec<&'a Value> {
    let prefix = format!("DELIVERY_SPACE#{handle}#");
    let handle = Handle::parse(handle).expect("a handle");
    let count = dump.items_with_prefix(&prefix).count();
    let count = u16::try_from(count).expect("a few replicas");
    let replica = |number: u16| {
        let replica = dump.item(&Key::delivery_space(&handle, number));
        replica.unwrap_or_else(|| panic!("{number} of {count} replicas does not exist"))
    };
    (0..count).map(replica).collect()
}

/// Returns the one value that all replicas of a space have, and asserts their number.
#[track_caller]
fn replica(dump: &Dump, handle: &str, count: usize) -> Value {
    let replicas = replicas(dump, handle);
    assert_eq!(replicas.len(), count);
    let first = replicas[0];
    assert!(replicas.iter().all(|replica| *replica == first));
    assert_eq!(first["replicas"], *count.to_string());
    first["space"].clone()
}

async fn protect(acme: &TestSpace, requires_auth: bool) {
    let body = json!({"access_control": {"requires_auth": requires_auth}});
    let path = format!("/spaces/{}/access-control", acme.id);
    acme.put_ok(&path, body).await;
}

async fn rename(acme: &TestSpace, name: &str) {
    let path = acme.path();
    let renamed = acme.put(&path, json!({ "name": name })).await;
    renamed.expect_ok();
}

/// Requests a file as often as necessary to read all replicas, and asserts the status of every
/// response.
async fn assert_delivered(stack: &Stack, url: &str, status: u16) {
    for _ in 0..DELIVERIES {
        stack.anonymous.get(url).await.expect_status(status);
    }
}

#[stack_test]
async fn every_replica_follows_changes_of_the_space(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let created = replica(&stack.dump().await, &acme.handle, 8);
    assert_eq!(created["access_control"]["requires_auth"], false);
    assert_delivered(stack, file.url(), 200).await;

    protect(acme, true).await;
    let protected = replica(&stack.dump().await, &acme.handle, 8);
    assert_eq!(protected["access_control"]["requires_auth"], true);
    assert_delivered(stack, file.url(), 403).await;

    let path = acme.path();
    let disabled = json!({"name": "Acme", "enabled": false});
    acme.put_ok(&path, disabled).await;
    assert_delivered(stack, file.url(), 404).await;
}

#[stack_test]
async fn change_that_does_not_concern_delivery_writes_no_replica(stack: &Stack, acme: &TestSpace) {
    let keys = |dump: &Dump| dump.items.len();
    let before = stack.dump().await;

    rename(acme, "Other").await;

    let after = stack.dump().await;
    assert_eq!(keys(&before), keys(&after));
    assert_eq!(
        replicas(&before, &acme.handle),
        replicas(&after, &acme.handle)
    );
    let handle = Handle::parse(&acme.handle).expect("a handle");
    let expected = json!({ "space_id": acme.id });
    assert_eq!(after.item(&Key::handle(&handle)), Some(&expected));
}

#[stack_test]
async fn replicas_contain_no_text_of_users(stack: &Stack, acme: &TestSpace) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    let watermark = json!({"enabled": true, "url": server.url()});
    let path = format!("/spaces/{}/security", acme.id);
    let body = json!({"security": {"watermark": watermark}});
    acme.put_ok(&path, body).await;

    let stored = replica(&stack.dump().await, &acme.handle, 8);

    assert_eq!(stored["security"]["watermark"]["enabled"], true);
    assert_eq!(stored["security"]["watermark"]["url"], Value::Null);
    assert_eq!(stored.get("name"), None);
}

#[stack_test]
async fn deleted_space_has_no_replicas(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;

    let path = format!("/spaces?id={}&force=true", acme.id);
    acme.delete(&path).await.expect_status(202);

    assert!(replicas(&stack.dump().await, &acme.handle).is_empty());
    assert_delivered(stack, file.url(), 404).await;
    stack.run_purges().await;
}

/// Starts a stack in the directory of an earlier one, with this number of replicas.
async fn start(directory: &Arc<TempDir>, seed: u64, replicas: &str) -> Stack {
    let options = StackOptions {
        seed,
        ..StackOptions::default().with_parameters(&[("DeliveryReplicas", replicas)])
    };
    let started = Stack::start_in(Arc::clone(directory), options).await;
    started.unwrap_or_else(|error| panic!("{error}"))
}

/// A space with a public file, over several starts.
struct Library {
    acme: TestSpace,
    /// Path of the file at the CDN.
    path: String,
}

impl Library {
    async fn new(stack: &Stack) -> Library {
        let acme = stack.space("Acme").await;
        let file = acme.upload(PHOTO).await;
        let path = file.url().strip_prefix(stack.local.cdn_url());
        let path = path.expect("a URL of the CDN").to_owned();
        Library { acme, path }
    }

    fn url(&self, stack: &Stack) -> String {
        format!("{}{}", stack.local.cdn_url(), self.path)
    }

    /// Returns the space with a client of the current stack.
    fn tenant(&self, stack: &Stack) -> TestSpace {
        let key = self.acme.client.key.as_deref().expect("a key");
        let client: Client = stack.anonymous.with_key(key);
        TestSpace {
            client,
            ..self.acme.clone()
        }
    }
}

#[tokio::test]
async fn raised_number_of_replicas_applies_from_the_next_change() {
    let stack =
        Stack::start_with(StackOptions::default().with_parameters(&[("DeliveryReplicas", "2")]))
            .await;
    let library = Library::new(&stack).await;
    let handle = &library.acme.handle;
    replica(&stack.dump().await, handle, 2);
    let directory = stack.directory();
    stack.stop().await;

    let stack = start(&directory, 2, "8").await;
    let url = library.url(&stack);
    let deliveries = assert_delivered(&stack, &url, 200);
    let calls = stack.calls_of(deliveries).await.calls;
    let reads = calls
        .iter()
        .filter(|call| *call == "delivery TransactGetItems")
        .count();
    assert_eq!(
        reads,
        DELIVERIES + 1,
        "only the first read of a replica that does not exist is repeated"
    );

    let acme = library.tenant(&stack);
    protect(&acme, true).await;
    replica(&stack.dump().await, handle, 8);
    assert_delivered(&stack, &url, 403).await;
    protect(&acme, false).await;
    assert_delivered(&stack, &url, 200).await;

    // The function, which still runs, reads the new replicas.
    let parsed = Handle::parse(handle).expect("a handle");
    for added in 2..8 {
        stack.remove_replica(&parsed, added).await;
    }
    let calls = stack
        .calls_of(assert_delivered(&stack, &url, 200))
        .await
        .calls;
    assert!(calls.len() > DELIVERIES, "reads of removed replicas repeat");
    stack.stop().await;
}

#[tokio::test]
async fn lowered_number_of_replicas_applies_from_the_next_change() {
    let stack = Stack::start().await;
    let library = Library::new(&stack).await;
    let handle = &library.acme.handle;
    let directory = stack.directory();
    stack.stop().await;

    let stack = start(&directory, 2, "3").await;
    let url = library.url(&stack);
    assert_delivered(&stack, &url, 200).await;
    replica(&stack.dump().await, handle, 8);
    protect(&library.tenant(&stack), true).await;
    let lowered = replica(&stack.dump().await, handle, 3);
    assert_eq!(lowered["access_control"]["requires_auth"], true);
    assert_delivered(&stack, &url, 403).await;
    stack.stop().await;

    // As a function of an earlier deployment that still expects eight.
    let stack = start(&directory, 3, "8").await;
    let url = library.url(&stack);
    assert_delivered(&stack, &url, 403).await;
    stack.stop().await;

    let stack = start(&directory, 4, "1").await;
    let acme = library.tenant(&stack);
    rename(&acme, "Other").await;
    replica(&stack.dump().await, handle, 1);
    let path = format!("/spaces?id={}&force=true", acme.id);
    acme.delete(&path).await.expect_status(202);
    assert!(replicas(&stack.dump().await, handle).is_empty());
    stack.run_purges().await;
    stack.stop().await;
}

#[stack_test]
async fn space_whose_deletion_failed_has_as_many_replicas_as_its_record_says(
    stack: &Stack,
    acme: &TestSpace,
) {
    acme.upload(PHOTO).await;

    let path = format!("/spaces?id={}", acme.id);
    acme.delete_err(409, &path).await;

    let dump = stack.dump().await;
    let record = dump.item(&Key::space(acme.space_id())).expect("the space");
    assert_eq!(record["delivery_replicas"], "8");
    replica(&dump, &acme.handle, 8);
}
