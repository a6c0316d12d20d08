//! Limits of unsigned uploads: uploads per hour and config, and requests per minute and IP address.

use futures::future::join_all;
use reqwest::multipart::Form;
use serde_json::json;
use table::keys;
use tests::{
    PHOTO, RawConnection, Response, Stack, StackOptions, TestSpace, authority, file, seconds,
    stack_test,
};

use super::unsigned::{REFERRER, UnsignedConfig, form, photo};

/// Window of the request limit, in milliseconds.
const MINUTE_MS: i64 = 60_000;
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
    assert_eq!(
        response.header("retry-after"),
        seconds.to_string(),
        "{response:?}"
    );
    assert_eq!(
        response.json(),
        json!({"message": "Too Many Attempts.", "errors": {}})
    );
    response.expect_error(429);
}

#[stack_test]
async fn slow_clients_without_a_key_delay_no_key_of_the_space(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::new(stack, acme, "open", json!({})).await;
    let url = format!("{}{}", stack.local.api_url(), unsigned.path);
    let head = format!(
        "POST /api/v1{} HTTP/1.1\r\nhost: a\r\nreferer: {REFERRER}\r\ncontent-type: multipart/form-data; boundary=b\r\n\
         expect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        unsigned.path, 50_000_000
    );

    // With 48 of 1,024 units each, they take the three quarters of a tenant.
    let mut slow = Vec::new();
    for _ in 0..16 {
        let mut connection = RawConnection::connect(&url).await;
        connection.send(&head).await;
        connection.expect_continue().await;
        slow.push(connection);
    }

    let keyed = tokio::time::timeout(seconds(10), acme.upload(PHOTO).send()).await;
    keyed.expect("no waiting").expect_created();
}

/// Numbers of stored file records and objects.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) records: usize,
    pub(super) objects: usize,
}

pub(super) async fn count_stored(stack: &Stack) -> Stored {
    let dump = stack.dump().await;
    let records = dump
        .items
        .keys()
        .filter(|key| key.sort.starts_with(keys::FILES))
        .count();

    Stored {
        records,
        objects: dump.objects.len(),
    }
}

#[stack_test]
async fn concurrent_uploads_never_exceed_hourly_limit(stack: &Stack) {
    const LIMIT: usize = 7;

    let acme = stack.space("Acme").await;
    let unsigned = UnsignedConfig::with_hourly_limit(stack, &acme, "open", 7).await;
    let other = UnsignedConfig::with_hourly_limit(stack, &acme, "other", 1).await;

    for _ in 0..2 {
        let before = count_stored(stack).await;
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
        assert_eq!(
            count_stored(stack).await,
            Stored {
                records: before.records + LIMIT,
                objects: before.objects + LIMIT
            },
            "rejected uploads store nothing"
        );
        assert_eq!(
            stack.dump().await.files_with_bytes().len(),
            before.records + LIMIT
        );
        stack.clock.advance(seconds(left - 1));
        assert_limited(unsigned.send().await, 1);
        stack.clock.advance(seconds(1));
    }

    // Each config has a separate limit, and uploads with a key have none.
    other.send().await.expect_created();
    assert_limited(other.send().await, left_seconds(stack, HOUR_MS));

    acme.upload(PHOTO).with_config("other").await;
}

#[stack_test]
async fn upload_over_hourly_limit_is_not_read(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    unsigned.send().await.expect_created();

    let left = left_seconds(stack, HOUR_MS);
    assert_limited(
        unsigned.send_form(Form::new().text("no", "file")).await,
        left,
    );
    assert_limited(unsigned.presign(json!({"size": 0})).await, left);

    let url = stack.local.api_url();
    let head = format!(
        "POST /api/v1{} HTTP/1.1\r\nhost: {}\r\nreferer: {REFERRER}\r\n\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: 1000000\r\n\r\n",
        unsigned.path,
        authority(url)
    );

    // The response arrives before the body is sent.
    assert_limited(
        RawConnection::request(url, head)
            .await
            .expect("a response before the body"),
        left,
    );

    // Disallowed referrers still get a 403.
    unsigned
        .send_with(b"https://evil.org/", &[], form(photo()))
        .await
        .expect_error(403);
}

#[stack_test]
async fn hourly_limit_returns_429_with_own_rate_limit_headers(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    let accepted = unsigned.send().await.expect_status(201);
    assert_eq!(
        accepted.header("ratelimit-policy"),
        "\"unsigned\";q=300;w=60"
    );

    let left = left_seconds(stack, HOUR_MS);
    let hour = stack.now().ms() / HOUR_MS + 1;

    let without_reading_body = unsigned.send_form(Form::new().text("no", "file")).await;
    let by_transaction = unsigned.send_with_key("order 7", form(photo())).await;

    for response in [without_reading_body, by_transaction] {
        for (name, value) in [
            ("x-ratelimit-limit", "1".to_owned()),
            ("x-ratelimit-remaining", "0".to_owned()),
            ("x-ratelimit-reset", (hour * HOUR_MS / 1_000).to_string()),
            (
                "ratelimit-policy",
                "\"unsigned-hourly\";q=1;w=3600".to_owned(),
            ),
            ("ratelimit", format!("\"unsigned-hourly\";r=0;t={left}")),
        ] {
            assert_eq!(response.header(name), value, "{name}");
        }
        assert_limited(response, left);
    }
}

#[stack_test]
async fn rejected_upload_does_not_count(stack: &Stack, acme: &TestSpace) {
    let own = json!({"storage": {"generate_filename": false, "unique_filename": false}});
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": false, "max_uploads_per_hour": 2});
    let more = json!({"unsigned_restrictions": restrictions, "config": own});
    let unsigned = UnsignedConfig::new(stack, acme, "open", more).await;

    unsigned.send().await.expect_created();
    for _ in 0..2 {
        unsigned
            .send_form(Form::new().text("no", "file"))
            .await
            .expect_error(422);
        unsigned
            .send_form(form(file("a.exe", "image/jpeg", PHOTO)))
            .await
            .expect_error(422);
        unsigned.presign(json!({"size": 0})).await.expect_error(422);
        unsigned
            .send_with(b"https://evil.org/", &[], form(photo()))
            .await
            .expect_error(403);
        // The name is taken.
        unsigned.send().await.expect_error(409);
    }

    unsigned
        .send_form(form(file("other.jpg", "image/jpeg", PHOTO)))
        .await
        .expect_created();
    assert_limited(unsigned.send().await, left_seconds(stack, HOUR_MS));
    assert_eq!(
        count_stored(stack).await,
        Stored {
            records: 2,
            objects: 2
        }
    );
}

#[stack_test(options = StackOptions::default().with_parameters(&[("UnsignedRequestsPerMinute", "3")]))]
async fn requests_per_ip_and_config_are_limited_per_minute(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let unsigned = UnsignedConfig::new(stack, &acme, "open", json!({})).await;
    let other = UnsignedConfig::new(stack, &acme, "other", json!({})).await;

    for remaining in ["2", "1", "0"] {
        let response = unsigned.send().await.expect_status(201);
        let reported = [
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "ratelimit-policy",
        ]
        .map(|name| response.header(name));
        assert_eq!(reported, ["3", remaining, "\"unsigned\";q=3;w=60"]);
    }

    let left = left_seconds(stack, MINUTE_MS);
    assert_limited(unsigned.send().await, left);
    assert_limited(unsigned.presign(json!({})).await, left);
    assert_limited(
        unsigned.send_form(Form::new().text("no", "file")).await,
        left,
    );

    for header in [
        "x-forwarded-for",
        "x-real-ip",
        "forwarded",
        "cf-connecting-ip",
        "true-client-ip",
    ] {
        let value = if header == "forwarded" {
            "for=203.0.113.7"
        } else {
            "203.0.113.7"
        };
        assert_limited(
            unsigned
                .send_with(REFERRER.as_bytes(), &[(header, value)], form(photo()))
                .await,
            left,
        );
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
