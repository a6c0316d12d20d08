//! `Idempotency-Key` of uploads on every route.

use futures::future::join_all;
use serde_json::{Value, json};
use table::item_keys;
use tests::{Dump, PHOTO, Stack, TestSpace, assert_fields, stack_test, text};

use super::{
    presign::PendingFile,
    routes::{PRESIGNED, ROUTES, Uploads},
    unsigned::{UnsignedConfig, form},
    unsigned_limits::{HOUR_MS, assert_limited, assert_stored, left_seconds},
};
use crate::{
    routes::creations::{assert_first, assert_payload_mismatch, assert_replay},
    support::signer::{Parameters, Signer, photo, query},
};

#[stack_test(undrained)]
async fn replayed_upload_returns_same_file_on_every_route(stack: &Stack) {
    // Its bytes are not those of the request.
    let webp = json!({"transformations": {"upload_format": "webp"}});
    let uploads = Uploads::new(stack, webp).await;
    let mut ids = Vec::new();

    for route in ROUTES {
        let photo = uploads.photo(route);
        let first = assert_first(photo.clone().once("order 7").send().await);
        let before = uploads.stored().await;

        for _ in 0..2 {
            let again = photo.clone().once(" order 7 ").send().await;
            if PRESIGNED.contains(&route) {
                assert_eq!(again.header("idempotent-replayed"), "true");
                let [first, again] = [first.clone(), again].map(PendingFile::of);
                let same = ["file_id", "object_key", "confirm_token"];
                let same = same.map(|name| (name, first.response[name].clone()));
                assert_fields(&again.response, same.into_iter().collect());
            } else {
                assert_replay(&again, &first);
            }
        }
        let renamed = uploads.file(route, "b.jpg", "image/jpeg", PHOTO);
        for changed in [photo.clone().with(&[("ref", "x")]), renamed] {
            assert_payload_mismatch(changed.once("order 7").send().await);
        }
        let blank = photo.clone().once("").send().await.expect_error(422);
        assert!(blank["idempotency_key"].is_array(), "{blank}");
        uploads.assert_unchanged(&before, "replayed uploads").await;

        let other = assert_first(photo.once("order 8").send().await);
        for response in [first, other] {
            ids.push(text(&uploads.record(response).await["id"]));
        }
    }

    // The idempotency key is scoped to the route.
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 2 * ROUTES.len());
}

/// Asserts that no item of the table contains one of these texts.
fn assert_not_stored(dump: &Dump, prefix: &str, texts: &[&str]) {
    for (key, item) in &dump.items {
        let stored = format!("{key:?} {item}");
        let is_found = texts.iter().any(|text| stored.contains(text));
        assert!(!key.partition.starts_with(prefix) || !is_found, "{stored}");
    }
}

#[stack_test]
async fn idempotency_key_is_scoped_to_signed_url(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let complete = signer.signed(signer.parameters(stack));
    let reversed: Parameters = complete.iter().rev().cloned().collect();
    let one = query(&complete);
    let other = signer.query_with(stack, "filename", "photo.jpg");
    let upload = async |query: &str, key: &str| {
        let path = format!("/upload/signed?{query}");
        let request = stack.anonymous.request("POST", &path);
        let request = request.header("idempotency-key", key);
        let form = signer.form(photo());
        stack.anonymous.send(request.multipart(form)).await
    };

    let first = assert_first(upload(&one, "order 7").await);
    assert_replay(&upload(&query(&reversed), "order 7").await, &first);
    let second = assert_first(upload(&other, "order 7").await);
    assert_replay(&upload(&other, "order 7").await, &second);
    assert!(first.body != second.body);

    // A replay succeeds although a new upload would be rejected.
    let small = json!({"config": {"validation": {"max_file_size": 10}}});
    let acme = &signer.acme;
    acme.update_upload_config(&signer.config, small).await;
    upload(&one, "order 8").await.expect_error(422);
    assert_replay(&upload(&one, "order 7").await, &first);

    let dump = stack.dump().await;
    assert_eq!((dump.objects.len(), dump.files_with_bytes().len()), (2, 2));
    let signature = &complete.last().expect("the signature").1;
    assert_not_stored(&dump, "", &[signature, &signer.secret]);
}

#[stack_test]
async fn idempotency_key_is_scoped_to_ip_and_config_and_counts_once(
    stack: &Stack,
    acme: &TestSpace,
) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 3).await;
    let other = UnsignedConfig::new(stack, acme, "other", json!({})).await;
    let upload =
        async |config: &UnsignedConfig, key: &str| config.send_with_key(key, form(photo())).await;

    let first = assert_first(upload(&unsigned, "order 7").await);
    assert_replay(&upload(&unsigned, "order 7").await, &first);
    let elsewhere = assert_first(upload(&other, "order 7").await);
    assert_ne!(elsewhere.body, first.body);
    let other_address = assert_first(upload(&unsigned.at_address(2), "order 7").await);
    assert_ne!(other_address.body, first.body);

    unsigned.send().await.expect_created();
    let left = left_seconds(stack, HOUR_MS);
    assert_limited(upload(&unsigned, "order 8").await, left);
    // The first response may have been lost.
    assert_replay(&upload(&unsigned, "order 7").await, &first);

    assert_stored(stack, 4).await;
    let plain = ["order", "photo", &acme.handle];
    let dump = stack.dump().await;
    assert_not_stored(&dump, item_keys::IDEMPOTENCY_RESERVATIONS, &plain);
}

#[stack_test]
async fn concurrent_replays_count_once(stack: &Stack, acme: &TestSpace) {
    let unsigned = UnsignedConfig::with_hourly_limit(stack, acme, "open", 2).await;
    let uploads = (0..10).map(|_| unsigned.send_with_key("order 7", form(photo())));

    let responses = join_all(uploads).await;

    let mut created: Vec<Value> = Vec::new();
    for response in responses {
        if response.status == 201 {
            created.push(response.json()["data"]["id"].clone());
        } else {
            assert!(response.expect_error(409)["idempotency_key"].is_array());
        }
    }
    created.dedup();
    assert_eq!(created.len(), 1, "{created:?}");
    assert_stored(stack, 1).await;

    unsigned.send().await.expect_created();
    let left = left_seconds(stack, HOUR_MS);
    assert_limited(unsigned.send().await, left);
}
