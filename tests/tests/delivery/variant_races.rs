//! Renderings while other requests change what they read, or use all memory for originals.

use std::{pin::Pin, time::Duration};

use emulators::Hold;
use futures::future::join_all;
use serde_json::json;
use tests::{Observed, PHOTO, Response, Stack, StackOptions, TestSpace, stack_test};
use tokio::time::Instant;

use crate::{
    lambda::log_capture::{begin_log, lines},
    support::image_server::{ImageServer, logo},
};

/// Calls of a delivery before it reads the original: the records, the stored variant at both places, and the
/// count of renderings.
const CALLS_BEFORE_ORIGINAL: u32 = 4;
/// Maximum originals of one space in memory: three quarters of all.
const MAX_ORIGINALS_OF_SPACE: u32 = 3;
/// Requests for one variant while no memory is free.
const WAITING: usize = 10;
/// Maximum time of these requests, in seconds. One waits for five.
const MAX_WAIT_SECONDS: u64 = 9;

/// Maximum time until a function notices that its client has hung up.
const MAX_CANCELLATION_TIME: Duration = Duration::from_secs(20);
/// Maximum time until a rendering is stored.
const MAX_RENDERING_TIME: Duration = Duration::from_secs(20);
/// Time between two checks for a cancelled request or a stored variant.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

type Request<'a> = Pin<Box<dyn Future<Output = Response> + 'a>>;

/// A request that is paused between two calls of its function.
struct PausedRequest<'a> {
    request: Request<'a>,
    hold: Hold,
}

/// Sends a request for a variant, and pauses it after this number of calls.
async fn paused(stack: &Stack, url: String, calls: u32) -> PausedRequest<'_> {
    let mut hold = stack.local.faults().hold("delivery", calls);
    let mut request: Request<'_> = Box::pin(async move { stack.anonymous.get(&url).await });
    tokio::select! {
        response = &mut request => panic!("not paused: {}", response.status),
        () = hold.reached() => {}
    }
    PausedRequest { request, hold }
}

async fn enable_watermark(acme: &TestSpace, server: &ImageServer) {
    let watermark = json!({"enabled": true, "url": server.url()});
    let body = json!({"security": {"watermark": watermark}});
    let path = format!("{}/security", acme.path());
    acme.put_ok(&path, body).await;
}

#[stack_test]
async fn variant_of_a_file_that_is_deleted_meanwhile_is_not_kept(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).named("a.jpg", "image/jpeg").await;
    let url = format!("{}?w=32", file.url());
    let before_store = paused(stack, url, CALLS_BEFORE_ORIGINAL + 1).await;

    acme.delete_ok(file.path()).await;
    before_store.hold.release();
    let Observed {
        output: rendered,
        calls,
    } = stack.calls_of(before_store.request).await;

    rendered.expect_status(200);
    assert!(
        calls.iter().any(|call| call == "delivery DeleteObject"),
        "{calls:?}"
    );
    assert_eq!(stored_variants(stack).await, 0);
    stack.run_purges().await;
}

#[stack_test]
async fn rendering_of_a_cancelled_request_is_stored(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).named("a.jpg", "image/jpeg").await;
    let url = format!("{}?w=32", file.url());
    begin_log();
    // The call that stores the variant would take effect without the function once it is sent.
    let before_original = paused(stack, url.clone(), CALLS_BEFORE_ORIGINAL).await;

    drop(before_original.request);
    until_cancelled().await;
    assert_eq!(stored_variants(stack).await, 0);
    before_original.hold.release();
    let stored = async {
        while stored_variants(stack).await == 0 {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let stored = tokio::time::timeout(MAX_RENDERING_TIME, stored).await;
    stored.expect("a stored variant");

    let observed = stack.calls_of(stack.anonymous.get(&url)).await;
    observed.output.expect_status(200);
    assert!(
        !observed
            .calls
            .iter()
            .any(|call| call.ends_with("PutObject"))
    );
}

/// Waits until a function has logged that a request was cancelled.
async fn until_cancelled() {
    let is_cancelled = || {
        lines()
            .iter()
            .any(|line| line["message"] == "task cancelled")
    };
    let cancelled = async {
        while !is_cancelled() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let cancelled = tokio::time::timeout(MAX_CANCELLATION_TIME, cancelled).await;
    cancelled.expect("a cancelled request");
}

/// Returns the number of stored variants.
async fn stored_variants(stack: &Stack) -> usize {
    let objects = stack.dump().await.objects;
    let variants = objects.keys().filter(|key| key.contains("/variants/"));
    variants.count()
}

#[stack_test]
async fn rendering_with_a_watermark_that_is_replaced_meanwhile_can_be_retried(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).named("a.jpg", "image/jpeg").await;
    let server = ImageServer::start(&logo([255, 0, 0])).await;
    enable_watermark(acme, &server).await;
    let url = format!("{}?w=32", file.url());
    let before_watermark = paused(stack, url.clone(), CALLS_BEFORE_ORIGINAL + 1).await;

    enable_watermark(acme, &server).await;
    before_watermark.hold.release();

    let contended = before_watermark.request.await;
    contended.expect_busy();
    stack.anonymous.fetch(&url).await;
}

#[stack_test(options = StackOptions::without_rate_limits(), multi_thread)]
async fn requests_for_one_variant_wait_together_for_memory_of_their_space(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).named("a.jpg", "image/jpeg").await;
    let other = stack.space("Other").await.upload(PHOTO).await;
    let mut paused_requests = Vec::new();
    for width in 0..MAX_ORIGINALS_OF_SPACE {
        let url = format!("{}?w={}", file.url(), 40 + width);
        paused_requests.push(paused(stack, url, CALLS_BEFORE_ORIGINAL).await);
    }

    let url = format!("{}?w=32", file.url());
    let started = Instant::now();
    let responses = join_all((0..WAITING).map(|_| stack.anonymous.get(&url))).await;

    assert!(started.elapsed().as_secs() < MAX_WAIT_SECONDS);
    for response in responses {
        response.expect_busy();
    }
    let of_other = format!("{}?w=32", other.url());
    stack.anonymous.fetch(&of_other).await;
    for paused in paused_requests {
        paused.hold.release();
        paused.request.await.expect_status(200);
    }
    stack.anonymous.fetch(&url).await;
}
