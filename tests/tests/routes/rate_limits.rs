//! Rate limits: how many requests a key may make in a minute, and what answers say of it.

use std::time::Duration;

use emulators::{InjectedError, Service::DynamoDb};
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    Client, DYNAMODB_ATTEMPTS, PHOTO, RawConnection, Response, Stack, StackOptions, Tenant, form,
    minutes, seconds, stack_test,
};

/// Milliseconds of a window.
/// Requests that a key may make per minute while more of them race.
const MOST: u32 = 20;
const WINDOW_MS: i64 = 60_000;
const HEADERS: [&str; 5] = [
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "ratelimit-policy",
    "ratelimit",
];

/// Options of a stack with these limits of requests per minute.
fn limits(admin: u32, upload: u32) -> StackOptions {
    StackOptions::default().with_parameters(&[
        ("AdminRequestsPerMinute", &admin.to_string()),
        ("UploadRequestsPerMinute", &upload.to_string()),
    ])
}

/// Milliseconds that are left of the present window.
fn left_ms(stack: &Stack) -> i64 {
    WINDOW_MS - stack.admin_environment().env.now().ms() % WINDOW_MS
}

/// Moves the clock to so many milliseconds before the end of a window.
fn wait_until_left(stack: &Stack, wanted_ms: i64) {
    let by_ms = (left_ms(stack) - wanted_ms).rem_euclid(WINDOW_MS);
    stack
        .clock
        .advance(Duration::from_millis(by_ms.unsigned_abs()));
}

/// Demands of an answer that it tells the truth about the caller's limit.
#[track_caller]
fn assert_headers(stack: &Stack, response: &Response, tier: &str, most: u64, remaining: u64) {
    let resets_in = (left_ms(stack) + 999) / 1_000;
    let resets_at = (stack.admin_environment().env.now().ms() + left_ms(stack)) / 1_000;
    let expected = [
        most.to_string(),
        remaining.to_string(),
        resets_at.to_string(),
        format!("\"{tier}\";q={most};w=60"),
        format!("\"{tier}\";r={remaining};t={resets_in}"),
    ];

    assert_eq!(
        HEADERS.map(|name| response.header(name)),
        expected.each_ref().map(String::as_str),
        "{}",
        response.request
    );
    assert_eq!(
        response.headers.contains_key("retry-after"),
        response.status == 429,
        "{}",
        response.request
    );
}

#[track_caller]
fn assert_no_headers(response: &Response) {
    assert_eq!(
        HEADERS.map(|name| response.header(name)),
        [""; 5],
        "{}",
        response.request
    );
}

fn photo(acme: &Tenant) -> reqwest::multipart::Form {
    form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO)
}

async fn once(client: &Client, address: &str, body: &Value) -> Response {
    client
        .send(
            client
                .request("POST", address)
                .header("idempotency-key", "one")
                .json(body),
        )
        .await
}

#[stack_test(options = limits(100, 50))]
async fn every_authenticated_response_has_rate_limit_headers(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let (space, keys) = (
        format!("/spaces/{}", acme.id),
        format!("/spaces/{}/api-keys", acme.id),
    );
    let client = &acme.client;
    let made = client
        .post(&keys, json!({"name": "viewer", "role": "viewer"}))
        .await;
    let id = made.json()["data"]["id"].clone();
    let viewer = client.with_key(made.json()["data"]["key"].as_str().expect("a key"));
    let send = |kind: &'static str, body: String| {
        client.send(
            client
                .request("POST", &keys)
                .header("content-type", kind)
                .body(body),
        )
    };

    viewer.upload(photo(&acme)).await.expect_error(403);

    let responses = [
        (201, made),
        (200, client.get(&space).await),
        (200, client.get("/spaces").await),
        (404, client.get("/spaces/01JCQZ4XK8V9W7Y6T5S4R3Q2P1").await),
        (404, client.get("/files/x").await),
        (422, client.post(&keys, json!({})).await),
        (422, client.delete("/spaces").await),
        (403, client.post("/spaces", json!({"name": "Other"})).await),
        (400, send("application/json", "{".to_owned()).await),
        (415, send("text/plain", "x".to_owned()).await),
        (
            413,
            send("application/json", "x".repeat((1 << 20) + 1)).await,
        ),
        (201, once(client, &keys, &json!({"name": "one"})).await),
        (201, once(client, &keys, &json!({"name": "one"})).await),
        (422, once(client, &keys, &json!({"name": "two"})).await),
        (
            204,
            client.delete(&format!("{keys}/{}", acme.key_id + 1)).await,
        ),
    ];
    assert_eq!(id, json!(acme.key_id + 1));

    for ((status, response), remaining) in responses.into_iter().zip((0..100).rev()) {
        assert_headers(
            stack,
            &response.expect_status(status),
            "admin",
            100,
            remaining,
        );
    }

    assert_no_headers(&viewer.get(&space).await.expect_status(401));
    acme.upload(PHOTO).await;

    let rejected = client
        .upload(form("zzzzzz", "a.jpg", "image/jpeg", PHOTO))
        .await
        .expect_status(422);
    assert_headers(stack, &rejected, "upload", 50, 48);
    assert_headers(
        stack,
        &client
            .delete(&format!("/spaces?id={}", acme.id))
            .await
            .expect_status(409),
        "admin",
        100,
        84,
    );
}

#[stack_test]
async fn unauthenticated_responses_have_no_rate_limit_and_defaults_match_template(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);
    let unknown = domain::KeySecret::new(&stack.admin_environment().env);

    for key in ["nonsense", unknown.reveal()] {
        assert_no_headers(
            &stack
                .anonymous
                .with_key(key)
                .get(&space)
                .await
                .expect_status(401),
        );
        assert_no_headers(
            &stack
                .anonymous
                .with_key(key)
                .upload(photo(&acme))
                .await
                .expect_status(401),
        );
    }

    assert_no_headers(&stack.anonymous.get(&space).await.expect_status(401));
    assert_no_headers(
        &stack
            .anonymous
            .send(stack.anonymous.request("OPTIONS", &space))
            .await
            .expect_status(204),
    );
    assert_headers(stack, &acme.client.get(&space).await, "admin", 1_200, 1_199);
    assert_headers(
        stack,
        &acme.client.upload(photo(&acme)).await,
        "upload",
        6_000,
        5_999,
    );
}

#[stack_test(options = limits(5, 5))]
async fn exhausted_key_is_rejected_until_reset(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);

    for begin_ms in [59_999, 30_500, 1_000, 1] {
        wait_until_left(stack, begin_ms);

        for remaining in (0..5).rev() {
            assert_headers(
                stack,
                &acme.client.get(&space).await.expect_status(200),
                "admin",
                5,
                remaining,
            );
        }

        let rejected = acme.client.get(&space).await;
        assert_headers(stack, &rejected, "admin", 5, 0);
        assert_eq!(
            rejected.json(),
            json!({"message": "Too Many Attempts.", "errors": {}})
        );

        let retry_after: u64 = rejected.header("retry-after").parse().expect("seconds");
        rejected.expect_error(429);
        stack.clock.advance(seconds(retry_after - 1));

        let early = acme.client.get(&space).await;
        assert_eq!(early.header("retry-after"), "1");
        early.expect_error(429);
        stack.clock.advance(seconds(1));
        assert_headers(
            stack,
            &acme.client.get(&space).await.expect_status(200),
            "admin",
            5,
            4,
        );
        stack.clock.advance(minutes(1));
    }
}

#[stack_test(options = limits(6, 2))]
async fn tiers_and_keys_are_counted_separately(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);
    let file = format!(
        "/files/{}",
        acme.upload(PHOTO).await["id"].as_str().expect("an id")
    );
    let other = acme.role("owner").await;

    for (remaining, address) in (0..5).rev().zip([&file, &space, &file, &space, &file]) {
        assert_headers(
            stack,
            &acme.client.get(address).await.expect_status(200),
            "admin",
            6,
            remaining,
        );
    }

    for address in [&file, &space] {
        assert_headers(
            stack,
            &acme.client.get(address).await.expect_status(429),
            "admin",
            6,
            0,
        );
    }

    assert_headers(
        stack,
        &acme.client.upload(photo(&acme)).await.expect_status(201),
        "upload",
        2,
        0,
    );
    assert_headers(
        stack,
        &acme.client.upload(photo(&acme)).await.expect_status(429),
        "upload",
        2,
        0,
    );
    assert_headers(
        stack,
        &other.get(&space).await.expect_status(200),
        "admin",
        6,
        5,
    );
    assert_headers(
        stack,
        &other.upload(photo(&acme)).await.expect_status(201),
        "upload",
        2,
        1,
    );
}

#[stack_test(options = limits(MOST, MOST))]
async fn concurrent_requests_never_exceed_limit(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let file = format!(
        "/files/{}",
        acme.upload(PHOTO).await["id"].as_str().expect("an id")
    );
    let space = format!("/spaces/{}", acme.id);
    let responses = join_all(
        (0..100).map(|index| acme.client.get(if index % 2 == 0 { &file } else { &space })),
    )
    .await;
    let (passed, rejected): (Vec<_>, Vec<_>) = responses
        .into_iter()
        .partition(|response| response.status == 200);
    let mut left: Vec<u32> = passed
        .iter()
        .map(|response| {
            response
                .header("x-ratelimit-remaining")
                .parse()
                .expect("a number")
        })
        .collect();

    left.sort_unstable();
    assert_eq!(left, (0..MOST).collect::<Vec<_>>());
    assert_eq!(rejected.len(), 80);

    for response in rejected {
        response.expect_error(429);
    }
}

#[stack_test(options = limits(4, 1))]
async fn rate_limited_request_is_not_read_and_has_no_effect(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let keys = format!("/spaces/{}/api-keys", acme.id);

    acme.upload(PHOTO).await;

    for _ in 0..4 {
        acme.client.get(&keys).await.expect_status(200);
    }

    let before = stack.dump().await;
    let (response, calls) = stack
        .calls_of(once(&acme.client, &keys, &json!({"name": "one"})))
        .await;

    response.expect_error(429);
    assert_eq!(calls, ["spaces UpdateItem"]);

    let (response, calls) = stack.calls_of(acme.client.upload(photo(&acme))).await;
    response.expect_error(429);
    assert_eq!(calls, ["uploads UpdateItem"]);

    for (path, kind) in [
        ("/upload", "multipart/form-data; boundary=x"),
        (keys.as_str(), "application/json"),
    ] {
        let head = format!(
            "POST /api/v1{path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: {kind}\r\n\
             content-length: 1000\r\n\r\n",
            acme.client.key.as_deref().expect("a key")
        );
        let response = RawConnection::request(stack.cloud.api_url(), head)
            .await
            .expect("an answer before the body");

        response.expect_error(429);
    }

    // Not even the counters of minutes to come.
    assert_eq!(stack.dump().await, before);
}

#[stack_test(options = limits(10, 10))]
async fn no_request_passes_uncounted_while_table_fails(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = format!("/spaces/{}", acme.id);

    acme.client.get(&space).await.expect_ok();

    let before = stack.dump().await;
    let faults = stack.cloud.faults();

    for (times, status, code, answered) in [
        (
            DYNAMODB_ATTEMPTS,
            400,
            "ProvisionedThroughputExceededException",
            503,
        ),
        (DYNAMODB_ATTEMPTS, 500, "InternalServerError", 503),
        (1, 400, "AccessDeniedException", 500),
    ] {
        faults.fail(
            DynamoDb,
            "UpdateItem",
            times,
            InjectedError::new(status, code),
        );

        let (response, calls) = stack.calls_of(acme.client.get(&space)).await;
        assert_no_headers_of_failed(&response, answered);
        assert!(
            calls.iter().all(|call| call == "spaces UpdateItem"),
            "{calls:?}"
        );
        faults.fail(
            DynamoDb,
            "UpdateItem",
            times,
            InjectedError::new(status, code),
        );

        let (response, calls) = stack.calls_of(acme.client.upload(photo(&acme))).await;
        assert_no_headers_of_failed(&response, answered);
        assert!(
            calls.iter().all(|call| call == "uploads UpdateItem"),
            "{calls:?}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "requests that could not be counted");
}

#[track_caller]
fn assert_no_headers_of_failed(response: &Response, status: u16) {
    assert_eq!(HEADERS.map(|name| response.header(name)), [""; 5]);
    assert_eq!(
        response.header("retry-after"),
        if status == 503 { "1" } else { "" }
    );
    response.clone().expect_error(status);
}

/// How many counters the item of a key holds.
async fn counters(stack: &Stack, client: &Client) -> usize {
    let hash = domain::KeySecret::parse(client.key.as_deref().expect("a key"))
        .expect("a key")
        .hash();
    let dump = stack.dump().await;
    let item = &dump.items[&(format!("KEY#{}", hash.as_str()), "KEY".to_owned())];

    item.as_object()
        .expect("an item")
        .keys()
        .filter(|name| name.starts_with("requests_"))
        .count()
}

#[stack_test]
async fn expired_counters_are_dropped(stack: &Stack) {
    const MOST_KEPT: usize = 4;

    let acme = stack.space("Acme").await;
    let url = acme.upload(PHOTO).await["url"]
        .as_str()
        .expect("an address")
        .to_owned();
    let space = format!("/spaces/{}", acme.id);
    let delivered_to = acme.role("viewer").await;

    for _ in 0..10 {
        stack.clock.advance(minutes(1));
        acme.client.get(&space).await.expect_ok();
        // Delivery notes the use of a key as well, and counts nothing.
        delivered_to.get(&url).await.expect_status(200);
        delivered_to.get(&space).await.expect_ok();
        for client in [&acme.client, &delivered_to] {
            let kept = counters(stack, client).await;
            assert!((1..=MOST_KEPT).contains(&kept), "{kept}");
        }
    }
}
