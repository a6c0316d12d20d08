//! The number of AWS calls of reads of spaces, keys, files and upload configs.

use std::{collections::HashSet, pin::pin};

use emulators::Hold;
use futures::future;
use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, stack_test, text};

use super::{Budget, warm};

#[stack_test]
async fn space_and_account_reads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    let account = stack.account();
    let by_key = Budget::of(stack, "spaces", &acme.client);
    let by_account = Budget::of(stack, "spaces", &account);
    let space = acme.path();
    let keys = acme.keys_path();

    by_key.get(&space, "GetItem").await;
    by_account.get(&space, "BatchGetItem").await;
    by_key.get(&keys, "GetItem, Query").await;
    by_account.get(&keys, "BatchGetItem, Query").await;
    by_key.get("/spaces", "GetItem").await;
    by_account.get("/spaces", "BatchGetItem, Query").await;
    by_key.get("/account", "BatchGetItem").await;
    by_account.get("/account", "2 BatchGetItem").await;
}

#[stack_test]
async fn file_and_upload_config_reads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    warm(stack, acme).await;
    let account = stack.account();
    let config = format!("/upload-configs/{}", text(&file["upload_config_id"]));

    for (function, path) in [("files", file.path()), ("upload-configs", &config)] {
        let by_key = Budget::of(stack, function, &acme.client);
        by_key.get(path, "BatchGetItem").await;
        let by_account = Budget::of(stack, function, &account);
        by_account.get(path, "BatchGetItem, GetItem").await;
    }
    let folder = acme.folder("Photos").await;
    let inner = acme.upload(PHOTO).into(&folder).await;
    let by_key = Budget::of(stack, "files", &acme.client);
    by_key.get(inner.path(), "2 BatchGetItem").await;
    let url = format!("{}?fields=url", inner.path());
    by_key.get(&url, "BatchGetItem").await;

    // Signing needs no call, except for the master secret of the first request.
    let sign =
        json!({"file_ids": [inner.id], "expiration_minutes": 5, "transformation": {"w": 100}});
    acme.post("/files/urls", &sign).await.expect_status(200);
    for (list, calls) in [
        ("/files", "BatchGetItem, GetItem, Query"),
        ("/files?sign_minutes=5", "BatchGetItem, GetItem, Query"),
        // The folders decide whether a URL is signed.
        (
            "/files?sign_minutes=5&fields=url",
            "BatchGetItem, GetItem, Query",
        ),
        ("/files?sign_minutes=5&fields=tags", "GetItem, Query"),
    ] {
        by_key.get(list, calls).await;
    }
    by_key
        .line(200, "POST /files/urls", sign, "BatchGetItem, GetItem")
        .await;

    let delivery = Budget::of(stack, "delivery", &stack.anonymous);
    let calls = "GetObject, TransactGetItems";
    delivery.get(file.url(), calls).await;
    let delivery = Budget::of(stack, "delivery", &acme.client);
    let calls = "GetItem, GetObject, TransactGetItems";
    delivery.get(file.url(), calls).await;
}

#[stack_test]
async fn space_and_its_list_are_read_at_the_same_time(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("outer").await;
    acme.upload(PHOTO).with_ref("cover").await;
    warm(stack, acme).await;

    // Each list, and the number of its calls that wait only for the authentication.
    for (function, path, calls) in [
        ("files", "/files", 2),
        ("files", &format!("/files?space_id={}", acme.id), 2),
        ("files", &format!("/files?folder_id={}", folder.id), 3),
        ("files", "/files/by-ref?ref=cover", 2),
        ("folders", "/folders", 2),
        ("folders", &format!("/folders?parent_id={}", folder.id), 3),
        ("upload-configs", "/upload-configs", 2),
        ("spaces", &acme.keys_path(), 2),
        ("spaces", &format!("{}/webhook-deliveries", acme.path()), 2),
    ] {
        // The first request of a function reads the master secret too.
        acme.get_ok(path).await;
        let faults = stack.local.faults();
        // All calls after the authentication are paused, so a call that waits for another is not
        // sent.
        let mut holds: Vec<Hold> = (1..=calls)
            .map(|skips| faults.hold(function, skips))
            .collect();
        let all_reached = future::join_all(holds.iter_mut().map(Hold::reached));
        let mut request = pin!(acme.get(path));

        tokio::select! {
            _ = all_reached => {}
            response = &mut request => panic!("{path}: {}", response.status),
        }
        // The SDK repeats a call that takes too long.
        let operations: HashSet<_> = holds.iter().filter_map(Hold::operation).collect();
        assert_eq!(operations.len(), holds.len(), "{path}: {operations:?}");

        holds.into_iter().for_each(Hold::release);
        request.await.expect_ok();
    }
}
