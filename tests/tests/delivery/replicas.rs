//! Replicas of what delivery reads of a space: written with the space, in the number of the template parameter, which can change between
//! two starts. With the limits of DynamoDB items enforced, they let one space be delivered often enough.

use std::{sync::Arc, time::Duration};

use domain::Handle;
use emulators::AsyncClock;
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use table::{Table, TableError, item_keys::Key};
use tempfile::TempDir;
use tests::{Dump, PHOTO, Stack, StackOptions, TestSpace, seconds, stack_test};

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
async fn replica(stack: &Stack, acme: &TestSpace, count: usize) -> Value {
    let dump = stack.dump().await;
    let replicas = replicas(&dump, &acme.handle);
    assert_eq!(replicas.len(), count);
    let first = replicas[0];
    assert!(replicas.iter().all(|replica| *replica == first));
    assert_eq!(first["replicas"], *count.to_string());
    first["space"].clone()
}

async fn rename(acme: &TestSpace) {
    acme.put_ok(&acme.path(), json!({"name": "Other"})).await;
}

async fn delete(acme: &TestSpace) {
    let path = format!("/spaces?id={}&force=true", acme.id);
    acme.delete(&path).await.expect_status(202);
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
    let created = replica(stack, acme, 8).await;
    assert_eq!(created["access_control"]["requires_auth"], false);
    assert_delivered(stack, file.url(), 200).await;

    acme.set_access(&acme.path(), Some(true)).await;
    let protected = replica(stack, acme, 8).await;
    assert_eq!(protected["access_control"]["requires_auth"], true);
    assert_delivered(stack, file.url(), 403).await;

    let disabled = json!({"name": "Acme", "enabled": false});
    acme.put_ok(&acme.path(), disabled).await;
    assert_delivered(stack, file.url(), 404).await;

    delete(acme).await;
    assert!(replicas(&stack.dump().await, &acme.handle).is_empty());
    assert_delivered(stack, file.url(), 404).await;
    stack.run_purges().await;
}

#[stack_test]
async fn change_that_does_not_concern_delivery_writes_no_replica(stack: &Stack, acme: &TestSpace) {
    let before = stack.dump().await;
    rename(acme).await;
    let after = stack.dump().await;

    let handle = &acme.handle;
    assert_eq!(before.items.len(), after.items.len());
    assert_eq!(replicas(&before, handle), replicas(&after, handle));
    let handle = Handle::parse(handle).expect("a handle");
    let expected = json!({ "space_id": acme.id });
    assert_eq!(after.item(&Key::handle(&handle)), Some(&expected));
}

#[stack_test]
async fn replicas_contain_no_text_of_users(stack: &Stack, acme: &TestSpace) {
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    acme.set_security(&acme.path(), server.watermark()).await;

    let stored = replica(stack, acme, 8).await;

    assert_eq!(stored["security"]["watermark"]["enabled"], true);
    assert_eq!(stored["security"]["watermark"]["url"], Value::Null);
    assert_eq!(stored.get("name"), None);
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
    replica(stack, acme, 8).await;
}

/// Stacks that are started one after the other with the same data, a space and a public file.
struct Restarts {
    directory: Arc<TempDir>,
    acme: TestSpace,
    /// Path of the file at the CDN.
    path: String,
    starts: u64,
}

impl Restarts {
    async fn after(stack: Stack) -> Restarts {
        let acme = stack.space("Acme").await;
        let file = acme.upload(PHOTO).await;
        let path = file.url().strip_prefix(stack.local.cdn_url());
        let path = path.expect("a URL of the CDN").to_owned();
        let directory = stack.directory();
        stack.stop().await;
        Restarts {
            directory,
            acme,
            path,
            starts: 1,
        }
    }

    /// Starts a stack with this number of replicas. Returns it, the space and the URL of the file.
    async fn start(&mut self, replicas: &str) -> (Stack, TestSpace, String) {
        self.starts += 1;
        let options = StackOptions {
            seed: self.starts,
            ..options(replicas)
        };
        let directory = Arc::clone(&self.directory);
        let started = Box::pin(Stack::start_in(directory, options)).await;
        let stack = started.unwrap_or_else(|error| panic!("{error}"));

        let key = self.acme.client.key.as_deref().expect("a key");
        let client = stack.anonymous.with_key(key);
        let acme = TestSpace {
            client,
            ..self.acme.clone()
        };
        let url = format!("{}{}", stack.local.cdn_url(), self.path);
        (stack, acme, url)
    }
}

fn options(replicas: &str) -> StackOptions {
    StackOptions::default().with_parameters(&[("DeliveryReplicas", replicas)])
}

#[tokio::test]
async fn raised_number_of_replicas_applies_from_the_next_change() {
    let mut restarts = Restarts::after(Stack::start_with(options("2")).await).await;

    let (stack, acme, url) = restarts.start("8").await;
    replica(&stack, &acme, 2).await;
    let deliveries = assert_delivered(&stack, &url, 200);
    let calls = stack.calls_of(deliveries).await.calls;
    let is_read = |call: &&String| *call == "delivery TransactGetItems";
    let reads = calls.iter().filter(is_read).count();
    assert_eq!(
        reads,
        DELIVERIES + 1,
        "only the first read of a replica that does not exist is repeated"
    );

    acme.set_access(&acme.path(), Some(true)).await;
    replica(&stack, &acme, 8).await;
    assert_delivered(&stack, &url, 403).await;
    acme.set_access(&acme.path(), Some(false)).await;
    assert_delivered(&stack, &url, 200).await;

    // The function, which still runs, reads the new replicas.
    let handle = Handle::parse(&acme.handle).expect("a handle");
    for added in 2..8 {
        stack.remove_replica(&handle, added).await;
    }
    let deliveries = assert_delivered(&stack, &url, 200);
    let calls = stack.calls_of(deliveries).await.calls;
    assert!(calls.len() > DELIVERIES, "reads of removed replicas repeat");
    stack.stop().await;
}

#[tokio::test]
async fn lowered_number_of_replicas_applies_from_the_next_change() {
    let mut restarts = Restarts::after(Stack::start().await).await;

    let (stack, acme, url) = restarts.start("3").await;
    assert_delivered(&stack, &url, 200).await;
    replica(&stack, &acme, 8).await;
    acme.set_access(&acme.path(), Some(true)).await;
    let lowered = replica(&stack, &acme, 3).await;
    assert_eq!(lowered["access_control"]["requires_auth"], true);
    assert_delivered(&stack, &url, 403).await;
    stack.stop().await;

    // As a function of an earlier deployment that still expects eight.
    let (stack, _, url) = restarts.start("8").await;
    assert_delivered(&stack, &url, 403).await;
    stack.stop().await;

    let (stack, acme, _) = restarts.start("1").await;
    rename(&acme).await;
    replica(&stack, &acme, 1).await;
    delete(&acme).await;
    assert!(replicas(&stack.dump().await, &acme.handle).is_empty());
    stack.run_purges().await;
    stack.stop().await;
}

/// Deliveries per second that one item serves: 3,000 read units at two per transactional read.
const DELIVERIES_OF_ITEM: usize = 1_500;
/// Number of files, whose items have the same limit as a replica.
const FILES: usize = 8;
/// Deliveries of one space in one second: requests over HTTP, and reads.
const DELIVERIES_OF_SPACE: usize = 5_000;
/// Those of them that are sent over HTTP: more than one replica serves.
const HTTP_DELIVERIES: usize = 1_600;
const CONCURRENT: usize = 32;

/// The storage paths of files in one space.
struct PopularSpace {
    handle: Handle,
    paths: Vec<String>,
    table: Table,
}

impl PopularSpace {
    /// Creates the space and its files, enforces the limits, and advances the clock to the beginning of
    /// a second.
    async fn new(stack: &Stack) -> PopularSpace {
        let acme = stack.space("Acme").await;
        let mut paths = Vec::new();
        for _ in 0..FILES {
            paths.push(upload(stack, &acme).await);
        }

        stack.local.capacity().enforce();
        let past_ms = u64::try_from(stack.clock.now_ms() % 1_000).expect("it is after 1970");
        stack.clock.advance(Duration::from_millis(1_000 - past_ms));

        let context = stack.unrestricted_context();
        PopularSpace {
            handle: Handle::parse(&acme.handle).expect("a handle"),
            paths,
            table: runtime::Settings::of(&context).table(),
        }
    }

    /// Reads what a delivery of the file with this number reads.
    async fn read(&self, file: usize) -> Result<(), TableError> {
        let path = &self.paths[file % FILES];
        let read = self
            .table
            .folders()
            .for_delivery(&self.handle, path, None)
            .await?;
        assert!(read.file.is_some() && read.space.is_some());
        Ok(())
    }

    /// Reads what deliveries read. Returns how many reads were throttled.
    async fn throttled_reads(&self, files: impl Iterator<Item = usize>) -> usize {
        stream::iter(files)
            .map(async |file| self.read(file).await)
            .buffer_unordered(CONCURRENT)
            .filter(|read| {
                let is_throttled = matches!(read, Err(TableError::TransactionThrottled(_)));
                assert!(is_throttled || read.is_ok(), "{read:?}");
                std::future::ready(is_throttled)
            })
            .count()
            .await
    }

    fn url(&self, stack: &Stack, file: usize) -> String {
        format!("{}/{}", stack.local.cdn_url(), self.paths[file % FILES])
    }

    /// Requests a file with a matching `If-None-Match`. Asserts the status, and `Retry-After` if it
    /// is 503.
    async fn deliver(&self, stack: &Stack, file: usize, status: u16) {
        let condition = [("if-none-match", "*")];
        let url = self.url(stack, file);
        let response = stack.anonymous.get_with(&url, &condition).await;
        let response = response.expect_status(status);
        assert_eq!(response.header("retry-after").is_empty(), status != 503);
    }
}

/// Uploads a file and returns its storage path.
async fn upload(stack: &Stack, acme: &TestSpace) -> String {
    let file = acme.upload(PHOTO).await;
    let path = file.url().strip_prefix(stack.local.cdn_url());
    let path = path.expect("a URL of the CDN");
    path.trim_start_matches('/').to_owned()
}

#[stack_test(multi_thread)]
async fn one_space_serves_5000_reads_of_deliveries_per_second(stack: &Stack) {
    let space = PopularSpace::new(stack).await;

    stream::iter(0..HTTP_DELIVERIES)
        .map(async |file| space.deliver(stack, file, 304).await)
        .buffer_unordered(CONCURRENT)
        .collect::<Vec<()>>()
        .await;
    let throttled = space
        .throttled_reads(HTTP_DELIVERIES..DELIVERIES_OF_SPACE)
        .await;

    assert_eq!(throttled, 0);
}

#[stack_test(options = StackOptions::default().with_parameters(&[("DeliveryReplicas", "1")]), multi_thread)]
async fn space_with_one_replica_is_throttled_and_recovers(stack: &Stack) {
    let space = PopularSpace::new(stack).await;
    assert_eq!(space.throttled_reads(0..DELIVERIES_OF_ITEM).await, 0);

    let calls = stack.calls_of(space.deliver(stack, 0, 503)).await.calls;

    assert_eq!(calls, ["delivery TransactGetItems"; 2], "two tries");
    assert_eq!(space.throttled_reads(0..1).await, 1);
    stack.clock.advance(seconds(1));
    space.deliver(stack, 0, 304).await;
}

#[stack_test(multi_thread)]
async fn one_file_is_delivered_1500_times_per_second(stack: &Stack) {
    let space = PopularSpace::new(stack).await;
    let same_file = std::iter::repeat_n(0, DELIVERIES_OF_ITEM);
    assert_eq!(space.throttled_reads(same_file).await, 0);

    space.deliver(stack, 0, 503).await;
    space.deliver(stack, 1, 304).await;

    stack.clock.advance(seconds(1));
    space.deliver(stack, 0, 304).await;
}
