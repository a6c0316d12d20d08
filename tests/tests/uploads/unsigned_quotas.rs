//! Hourly quotas of unsigned uploads: the share of one address, and presigned uploads, which count
//! when they are confirmed.

use futures::future::join_all;
use serde_json::json;
use tests::{PHOTO, Response, Stack, TestSpace, minutes, seconds, stack_test};

use super::{
    presign::PendingFile,
    unsigned::{REFERRER, UnsignedConfig, restrictions},
    unsigned_limits::{HOUR_MS, assert_limited, left_seconds},
};
use crate::{jobs::confirm_check::status, support::signer::declared_photo};

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
    response
        .expect_header("retry-after", &left)
        .expect_header("x-ratelimit-limit", limit.to_string())
        .expect_header("x-ratelimit-remaining", "0")
        .expect_header("ratelimit", format!("\"{name}\";r=0;t={left}"))
        .expect_message("This address has used");
    response.expect_error(429);
}

#[track_caller]
fn assert_nothing_stored(calls: &[String]) {
    let stores = |call: &&String| call.contains("CopyObject") || call.contains("PutObject");
    assert_eq!(calls.iter().find(stores), None, "{calls:?}");
}

/// Presigns the photo, and sends its bytes to S3.
async fn presigned_with_bytes(stack: &Stack, client: &UnsignedConfig) -> PendingFile {
    let pending = client.pending(json!({})).await;
    pending.put(stack, PHOTO).await;
    pending
}

#[stack_test(undrained)]
async fn one_address_cannot_lock_out_others(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 50).await;
    let other_config = UnsignedConfig::with_hourly_limit(stack, acme, "other", 50).await;
    let attacker = unsigned.at_address(2);
    let other = unsigned.at_address(3);

    // Presigned uploads have a separate limit for each address.
    for _ in 0..PRESIGNS {
        attacker.pending(json!({})).await;
    }
    let rejected = stack.calls_of(attacker.presign(json!({}))).await;
    assert_exhausted(rejected.output, stack, "unsigned-hourly-presigns", PRESIGNS);
    let sends = |call: &String| call.contains("SendMessage");
    assert!(!rejected.calls.iter().any(sends), "{:?}", rejected.calls);
    other.pending(json!({})).await;
    other.send().await.expect_created();

    let uploads = join_all((0..20).map(|_| attacker.send())).await;
    let (accepted, rejected): (Vec<_>, Vec<_>) = uploads
        .into_iter()
        .partition(|response| response.status == 201);
    assert_eq!(accepted.len(), SHARE);
    for response in rejected {
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
        file.confirm_by_token(stack).await.expect_ok();
    }
    let over_share = pending[SHARE].confirm_by_token(stack).await;
    assert_share_exhausted(over_share, stack);

    assert_share_exhausted(attacker.send().await, stack);
    for _ in 0..SHARE {
        unsigned.send().await.expect_created();
    }

    // No address is stored with the file.
    for (key, item) in &stack.dump().await.items {
        if key.sort.starts_with(table::item_keys::FILES) {
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
        first.confirm_by_token(stack).await.expect_ok();
    }

    let left = left_seconds(stack, HOUR_MS);
    assert_limited(second.confirm_by_token(stack).await, left);
    assert_limited(unsigned.presign(json!({})).await, left);
    assert_limited(unsigned.send().await, left);
    assert_limited(second.confirm(&acme.client).await, left);
    assert_eq!(status(acme, &second).await.as_deref(), Some("pending"));

    stack.clock.advance(seconds(left));
    second.confirm_by_token(stack).await.expect_ok();
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

    let confirming = pending.iter().map(|file| file.confirm_by_token(stack));
    let (accepted, rejected): (Vec<_>, Vec<_>) = join_all(confirming)
        .await
        .into_iter()
        .partition(|response| response.status == 200);

    assert_eq!(accepted.len(), 3);
    for response in rejected {
        assert_limited(response, left_seconds(stack, HOUR_MS));
    }
    assert_eq!(stack.dump().await.files_with_bytes().len(), 3);
}

/// Runs the stack for a number of quarters of an hour.
async fn run_quarters(stack: &Stack, quarters: usize) {
    for _ in 0..quarters {
        stack.run_for(minutes(15)).await;
    }
}

/// Advances the clock to a time of the next hour at which a file can be presigned whose check,
/// after two hours, is in the same hour as the last quarter of an hour before it.
fn advance_into_next_hour(stack: &Stack) {
    let into_hour = left_seconds(stack, HOUR_MS) + 20 * 60;
    stack.clock.advance(seconds(into_hour));
}

#[stack_test]
async fn check_over_the_quota_copies_nothing(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    advance_into_next_hour(stack);
    let pending = presigned_with_bytes(stack, &unsigned).await;
    run_quarters(stack, 7).await;
    unsigned.send().await.expect_created();

    let checks = stack.calls_of(run_quarters(stack, 2)).await;

    assert_eq!(status(acme, &pending).await, None);
    assert_nothing_stored(&checks.calls);
}

#[stack_test]
async fn check_counts_and_removes_a_file_over_the_quota(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 2).await;
    advance_into_next_hour(stack);
    let first = presigned_with_bytes(stack, &unsigned).await;
    let second = presigned_with_bytes(stack, &unsigned).await;
    run_quarters(stack, 7).await;
    unsigned.send().await.expect_created();

    run_quarters(stack, 2).await;

    let left = left_seconds(stack, HOUR_MS);
    assert_limited(unsigned.send().await, left);
    let mut found = Vec::new();
    for file in [&first, &second] {
        found.extend(status(acme, file).await);
    }
    assert_eq!(found, ["active"]);
}

#[stack_test(undrained)]
async fn confirmation_counts_up_to_a_lowered_limit(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 50).await;
    let first = presigned_with_bytes(stack, &unsigned).await;
    let second = presigned_with_bytes(stack, &unsigned).await;

    let lowered = json!({"unsigned_restrictions": restrictions(Some(1))});
    acme.update_upload_config(&unsigned.config, lowered).await;

    first.confirm_by_token(stack).await.expect_ok();
    let left = left_seconds(stack, HOUR_MS);
    let rejected = stack.calls_of(second.confirm_by_token(stack)).await;
    assert_limited(rejected.output, left);
    assert_nothing_stored(&rejected.calls);
    assert_eq!(stack.dump().await.files_with_bytes().len(), 1);
}

#[stack_test(undrained)]
async fn presign_with_idempotency_key_is_refused_over_the_quota(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    let presign = async |key: &str| {
        let path = format!("{}/presign", unsigned.path);
        let request = stack.anonymous.request("POST", &path);
        let request = request.header("referer", REFERRER);
        let request = request.header("idempotency-key", key);
        stack.anonymous.send(request.json(&declared_photo())).await
    };
    let first = PendingFile::of(presign("order 7").await);
    unsigned.send().await.expect_created();

    let replay = PendingFile::of(presign("order 7").await);
    assert_eq!(replay.id(), first.id());
    let left = left_seconds(stack, HOUR_MS);
    assert_limited(presign("order 8").await, left);
}
