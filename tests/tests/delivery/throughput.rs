//! Throughput of one space, with the limits of DynamoDB items enforced. The clock stands still, so all
//! requests of a test are in the same second.
//!
//! The limits concern reads of the table. So most deliveries are only the read that a delivery makes; the
//! others are complete requests over HTTP.

use domain::Handle;
use emulators::AsyncClock;
use futures::{StreamExt, stream};
use std::time::Duration;
use table::{Table, TableError};
use tests::{PHOTO, Stack, StackOptions, TestSpace, seconds, stack_test};

/// Deliveries per second that one item serves: 3,000 read units at two per transactional read.
const DELIVERIES_OF_ITEM: usize = 1_500;
/// Number of files, whose items have the same limit as a replica.
const FILES: usize = 8;
/// Deliveries of one space in one second: requests over HTTP, and reads.
const DELIVERIES: usize = 5_000;
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
    let throttled = space.throttled_reads(HTTP_DELIVERIES..DELIVERIES).await;

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
