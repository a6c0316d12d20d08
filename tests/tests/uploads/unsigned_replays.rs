//! Idempotency keys of unsigned uploads, and their limits.

use futures::future::join_all;
use serde_json::{Value, json};
use table::keys;
use tests::{PHOTO, Stack, TestSpace, file, stack_test};

use super::unsigned::{UnsignedConfig, form, photo};
use super::unsigned_limits::{HOUR_MS, Stored, assert_limited, count_stored, left_seconds};
use crate::routes::creations::{assert_first, assert_replay};

#[stack_test]
async fn idempotency_key_is_scoped_to_ip_and_config_and_counts_once(
    stack: &Stack,
    acme: &TestSpace,
) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 3).await;
    let other = UnsignedConfig::new(stack, acme, "other", json!({})).await;
    let first = assert_first(unsigned.send_with_key("order 7", form(photo())).await);

    for _ in 0..3 {
        assert_replay(
            &unsigned.send_with_key(" order 7 ", form(photo())).await,
            &first,
        );
    }

    for changed in [
        form(photo()).text("ref", "x"),
        form(file("b.jpg", "image/jpeg", PHOTO)),
    ] {
        let errors = unsigned
            .send_with_key("order 7", changed)
            .await
            .expect_error(422);
        assert!(errors["idempotency_key"].is_array(), "{errors}");
    }

    let elsewhere = assert_first(other.send_with_key("order 7", form(photo())).await);
    assert_ne!(elsewhere.body, first.body);
    assert_first(unsigned.send_with_key("order 8", form(photo())).await);

    unsigned.send().await.expect_created();
    assert_limited(
        unsigned.send_with_key("order 9", form(photo())).await,
        left_seconds(stack, HOUR_MS),
    );

    let dump = stack.dump().await;
    assert_eq!((dump.objects.len(), dump.files_with_bytes().len()), (4, 4));

    let claims = dump
        .items
        .iter()
        .filter(|(key, _)| key.partition.starts_with(keys::IDEMPOTENCY_RESERVATIONS));

    for (key, item) in claims {
        let stored = format!("{key:?} {item}");
        assert!(
            !["order", "photo", &acme.handle]
                .iter()
                .any(|plain| stored.contains(plain)),
            "{stored}"
        );
    }
}

#[stack_test]
async fn replay_succeeds_after_hourly_limit_is_exhausted(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 1).await;
    let first = assert_first(unsigned.send_with_key("order 7", form(photo())).await);

    // The first response may have been lost.
    assert_replay(
        &unsigned.send_with_key("order 7", form(photo())).await,
        &first,
    );
    assert_limited(
        unsigned.send_with_key("order 8", form(photo())).await,
        left_seconds(stack, HOUR_MS),
    );
}

#[stack_test]
async fn concurrent_replays_count_once(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 2).await;
    let responses =
        join_all((0..10).map(|_| unsigned.send_with_key("order 7", form(photo())))).await;
    let created: Vec<Value> = responses
        .iter()
        .filter(|response| response.status == 201)
        .map(|response| response.json()["data"]["id"].clone())
        .collect();

    assert!(
        !created.is_empty() && created.iter().all(|id| *id == created[0]),
        "{created:?}"
    );

    for response in responses
        .into_iter()
        .filter(|response| response.status != 201)
    {
        assert!(response.expect_error(409)["idempotency_key"].is_array());
    }
    assert_eq!(
        count_stored(stack).await,
        Stored {
            records: 1,
            objects: 1
        }
    );

    unsigned.send().await.expect_created();
    assert_limited(unsigned.send().await, left_seconds(stack, HOUR_MS));
}
