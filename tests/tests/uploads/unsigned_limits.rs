//! Limits of unsigned uploads: uploads per hour and config, and requests per minute and IP address.

use futures::future::join_all;
use reqwest::multipart::Form;
use serde_json::json;
use table::item_keys;
use tests::{
    PHOTO, RawConnection, Response, Stack, StackOptions, TestSpace, authority, file, merged,
    seconds, stack_test,
};

use super::{
    config_rules::own_names,
    unsigned::{REFERRER, UnsignedConfig, form, restrictions},
};
use crate::support::signer::photo;

/// Window of the request limit, in milliseconds.
pub(super) const MINUTE_MS: i64 = 60_000;
/// Window of the upload limit, in milliseconds.
pub(super) const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Returns the rest of the current window in seconds, rounded up.
pub(super) fn left_seconds(stack: &Stack, window_ms: i64) -> u64 {
    let left_ms = window_ms - stack.now().ms() % window_ms;
    u64::try_from((left_ms + 999) / 1_000).expect("it is not over")
}

/// Asserts a 429 with `seconds` in `Retry-After`.
#[track_caller]
pub(super) fn assert_limited(response: Response, seconds: u64) {
    let retry_after = response.header("retry-after");
    assert_eq!(retry_after, seconds.to_string(), "{response:?}");
    assert_eq!(response.json()["message"], "Too Many Attempts.");
    assert_eq!(response.expect_error(429), json!({}));
}

/// Asserts the number of file records, which are active, and of their objects.
pub(super) async fn assert_stored(stack: &Stack, files: usize) {
    let dump = stack.dump().await;
    let is_record = |key: &&item_keys::Key| key.sort.starts_with(item_keys::FILES);
    assert_eq!(dump.items.keys().filter(is_record).count(), files);
    assert_eq!(dump.objects.len(), files);
    assert_eq!(dump.files_with_bytes().len(), files);
}

#[stack_test]
async fn concurrent_uploads_never_exceed_hourly_limit(stack: &Stack) {
    const LIMIT: usize = 7;

    let acme = stack.space("Acme").await;
    let unsigned = UnsignedConfig::with_hourly_limit(stack, &acme, "open", 7).await;
    let other = UnsignedConfig::with_hourly_limit(stack, &acme, "other", 1).await;

    for round in 1..=2 {
        let left = left_seconds(stack, HOUR_MS);
        // Four addresses of five uploads each, which is the share of an address.
        let clients: Vec<_> = (2..6).map(|last| unsigned.at_address(last)).collect();
        let responses = join_all((0..20).map(|index| clients[index % 4].send())).await;
        let (accepted, rejected): (Vec<_>, Vec<_>) = responses
            .into_iter()
            .partition(|response| response.status == 201);
        assert_eq!((accepted.len(), rejected.len()), (LIMIT, 20 - LIMIT));
        for response in rejected {
            assert_limited(response, left);
        }
        assert_stored(stack, round * LIMIT).await;

        stack.clock.advance(seconds(left - 1));
        assert_limited(unsigned.send().await, 1);
        stack.clock.advance(seconds(1));
    }

    // Each config has a separate limit, and uploads with a key have none.
    other.send().await.expect_created();
    let left = left_seconds(stack, HOUR_MS);
    assert_limited(other.send().await, left);
    acme.upload(PHOTO).with_config("other").await;
}

/// Asserts a 429 of the hourly limit of one upload, with the headers of this limit.
#[track_caller]
fn assert_limited_to_one(response: Response, stack: &Stack) {
    let left = left_seconds(stack, HOUR_MS);
    let hour = stack.now().ms() / HOUR_MS + 1;
    response
        .expect_header("x-ratelimit-limit", "1")
        .expect_header("x-ratelimit-remaining", "0")
        .expect_header("x-ratelimit-reset", (hour * HOUR_MS / 1_000).to_string())
        .expect_header("ratelimit-policy", "\"unsigned-hourly\";q=1;w=3600")
        .expect_header("ratelimit", format!("\"unsigned-hourly\";r=0;t={left}"));
    assert_limited(response, left);
}

#[stack_test]
async fn upload_over_hourly_limit_is_not_read(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    let accepted = unsigned.send().await.expect_status(201);
    accepted.expect_header("ratelimit-policy", "\"unsigned\";q=300;w=60");

    let left = left_seconds(stack, HOUR_MS);
    let no_file = Form::new().text("no", "file");
    assert_limited_to_one(unsigned.send_form(no_file).await, stack);
    let by_transaction = unsigned.send_with_key("order 7", form(photo())).await;
    assert_limited_to_one(by_transaction, stack);
    assert_limited(unsigned.presign(json!({"size": 0})).await, left);

    // The response arrives before the body is sent.
    let url = stack.local.api_url();
    let head = format!(
        "POST /api/v1{} HTTP/1.1\r\nhost: {}\r\nreferer: {REFERRER}\r\n\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: 1000000\r\n\r\n",
        unsigned.path,
        authority(url)
    );
    let response = RawConnection::request(url, head).await;
    assert_limited(response.expect("a response before the body"), left);

    // Disallowed referrers still get a 403.
    let evil = unsigned.send_with(b"https://evil.org/", &[], form(photo()));
    evil.await.expect_error(403);
}

#[stack_test]
async fn rejected_upload_does_not_count(stack: &Stack, acme: &TestSpace) {
    let limited = json!({"unsigned_restrictions": restrictions(Some(2))});
    let more = merged(limited, json!({"config": own_names()}));
    let unsigned = UnsignedConfig::new(stack, acme, "open", more).await;

    unsigned.send().await.expect_created();
    for _ in 0..2 {
        let no_file = unsigned.send_form(Form::new().text("no", "file")).await;
        no_file.expect_error(422);
        let program = form(file("a.exe", "image/jpeg", PHOTO));
        unsigned.send_form(program).await.expect_error(422);
        let without_bytes = unsigned.presign(json!({"size": 0})).await;
        without_bytes.expect_error(422);
        let evil = unsigned.send_with(b"https://evil.org/", &[], form(photo()));
        evil.await.expect_error(403);
        // The name is taken.
        unsigned.send().await.expect_error(409);
    }

    let other = form(file("other.jpg", "image/jpeg", PHOTO));
    unsigned.send_form(other).await.expect_created();
    let left = left_seconds(stack, HOUR_MS);
    assert_limited(unsigned.send().await, left);
    assert_stored(stack, 2).await;
}

#[stack_test(options = StackOptions::default().with_parameters(&[("UnsignedRequestsPerMinute", "3")]))]
async fn requests_per_ip_and_config_are_limited_per_minute(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let unsigned = UnsignedConfig::new(stack, &acme, "open", json!({})).await;
    let other = UnsignedConfig::new(stack, &acme, "other", json!({})).await;

    for remaining in ["2", "1", "0"] {
        let response = unsigned.send().await.expect_status(201);
        response
            .expect_header("x-ratelimit-limit", "3")
            .expect_header("x-ratelimit-remaining", remaining)
            .expect_header("ratelimit-policy", "\"unsigned\";q=3;w=60");
    }

    let left = left_seconds(stack, MINUTE_MS);
    assert_limited(unsigned.presign(json!({})).await, left);
    let no_file = Form::new().text("no", "file");
    assert_limited(unsigned.send_form(no_file).await, left);
    for (header, value) in [
        ("x-forwarded-for", "203.0.113.7"),
        ("x-real-ip", "203.0.113.7"),
        ("forwarded", "for=203.0.113.7"),
        ("cf-connecting-ip", "203.0.113.7"),
        ("true-client-ip", "203.0.113.7"),
    ] {
        let headers = [(header, value)];
        let sent = unsigned.send_with(REFERRER.as_bytes(), &headers, form(photo()));
        assert_limited(sent.await.with_context(header), left);
    }

    // Other configs and uploads with a key have separate limits.
    let response = other.send().await.expect_status(201);
    assert_eq!(response.header("x-ratelimit-remaining"), "2");
    acme.upload(PHOTO).await;

    stack.clock.advance(seconds(left - 1));
    assert_limited(unsigned.send().await, 1);
    stack.clock.advance(seconds(1));
    unsigned.send().await.expect_created();
}
