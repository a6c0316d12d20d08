//! Renderings while other requests change what they read, or use all memory for originals.

use std::{
    num::NonZeroUsize, ops::RangeInclusive, pin::Pin, thread::available_parallelism, time::Duration,
};

use emulators::Hold;
use futures::future::join_all;
use media::format::Format;
use serde_json::Value;
use tests::{Observed, PHOTO, Response, Stack, StackOptions, TestSpace, stack_test};
use tokio::time::Instant;

use super::fixture::renditions;
use crate::{
    files::replace::replace,
    lambda::log_capture::{begin_log, lines},
    support::{
        image_server::{ImageServer, logo},
        images::image,
    },
};

/// Calls of a delivery before it reads the original: the records, the stored rendition at both
/// places, and the count of renderings.
const CALLS_BEFORE_ORIGINAL: u32 = 4;
/// Range of the number of originals in memory, which is one per core.
const MAX_ORIGINALS: RangeInclusive<usize> = 4..=16;
/// Requests for one rendition while no memory is free.
const WAITING: usize = 10;
/// Maximum time of these requests, in seconds. One waits for five.
const MAX_WAIT_SECONDS: u64 = 9;

/// Maximum time until a function notices that its client has hung up, a rendering is stored, or the
/// bucket has applied its lifecycle rules.
const MAX_WAITING_TIME: Duration = Duration::from_secs(20);
/// Time between two checks of a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

type Request<'a> = Pin<Box<dyn Future<Output = Response> + 'a>>;

/// A request that is paused between two calls of its function.
struct PausedRequest<'a> {
    request: Request<'a>,
    hold: Hold,
}

/// Sends a request for a rendition, and pauses it after this number of calls.
async fn paused(stack: &Stack, url: String, calls: u32) -> PausedRequest<'_> {
    let mut hold = stack.local.faults().hold("delivery", calls);
    let mut request: Request<'_> = Box::pin(async move { stack.anonymous.get(&url).await });
    tokio::select! {
        response = &mut request => panic!("not paused: {}", response.status),
        () = hold.reached() => {}
    }
    PausedRequest { request, hold }
}

/// Waits until a condition holds.
pub(super) async fn until(condition: impl AsyncFn() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let waiting = tokio::time::timeout(MAX_WAITING_TIME, waiting).await;
    waiting.expect("the condition to hold");
}

#[stack_test]
async fn rendition_of_a_file_that_is_deleted_meanwhile_is_not_kept(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let url = file.url_with("w=32");
    let before_store = paused(stack, url, CALLS_BEFORE_ORIGINAL + 1).await;

    acme.delete_ok(file.path()).await;
    before_store.hold.release();
    let Observed {
        output: rendered,
        calls,
    } = stack.calls_of(before_store.request).await;

    rendered.expect_status(200);
    assert!(calls.contains(&"delivery DeleteObject".to_owned()));
    assert!(renditions(stack).await.is_empty());
    stack.run_purges().await;
}

#[stack_test]
async fn rendition_of_bytes_that_are_replaced_meanwhile_is_not_kept(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(image(Format::Jpeg, 64, 64)).await;
    let url = file.url_with("w=32");
    let before_store = paused(stack, url.clone(), CALLS_BEFORE_ORIGINAL + 1).await;

    replace(acme, &file.id, image(Format::Jpeg, 64, 32))
        .await
        .expect_ok();
    // The rendering in progress is that of other bytes.
    let new = stack.anonymous.fetch(&url).await;
    new.expect_header("x-image-height", "16");
    before_store.hold.release();
    let old = before_store.request.await.expect_status(200);

    old.expect_header("x-image-height", "32");
    assert_ne!(old.header("etag"), new.header("etag"));
    let stored = renditions(stack).await;
    assert_eq!(stored.len(), 1, "{stored:?}");
    stack.run_purges().await;
    assert_eq!(renditions(stack).await, stored);
}

#[stack_test]
async fn rendering_of_a_cancelled_request_is_stored(stack: &Stack, acme: &TestSpace) {
    let url = acme.upload(PHOTO).await.url_with("w=32");
    begin_log();
    // The call that stores the rendition would take effect without the function once it is sent.
    let before_original = paused(stack, url.clone(), CALLS_BEFORE_ORIGINAL).await;

    drop(before_original.request);
    let is_cancelled = |line: &Value| line["message"] == "task cancelled";
    until(async || lines().iter().any(is_cancelled)).await;
    assert!(renditions(stack).await.is_empty());
    before_original.hold.release();
    until(async || !renditions(stack).await.is_empty()).await;

    let calls = stack.calls_of(stack.anonymous.fetch(&url)).await.calls;
    let is_rendered = calls.iter().any(|call| call.ends_with("PutObject"));
    assert!(!is_rendered, "{calls:?}");
}

#[stack_test]
async fn rendering_with_a_watermark_that_is_replaced_meanwhile_can_be_retried(
    stack: &Stack,
    acme: &TestSpace,
) {
    let url = acme.upload(PHOTO).await.url_with("w=32");
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    acme.set_security(&acme.path(), server.watermark()).await;
    let before_watermark = paused(stack, url.clone(), CALLS_BEFORE_ORIGINAL + 1).await;

    acme.set_security(&acme.path(), server.watermark()).await;
    before_watermark.hold.release();

    let contended = before_watermark.request.await;
    contended.expect_busy();
    stack.anonymous.fetch(&url).await;
}

#[stack_test(options = StackOptions::without_rate_limits(), multi_thread)]
async fn requests_for_one_rendition_wait_together_for_memory(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let mut paused_requests = Vec::new();
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let originals = cores.clamp(*MAX_ORIGINALS.start(), *MAX_ORIGINALS.end());
    for width in 0..originals {
        let url = file.url_with(&format!("w={}", 40 + width));
        paused_requests.push(paused(stack, url, CALLS_BEFORE_ORIGINAL).await);
    }

    let url = file.url_with("w=32");
    let started = Instant::now();
    let responses = join_all((0..WAITING).map(|_| stack.anonymous.get(&url))).await;

    assert!(started.elapsed().as_secs() < MAX_WAIT_SECONDS);
    for response in responses {
        response.expect_busy();
    }
    for paused in paused_requests {
        paused.hold.release();
        paused.request.await.expect_status(200);
    }
    stack.anonymous.fetch(&url).await;
}
