//! Requests with an `Idempotency-Key` that fail, or whose function dies, at any call.

use std::pin::pin;

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use serde_json::{Value, json};
use table::keys::{self, Key};
use tests::{DYNAMODB_ATTEMPTS, Dump, Response, Stack, TestSpace, seconds, stack_test};

use crate::routes::creations::{Creation, assert_first, assert_replay, creations};

/// Attempts of an AWS call.
const ATTEMPTS: u32 = DYNAMODB_ATTEMPTS;
/// Attempts of a transaction that conflicts.
const CONFLICT_TRIES: u32 = 8;

fn claims(dump: &Dump) -> Vec<&Value> {
    dump.items_with_prefix(keys::IDEMPOTENCY_RESERVATIONS)
        .collect()
}

/// Asserts a 503 with `Retry-After`.
#[track_caller]
fn assert_busy(response: &Response) {
    response.clone().expect_busy();
}

/// Leaves a reservation behind, as a function that dies does.
fn die_without_release(stack: &Stack) {
    stack.local.faults().fail(
        DynamoDb,
        "DeleteItem",
        ATTEMPTS,
        InjectedError::new(500, "InternalServerError"),
    );
}

/// Plans failures of the next transactions.
fn fail_transactions(stack: &Stack, times: u32) {
    stack.local.faults().fail(
        DynamoDb,
        "TransactWriteItems",
        times,
        InjectedError::new(500, "InternalServerError"),
    );
}

/// Waits until the reservation of a dead request expires.
async fn outlast_lease(stack: &Stack, creation: &Creation) {
    let in_progress = creation.send("one").await;
    assert!(in_progress.expect_error(409)["idempotency_key"].is_array());
    stack.clock.advance(seconds(60));
}

/// Returns the id of the first created record of a response.
fn first_id(response: &Response) -> Value {
    let body = response.json();
    let data = &body["data"];
    data.get(0).unwrap_or(data)["id"].clone()
}

/// Asserts that the request took effect once: the stored response is replayed, and nothing is left
/// over.
async fn assert_one_effect(stack: &Stack, creation: &Creation, first: &Response, before: &Dump) {
    assert_replay(&creation.send("one").await, first);

    let after = stack.dump().await;
    let added = |beginning: &str| {
        after.items_with_prefix(beginning).count() - before.items_with_prefix(beginning).count()
    };
    let body = first.json();
    let files = match &body["data"] {
        Value::Array(files) => files.len(),
        data => usize::from(data.get("storage_path").is_some()),
    };

    // A function that died may leave bytes without a record, which the sweep deletes.
    assert_eq!(
        after.files_with_bytes().len() - before.files_with_bytes().len(),
        files
    );
    assert_eq!(
        (added(keys::PATHS), added(keys::FILE_LOOKUPS)),
        (files, files)
    );
    assert_eq!(
        added(keys::HANDLES),
        usize::from(body["data"].get("handle").is_some())
    );
    assert_eq!(
        added(keys::AUTHENTICATED_KEYS),
        usize::from(body["data"].get("last_four").is_some())
    );
    assert_eq!(claims(&after).len() - claims(before).len(), 1);

    for file in body["data"].as_array().into_iter().flatten() {
        let path = format!("/files/{}", file["id"].as_str().expect("an id"));
        let stored = stack.account().get_ok(&path).await;
        assert_eq!(&stored, file);
    }
}

#[stack_test]
async fn only_successful_responses_are_stored(stack: &Stack, acme: &TestSpace) {
    let keys = acme.keys_path();
    let named = |path: &str, body: Value| Creation::json(&stack.account(), path, body);
    let before = stack.dump().await;
    named(&keys, json!({"name": 5}))
        .send("one")
        .await
        .expect_error(422);
    named(&keys, json!({"name": "web", "role": "emperor"}))
        .send("one")
        .await
        .expect_error(422);
    named("/spaces", json!({"name": "ACME"}))
        .send("one")
        .await
        .expect_error(422);
    named(
        "/spaces/01JCQZ4XK8V9W7Y6T5S4R3Q2P1/api-keys",
        json!({"name": "x"}),
    )
    .send("one")
    .await
    .expect_error(404);
    stack.local.faults().fail(
        DynamoDb,
        "TransactWriteItems",
        1,
        InjectedError::new(400, "ValidationException"),
    );
    named("/account/api-keys", json!({"name": "web"}))
        .send("one")
        .await
        .expect_error(500);
    Creation::upload(&acme.client, acme, &["other"])
        .send("one")
        .await
        .expect_error(422);
    Creation::upload(&acme.client, acme, &["file", "file"])
        .send("one")
        .await
        .expect_error(422);
    let mut after = stack.dump().await;
    // The id of a key that was not created is skipped.
    let counter = Key::last_api_key();
    after
        .items
        .insert(counter.clone(), before.items[&counter].clone());
    after.assert_unchanged(&before, "requests that failed");

    for creation in creations(stack, acme) {
        let first = assert_first(creation.send("one").await);
        assert_replay(&creation.send("one").await, &first);
    }
}

#[stack_test]
async fn failed_request_releases_its_key(stack: &Stack, acme: &TestSpace) {
    for creation in creations(stack, acme) {
        let before = stack.dump().await;
        fail_transactions(stack, ATTEMPTS);
        assert_busy(&creation.send("one").await);
        stack.local.faults().fail(
            DynamoDb,
            "TransactWriteItems",
            CONFLICT_TRIES,
            InjectedError::new(400, "TransactionConflict"),
        );
        assert_busy(&creation.send("one").await);
        assert_eq!(claims(&stack.dump().await).len(), claims(&before).len());
        assert_eq!(stack.dump().await.objects, before.objects);
        let first = assert_first(creation.send("one").await);
        assert_replay(&creation.send("one").await, &first);
    }
}

#[stack_test]
async fn retry_after_lost_responses_returns_first_effect(stack: &Stack, acme: &TestSpace) {
    for creation in creations(stack, acme) {
        let before = stack.dump().await;
        stack
            .local
            .faults()
            .lose_response(DynamoDb, "TransactWriteItems", ATTEMPTS);
        let lost = creation.send("one").await;
        // An upload resolves an unknown commit itself; other requests are sent again.
        let first = if lost.status == 201 {
            assert_first(lost)
        } else {
            assert_busy(&lost);
            let found = creation.send("one").await;
            assert_eq!(
                found.header("idempotent-replayed"),
                "true",
                "{}",
                found.request
            );
            found.expect_status(201)
        };
        assert_one_effect(stack, &creation, &first, &before).await;
    }
}

#[stack_test]
async fn lost_response_of_reservation_is_recognized_as_own(stack: &Stack, acme: &TestSpace) {
    acme.get_ok(&acme.path()).await;

    for creation in creations(stack, acme) {
        let before = stack.dump().await;
        // The first update counts the request, the second reserves the key.
        stack.local.faults().skip(DynamoDb, "UpdateItem", 1);
        stack
            .local
            .faults()
            .lose_response(DynamoDb, "UpdateItem", ATTEMPTS - 1);
        let first = assert_first(creation.send("one").await);
        assert_one_effect(stack, &creation, &first, &before).await;
    }
}

#[stack_test]
async fn retry_after_crash_repeats_request_with_same_ids(stack: &Stack, acme: &TestSpace) {
    for creation in creations(stack, acme) {
        let before = stack.dump().await;
        // An upload tries to resolve the commit, and dies there too: its objects stay behind.
        fail_transactions(
            stack,
            if creation.path() == "/upload" {
                2 * ATTEMPTS
            } else {
                ATTEMPTS
            },
        );
        die_without_release(stack);
        assert_busy(&creation.send("one").await);
        let remaining = stack.dump().await;
        assert_eq!(
            claims(&remaining).len(),
            claims(&before).len() + 1,
            "{}",
            creation.path()
        );
        let chosen: Vec<_> = claims(&remaining)
            .iter()
            .map(|claim| claim["ids"].clone())
            .collect();

        outlast_lease(stack, &creation).await;
        let first = assert_first(creation.send("one").await);
        if first.json()["data"].get("last_four").is_none() {
            assert!(
                chosen.contains(&first_id(&first)),
                "{chosen:?} {}",
                first.json()
            );
        }
        assert_one_effect(stack, &creation, &first, &before).await;
    }
}

#[stack_test]
async fn request_taken_over_at_any_call_has_one_effect(stack: &Stack) {
    /// More calls than an upload makes.
    const CALLS_MAX: u32 = 20;
    let mut calls = 0;
    loop {
        let acme = stack.space(&format!("Acme {calls}")).await;
        let creation = Creation::upload(&acme.client, &acme, &["files", "files"]);
        let before = stack.dump().await;
        let mut hold = stack.local.faults().hold("uploads", calls);
        let mut slow = pin!(creation.send("one"));
        let is_held = tokio::select! {
            response = &mut slow => {
                assert_first(response);
                false
            }
            () = hold.reached() => true,
        };
        if !is_held {
            break;
        }

        stack.clock.advance(seconds(61));
        let fast = creation.send("one").await.expect_status(201);
        hold.release();
        let slow = slow.await;
        if slow.status == 201 {
            assert_eq!(slow.body, fast.body, "before call {calls}");
        } else {
            assert_busy(&slow);
        }
        let fast = if fast.header("idempotent-replayed") == "true" {
            slow
        } else {
            fast
        };
        assert_one_effect(stack, &creation, &fast, &before).await;
        calls += 1;
        assert!(calls < CALLS_MAX);
    }
    assert!(calls > 6, "only {calls} calls");
}

#[stack_test]
async fn abandoned_upload_can_be_retried(stack: &Stack, acme: &TestSpace) {
    for creation in creations(stack, acme)
        .into_iter()
        .filter(|creation| creation.path() == "/upload")
    {
        let before = stack.dump().await;
        fail_transactions(stack, ATTEMPTS);
        die_without_release(stack);
        assert_busy(&creation.send("one").await);
        assert_eq!(
            stack.dump().await.objects,
            before.objects,
            "an abandoned upload leaves nothing"
        );
        stack.clock.advance(seconds(36));
        let first = assert_first(creation.send("one").await);
        assert_replay(&creation.send("one").await, &first);
        let created_count = first.json()["data"].as_array().map_or(1, Vec::len);
        assert_eq!(
            stack.dump().await.objects.len(),
            before.objects.len() + created_count
        );
    }
}

#[stack_test]
async fn upload_that_failed_in_storage_can_be_retried(stack: &Stack, acme: &TestSpace) {
    let creation = Creation::upload(&acme.client, acme, &["files", "files", "files"]);
    let before = stack.dump().await;
    stack.local.faults().fail(
        S3,
        "PutObject",
        1,
        InjectedError::new(400, "InvalidRequest"),
    );
    creation.send("one").await.expect_error(500);
    stack
        .dump()
        .await
        .assert_unchanged(&before, "a refused upload");

    let first = assert_first(creation.send("one").await);
    assert_one_effect(stack, &creation, &first, &before).await;
}

#[stack_test]
async fn crashed_request_holds_its_key_until_lease_ends(stack: &Stack, acme: &TestSpace) {
    let keys = acme.keys_path();
    let creation = |name: &str| Creation::json(&acme.client, &keys, json!({"name": name}));
    fail_transactions(stack, ATTEMPTS);
    die_without_release(stack);
    assert_busy(&creation("web").send("one").await);
    for _ in 0..2 {
        creation("web").send("one").await.expect_error(409);
        assert!(creation("api").send("one").await.expect_error(422)["idempotency_key"].is_array());
        stack.clock.advance(seconds(17));
    }

    outlast_lease(stack, &creation("web")).await;
    assert_first(creation("web").send("one").await);

    let listed = acme.fetch(&keys).await.json();
    assert_eq!(
        listed["data"].as_array().map(Vec::len),
        Some(2),
        "the owner's key and this one"
    );
}
