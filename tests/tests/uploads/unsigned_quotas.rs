//! Hourly quotas of unsigned uploads: the share of one address, and presigned uploads, which count when
//! they are confirmed.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, TestSpace, minutes, seconds, stack_test, text};

use super::signed_presign::{confirm, confirmation, put};
use super::unsigned::UnsignedConfig;
use super::unsigned_limits::{HOUR_MS, assert_limited, left_seconds};

/// Uploads of one address that a small quota permits.
const SHARE: usize = 5;
/// Presigned uploads of one address that a small quota permits.
const PRESIGNS: usize = 4 * SHARE;

/// Asserts the 429 of an address whose share is used up, with the rest of the hour.
#[track_caller]
fn assert_share_exhausted(response: Response, stack: &Stack) {
    assert_exhausted(response, stack, "unsigned-hourly-client", SHARE);
}

/// Asserts the 429 of an address that has used up a separate limit.
#[track_caller]
fn assert_exhausted(response: Response, stack: &Stack, name: &str, limit: usize) {
    let left = left_seconds(stack, HOUR_MS).to_string();
    for (header, value) in [
        ("retry-after", left.clone()),
        ("x-ratelimit-limit", limit.to_string()),
        ("x-ratelimit-remaining", "0".to_owned()),
        ("ratelimit", format!("\"{name}\";r=0;t={left}")),
    ] {
        assert_eq!(response.header(header), value, "{header}");
    }
    let message = text(&response.json()["message"]);
    assert!(message.starts_with("This address has used"), "{message}");
    response.expect_error(429);
}

#[track_caller]
fn assert_nothing_stored(calls: &[String]) {
    let stores = |call: &&String| call.contains("CopyObject") || call.contains("PutObject");
    assert_eq!(calls.iter().find(stores), None, "{calls:?}");
}

/// Presigns the photo, and sends its bytes to S3.
async fn presigned_with_bytes(stack: &Stack, client: &UnsignedConfig) -> Value {
    let pending = client.presign(json!({})).await.expect_status(201).json();
    put(stack, &pending, PHOTO).await.expect_status(200);
    pending
}

/// Returns the status of the record of a file; `None` if it was removed.
async fn record_status(acme: &TestSpace, pending: &Value) -> Option<String> {
    let path = format!("/files/{}", text(&pending["file_id"]));
    let response = acme.get(&path).await;
    (response.status == 200).then(|| text(&response.json()["data"]["status"]))
}

#[stack_test(undrained)]
async fn one_address_cannot_lock_out_others(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 50).await;
    let other_config = UnsignedConfig::with_hourly_limit(stack, acme, "other", 50).await;
    let attacker = unsigned.at_address(2);
    let other = unsigned.at_address(3);

    // Presigned uploads have a separate limit for each address.
    for _ in 0..PRESIGNS {
        attacker.presign(json!({})).await.expect_status(201);
    }
    let rejected = stack.calls_of(attacker.presign(json!({}))).await;
    assert_exhausted(rejected.output, stack, "unsigned-hourly-presigns", PRESIGNS);
    let sends = |call: &String| call.contains("SendMessage");
    assert!(!rejected.calls.iter().any(sends), "{:?}", rejected.calls);
    other.presign(json!({})).await.expect_status(201);
    other.send().await.expect_created();

    let uploads = join_all((0..20).map(|_| attacker.send())).await;
    let accepted = uploads.iter().filter(|response| response.status == 201);
    assert_eq!(accepted.count(), SHARE);
    for response in uploads
        .into_iter()
        .filter(|response| response.status != 201)
    {
        assert_share_exhausted(response, stack);
    }

    assert_share_exhausted(attacker.presign(json!({})).await, stack);
    other.send().await.expect_created();
    other_config.at_address(2).send().await.expect_created();
    stack.clock.advance(seconds(left_seconds(stack, HOUR_MS)));
    attacker.send().await.expect_created();
}

#[stack_test(undrained)]
async fn confirmation_counts_for_the_address_that_presigned(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 50).await;
    let attacker = unsigned.at_address(2);
    let mut pending = Vec::new();
    for _ in 0..=SHARE {
        pending.push(presigned_with_bytes(stack, &attacker).await);
    }

    // Another address confirms.
    for file in &pending[..SHARE] {
        assert_eq!(confirm(stack, file).await.expect_ok()["status"], "active");
    }
    assert_share_exhausted(confirm(stack, &pending[SHARE]).await, stack);

    assert_share_exhausted(attacker.send().await, stack);
    for _ in 0..SHARE {
        unsigned.send().await.expect_created();
    }

    // No address is stored with the file.
    for (key, item) in &stack.dump().await.items {
        if key.sort.starts_with(table::keys::FILES) {
            assert!(!item.to_string().contains("127.0.0.2"), "{item}");
        }
    }
}

#[stack_test(undrained)]
async fn confirmation_counts_and_presign_does_not(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 2).await;
    let first = presigned_with_bytes(stack, &unsigned).await;
    let second = presigned_with_bytes(stack, &unsigned).await;
    unsigned.send().await.expect_created();

    // The second confirmation of a file does not count.
    for _ in 0..2 {
        assert_eq!(confirm(stack, &first).await.expect_ok()["status"], "active");
    }

    let left = left_seconds(stack, HOUR_MS);
    assert_limited(confirm(stack, &second).await, left);
    assert_limited(unsigned.presign(json!({})).await, left);
    assert_limited(unsigned.send().await, left);
    let by_owner = acme.post(&confirmation(&second), json!({})).await;
    assert_limited(by_owner, left);
    let status = record_status(acme, &second).await;
    assert_eq!(status.as_deref(), Some("pending"));

    stack.clock.advance(seconds(left));
    assert_eq!(
        confirm(stack, &second).await.expect_ok()["status"],
        "active"
    );
    unsigned.send().await.expect_created();
    let left = left_seconds(stack, HOUR_MS);
    assert_limited(unsigned.presign(json!({})).await, left);
}

#[stack_test(undrained)]
async fn concurrent_confirmations_never_exceed_hourly_limit(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 3).await;
    let clients = [unsigned.at_address(2), unsigned.at_address(3)];
    let mut pending = Vec::new();
    for index in 0..8 {
        pending.push(presigned_with_bytes(stack, &clients[index % 2]).await);
    }

    let confirming = pending.iter().map(|file| confirm(stack, file));
    let responses = join_all(confirming).await;

    let accepted = responses.iter().filter(|response| response.status == 200);
    assert_eq!(accepted.count(), 3);
    for response in responses
        .into_iter()
        .filter(|response| response.status != 200)
    {
        assert_limited(response, left_seconds(stack, HOUR_MS));
    }
    assert_eq!(stack.dump().await.files_with_bytes().len(), 3);
}

/// Advances the clock to a time of the next hour at which a file can be presigned whose check, after two hours,
/// is in the same hour as the last quarter of an hour before it.
fn advance_into_next_hour(stack: &Stack) {
    let into_hour = left_seconds(stack, HOUR_MS) + 20 * 60;
    stack.clock.advance(seconds(into_hour));
}

#[stack_test]
async fn check_over_the_quota_copies_nothing(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    advance_into_next_hour(stack);
    let pending = presigned_with_bytes(stack, &unsigned).await;
    for _ in 0..7 {
        stack.run_for(minutes(15)).await;
    }
    unsigned.send().await.expect_created();

    let checks = stack.calls_of(async {
        for _ in 0..2 {
            stack.run_for(minutes(15)).await;
        }
    });
    let calls = checks.await.calls;

    assert_eq!(record_status(acme, &pending).await, None);
    assert_nothing_stored(&calls);
}

#[stack_test]
async fn check_counts_and_removes_a_file_over_the_quota(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 2).await;
    advance_into_next_hour(stack);
    let first = presigned_with_bytes(stack, &unsigned).await;
    let second = presigned_with_bytes(stack, &unsigned).await;
    for _ in 0..7 {
        stack.run_for(minutes(15)).await;
    }
    unsigned.send().await.expect_created();

    for _ in 0..2 {
        stack.run_for(minutes(15)).await;
    }

    let left = left_seconds(stack, HOUR_MS);
    assert_limited(unsigned.send().await, left);
    let mut found = Vec::new();
    for pending in [&first, &second] {
        found.extend(record_status(acme, pending).await);
    }
    assert_eq!(found, ["active"]);
}

#[stack_test(undrained)]
async fn confirmation_counts_up_to_a_lowered_limit(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 50).await;
    let mut pending = Vec::new();
    for _ in 0..2 {
        pending.push(presigned_with_bytes(stack, &unsigned).await);
    }

    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": false, "max_uploads_per_hour": 1});
    let change = json!({"id": unsigned.config, "unsigned_restrictions": restrictions});
    acme.post_ok("/upload-configs/update", change).await;

    confirm(stack, &pending[0]).await.expect_ok();
    let left = left_seconds(stack, HOUR_MS);
    let rejected = stack.calls_of(confirm(stack, &pending[1])).await;
    assert_limited(rejected.output, left);
    assert_nothing_stored(&rejected.calls);
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test(undrained)]
async fn presign_with_idempotency_key_is_refused_over_the_quota(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    let presign = async |key: &str| {
        let path = format!("{}/presign", unsigned.path);
        let request = unsigned.anonymous.request("POST", &path);
        let body = json!({"filename": "a.jpg", "content_type": "image/jpeg", "size": 1});
        let request = request.header("referer", super::unsigned::REFERRER);
        let request = request.header("idempotency-key", key).json(&body);
        unsigned.anonymous.send(request).await
    };
    let first = presign("order 7").await.expect_status(201).json();
    unsigned.send().await.expect_created();

    let replay = presign("order 7").await.expect_status(201).json();
    assert_eq!(replay["file_id"], first["file_id"]);
    assert_limited(presign("order 8").await, left_seconds(stack, HOUR_MS));
}
