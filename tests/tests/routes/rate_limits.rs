//! Rate limits: the number of requests that a key may make per minute, and what responses report of
//! it.

use std::time::Duration;

use emulators::{InjectedError, Service::DynamoDb};
use futures::future::join_all;
use serde_json::{Value, json};
use table::item_keys;
use tests::{
    Client, DYNAMODB_ATTEMPTS, PHOTO, RawConnection, Response, Stack, StackOptions, TestSpace,
    UNKNOWN_ID, form, minutes, seconds, stack_test, text,
};

/// Limit of the test with concurrent requests.
const CONCURRENT_LIMIT: u32 = 20;
/// Number of concurrent requests.
const CONCURRENT_REQUESTS: usize = 100;
/// Length of a rate limit window, in milliseconds.
const WINDOW_MS: i64 = 60_000;
/// Maximum number of counters that the item of a key holds.
const MAX_COUNTERS: usize = 4;
/// Rate limit headers of responses.
pub(crate) const HEADERS: [&str; 5] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "ratelimit-policy",
    "ratelimit",
];

/// Returns options with these limits of requests per minute.
pub(crate) fn limits(admin: u32, upload: u32) -> StackOptions {
    StackOptions::default().with_parameters(&[
        ("AdminRequestsPerMinute", &admin.to_string()),
        ("UploadRequestsPerMinute", &upload.to_string()),
    ])
}

/// Returns the milliseconds until the current window ends.
fn window_remaining_ms(stack: &Stack) -> i64 {
    WINDOW_MS - stack.now().ms() % WINDOW_MS
}

/// Advances the clock until the window ends in `remaining_ms`.
fn advance_to_window_end(stack: &Stack, remaining_ms: i64) {
    let by_ms = (window_remaining_ms(stack) - remaining_ms).rem_euclid(WINDOW_MS);
    stack
        .clock
        .advance(Duration::from_millis(by_ms.unsigned_abs()));
}

/// Tier of a limit that a response must report, limit, and number of requests that remain.
pub(crate) struct LimitStatus(&'static str, u64, u64);

impl LimitStatus {
    pub(crate) fn admin(limit: u64, remaining: u64) -> LimitStatus {
        LimitStatus("admin", limit, remaining)
    }

    pub(crate) fn upload(limit: u64, remaining: u64) -> LimitStatus {
        LimitStatus("upload", limit, remaining)
    }
}

/// Asserts that the rate limit headers of a response are correct, and that only 429 has
/// `Retry-After`.
#[track_caller]
pub(crate) fn assert_limit_status(stack: &Stack, response: &Response, expected: &LimitStatus) {
    let LimitStatus(tier, limit, remaining) = expected;
    let remaining_ms = window_remaining_ms(stack);
    let resets_in = (remaining_ms + 999) / 1_000;
    let resets_at = (stack.now().ms() + remaining_ms) / 1_000;
    let values = [
        limit.to_string(),
        remaining.to_string(),
        resets_at.to_string(),
        format!("\"{tier}\";q={limit};w=60"),
        format!("\"{tier}\";r={remaining};t={resets_in}"),
    ];

    for (name, value) in HEADERS.into_iter().zip(values) {
        response.expect_header(name, value);
    }
    let has_retry_after = response.headers.contains_key("retry-after");
    assert_eq!(has_retry_after, response.status == 429);
}

#[track_caller]
pub(crate) fn assert_no_limit_headers(response: &Response) {
    for name in HEADERS {
        response.expect_header(name, "");
    }
}

/// Asserts that a request that could not be counted failed with this status.
#[track_caller]
fn assert_uncounted_error(response: &Response, status: u16) {
    assert_no_limit_headers(response);
    if status == 503 {
        response.clone().expect_busy();
    } else {
        assert_eq!(response.header("retry-after"), "");
        response.clone().expect_error(status);
    }
}

pub(crate) fn photo(acme: &TestSpace) -> reqwest::multipart::Form {
    form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO)
}

/// Sends a `POST` with the `Idempotency-Key` `one`.
pub(crate) async fn post_idempotently(client: &Client, path: &str, body: &Value) -> Response {
    let request = client
        .request("POST", path)
        .header("idempotency-key", "one");
    client.send(request.json(body)).await
}

#[stack_test(options = limits(5, 5))]
async fn exhausted_key_is_rejected_until_reset(stack: &Stack, acme: &TestSpace) {
    let space = acme.path();

    for start_ms in [59_999, 30_500, 1_000, 1] {
        advance_to_window_end(stack, start_ms);
        for remaining in (0..5).rev() {
            let response = acme.fetch(&space).await;
            assert_limit_status(stack, &response, &LimitStatus::admin(5, remaining));
        }

        let rejected = acme.get(&space).await;
        assert_limit_status(stack, &rejected, &LimitStatus::admin(5, 0));
        assert_eq!(rejected.json()["message"], "Too Many Attempts.");
        let retry_after: u64 = rejected.header("retry-after").parse().expect("seconds");
        rejected.expect_error(429);

        stack.clock.advance(seconds(retry_after - 1));
        let early = acme.get(&space).await;
        assert_eq!(early.header("retry-after"), "1");
        early.expect_error(429);

        stack.clock.advance(seconds(1));
        let accepted = acme.fetch(&space).await;
        assert_limit_status(stack, &accepted, &LimitStatus::admin(5, 4));

        stack.clock.advance(minutes(1));
    }
}

#[stack_test(options = limits(6, 2))]
async fn tiers_and_keys_are_counted_separately(stack: &Stack, acme: &TestSpace) {
    let space = acme.path();
    let file = acme.upload(PHOTO).await.path().to_owned();
    let other = acme.role("owner").await;

    for (remaining, path) in (0..5).rev().zip([&file, &space, &file, &space, &file]) {
        let response = acme.fetch(path).await;
        assert_limit_status(stack, &response, &LimitStatus::admin(6, remaining));
    }
    for path in [&file, &space] {
        let response = acme.get(path).await.expect_status(429);
        assert_limit_status(stack, &response, &LimitStatus::admin(6, 0));
    }

    for status in [201, 429] {
        let response = acme.upload_form(photo(acme)).await.expect_status(status);
        assert_limit_status(stack, &response, &LimitStatus::upload(2, 0));
    }

    let response = other.fetch(&space).await;
    assert_limit_status(stack, &response, &LimitStatus::admin(6, 5));

    let response = other.upload_form(photo(acme)).await.expect_status(201);
    assert_limit_status(stack, &response, &LimitStatus::upload(2, 1));
}

#[stack_test(options = limits(CONCURRENT_LIMIT, CONCURRENT_LIMIT))]
async fn concurrent_requests_never_exceed_limit(acme: &TestSpace) {
    let file = acme.upload(PHOTO).await.path().to_owned();
    let space = acme.path();
    let paths = [&file, &space];

    let requests = (0..CONCURRENT_REQUESTS).map(|index| acme.get(paths[index % 2]));
    let responses = join_all(requests).await;

    let (accepted, rejected): (Vec<_>, Vec<_>) = responses
        .into_iter()
        .partition(|response| response.status == 200);
    let remaining = |response: &Response| {
        let header = response.header("x-ratelimit-remaining");
        header.parse().expect("a number")
    };
    let mut remaining: Vec<u32> = accepted.iter().map(remaining).collect();
    remaining.sort_unstable();
    assert_eq!(remaining, (0..CONCURRENT_LIMIT).collect::<Vec<_>>());
    for response in rejected {
        response.expect_error(429);
    }
}

#[stack_test(options = limits(4, 1))]
async fn rate_limited_request_is_not_read_and_has_no_effect(stack: &Stack, acme: &TestSpace) {
    let keys = acme.keys_path();
    acme.upload(PHOTO).await;
    for _ in 0..4 {
        acme.fetch(&keys).await;
    }
    let before = stack.dump().await;

    let body = json!({"name": "one"});
    let run = stack.calls_of(post_idempotently(acme, &keys, &body)).await;
    run.output.expect_error(429);
    assert_eq!(run.calls, ["spaces UpdateItem"]);

    let run = stack.calls_of(acme.upload(PHOTO).send()).await;
    run.output.expect_error(429);
    assert_eq!(run.calls, ["uploads UpdateItem"]);

    for (path, content_type) in [
        ("/upload", "multipart/form-data; boundary=x"),
        (keys.as_str(), "application/json"),
    ] {
        let head = format!(
            "POST /api/v1{path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
             content-type: {content_type}\r\ncontent-length: 1000\r\n\r\n",
            acme.client.key.as_deref().expect("a key")
        );
        let response = RawConnection::request(stack.local.api_url(), head)
            .await
            .expect("a response before the body");
        response.expect_error(429);
    }

    // Counters of later windows are unchanged too.
    assert_eq!(stack.dump().await, before);
}

#[stack_test(options = limits(10, 10))]
async fn no_request_passes_uncounted_while_table_fails(stack: &Stack, acme: &TestSpace) {
    let space = acme.path();
    acme.get_ok(&space).await;
    let before = stack.dump().await;

    for (times, status, code, expected) in [
        (
            DYNAMODB_ATTEMPTS,
            400,
            "ProvisionedThroughputExceededException",
            503,
        ),
        (DYNAMODB_ATTEMPTS, 500, "InternalServerError", 503),
        (1, 400, "AccessDeniedException", 500),
    ] {
        for function in ["spaces", "uploads"] {
            let error = InjectedError::new(status, code);
            let faults = stack.local.faults();
            faults.fail(DynamoDb, "UpdateItem", times, error);
            let request = async {
                match function {
                    "spaces" => acme.get(&space).await,
                    _ => acme.upload(PHOTO).send().await,
                }
            };

            let run = stack.calls_of(request).await;

            assert_uncounted_error(&run.output, expected);
            let counting = format!("{function} UpdateItem");
            assert!(run.calls.iter().all(|call| *call == counting));
        }
    }

    stack.assert_unchanged(&before, "uncounted requests").await;
}

/// Returns the number of counters in the item of a key.
async fn counters(stack: &Stack, client: &Client) -> usize {
    let secret = domain::keys::KeySecret::parse(client.key.as_deref().expect("a key"));
    let key = item_keys::Key::api_key(&secret.expect("a valid key").hash());
    let dump = stack.dump().await;
    let item = dump.item(&key).and_then(Value::as_object);
    let names = item.expect("the key exists").keys();
    names.filter(|name| name.starts_with("requests_")).count()
}

#[stack_test]
async fn expired_counters_are_dropped(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let space = acme.path();
    let viewer = acme.role("viewer").await;

    for _ in 0..10 {
        stack.clock.advance(minutes(1));
        acme.get_ok(&space).await;
        // Delivery records the last use of a key too, but counts nothing.
        viewer.fetch(file.url()).await;
        viewer.get_ok(&space).await;

        for client in [&acme.client, &viewer] {
            let count = counters(stack, client).await;
            assert!((1..=MAX_COUNTERS).contains(&count), "{count}");
        }
    }
}

#[stack_test(options = limits(100, 50))]
async fn every_authenticated_response_has_rate_limit_headers(stack: &Stack, acme: &TestSpace) {
    let space = acme.path();
    let keys = acme.keys_path();
    let missing_space = format!("/spaces/{UNKNOWN_ID}");
    let client = &acme.client;
    let create_key = |name: &str| {
        let body = json!({ "name": name });
        let keys = &keys;
        async move { post_idempotently(client, keys, &body).await }
    };
    let send = |content_type: &'static str, body: String| {
        let request = client.request("POST", &keys);
        client.send(request.header("content-type", content_type).body(body))
    };
    let large = "x".repeat((1 << 20) + 1);
    let viewer_key = json!({"name": "viewer", "role": "viewer"});

    let created = client.post(&keys, viewer_key).await;
    let key: Value = created.json()["data"].clone();
    let viewer = client.with_key(&text(&key["key"]));
    viewer.upload_form(photo(acme)).await.expect_error(403);

    let cases = [
        (201, created),
        (200, client.get(&space).await),
        (200, client.get("/spaces").await),
        (404, client.get(&missing_space).await),
        (404, client.get("/files/x").await),
        (422, client.post(&keys, json!({})).await),
        (422, client.delete("/spaces").await),
        (403, client.post("/spaces", json!({"name": "Other"})).await),
        (400, send("application/json", "{".to_owned()).await),
        (415, send("text/plain", "x".to_owned()).await),
        (413, send("application/json", large).await),
        (201, create_key("one").await),
        (201, create_key("one").await),
        (422, create_key("two").await),
        (
            204,
            client.delete(&format!("{keys}/{}", acme.key_id + 1)).await,
        ),
    ];

    assert_eq!(key["id"], json!(acme.key_id + 1));
    for ((status, response), remaining) in cases.into_iter().zip((0..100).rev()) {
        let response = response.expect_status(status);
        assert_limit_status(stack, &response, &LimitStatus::admin(100, remaining));
    }
    assert_no_limit_headers(&viewer.get(&space).await.expect_status(401));

    acme.upload(PHOTO).await;
    let rejected = client
        .upload_form(form("zzzzzz", "a.jpg", "image/jpeg", PHOTO))
        .await
        .expect_status(422);
    assert_limit_status(stack, &rejected, &LimitStatus::upload(50, 48));

    let conflict = client.delete(&format!("/spaces?id={}", acme.id)).await;
    let conflict = conflict.expect_status(409);
    assert_limit_status(stack, &conflict, &LimitStatus::admin(100, 84));
}

#[stack_test]
async fn unauthenticated_responses_have_no_rate_limit_and_defaults_match_template(
    stack: &Stack,
    acme: &TestSpace,
) {
    let space = acme.path();
    let anonymous = &stack.anonymous;
    let unknown = domain::keys::KeySecret::new(&stack.unrestricted_context().env);

    for key in ["nonsense", unknown.reveal()] {
        let client = anonymous.with_key(key);
        assert_no_limit_headers(&client.get(&space).await.expect_status(401));
        assert_no_limit_headers(&client.upload_form(photo(acme)).await.expect_status(401));
    }

    assert_no_limit_headers(&anonymous.get(&space).await.expect_status(401));
    let preflight = anonymous.send(anonymous.request("OPTIONS", &space)).await;
    assert_no_limit_headers(&preflight.expect_status(204));

    let response = acme.get(&space).await;
    assert_limit_status(stack, &response, &LimitStatus::admin(1_200, 1_199));

    let response = acme.upload_form(photo(acme)).await;
    assert_limit_status(stack, &response, &LimitStatus::upload(6_000, 5_999));
}
