//! Requests with an `Idempotency-Key` that fail, or whose function dies, at any call.

use std::pin::pin;

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use serde_json::{Value, json};
use table::item_keys::{self, Key};
use tests::{
    DYNAMODB_ATTEMPTS, Dump, Response, Stack, TestSpace, UNKNOWN_ID, column, file_path, seconds,
    stack_test,
};

use crate::routes::creations::{Creation, assert_first, assert_replay, creations};

/// Attempts of an AWS call.
const ATTEMPTS: u32 = DYNAMODB_ATTEMPTS;
/// Attempts of a transaction that conflicts.
const CONFLICT_TRIES: u32 = 8;

fn claims(dump: &Dump) -> Vec<&Value> {
    dump.items_with_prefix(item_keys::IDEMPOTENCY_RESERVATIONS)
        .collect()
}

/// Asserts a 503 with `Retry-After`.
#[track_caller]
fn assert_busy(response: &Response) {
    response.clone().expect_busy();
}

/// Plans failures of the next calls of an operation of DynamoDB.
fn fail(stack: &Stack, operation: &str, times: u32) {
    let error = InjectedError::new(500, "InternalServerError");
    stack.local.faults().fail(DynamoDb, operation, times, error);
}

/// Lets a request fail, and leaves its reservation behind, as a function that dies does.
async fn die(stack: &Stack, creation: &Creation, failures: u32) {
    fail(stack, "TransactWriteItems", failures);
    fail(stack, "DeleteItem", ATTEMPTS);
    assert_busy(&creation.send("one").await);
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
    let stored = after.files_with_bytes().len() - before.files_with_bytes().len();
    let has = |field: &str| usize::from(body["data"].get(field).is_some());
    assert_eq!(stored, files);
    assert_eq!(added(item_keys::PATHS), files);
    assert_eq!(added(item_keys::FILE_LOOKUPS), files);
    assert_eq!(added(item_keys::HANDLES), has("handle"));
    assert_eq!(added(item_keys::AUTHENTICATED_KEYS), has("last_four"));
    assert_eq!(claims(&after).len() - claims(before).len(), 1);

    for file in body["data"].as_array().into_iter().flatten() {
        let stored = stack.account().get_ok(&file_path(file)).await;
        assert_eq!(&stored, file);
    }
}

#[stack_test]
async fn only_successful_responses_are_stored(stack: &Stack, acme: &TestSpace) {
    let keys = acme.keys_path();
    let unknown = format!("/spaces/{UNKNOWN_ID}/api-keys");
    let named = |path: &str, body: Value| Creation::json(&stack.account(), path, body);
    let before = stack.dump().await;
    let error = InjectedError::new(400, "ValidationException");
    let faults = stack.local.faults();
    faults.fail(DynamoDb, "TransactWriteItems", 1, error);
    for (creation, status) in [
        (named("/account/api-keys", json!({"name": "web"})), 500),
        (named("/spaces", json!({"name": "ACME"})), 422),
        (named(&keys, json!({"name": 5})), 422),
        (named(&keys, json!({"name": "web", "role": "emperor"})), 422),
        (named(&unknown, json!({"name": "x"})), 404),
        (Creation::upload(acme, acme, &["other"]), 422),
        (Creation::upload(acme, acme, &["file", "file"]), 422),
    ] {
        creation.send("one").await.expect_error(status);
    }
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
        fail(stack, "TransactWriteItems", ATTEMPTS);
        assert_busy(&creation.send("one").await);
        let conflict = InjectedError::new(400, "TransactionConflict");
        let faults = stack.local.faults();
        faults.fail(DynamoDb, "TransactWriteItems", CONFLICT_TRIES, conflict);
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
        let faults = stack.local.faults();
        faults.lose_response(DynamoDb, "TransactWriteItems", ATTEMPTS);
        let lost = creation.send("one").await;

        // An upload resolves an unknown commit itself; other requests are sent again.
        let first = if lost.status == 201 {
            assert_first(lost)
        } else {
            assert_busy(&lost);
            let found = creation.send("one").await;
            found.expect_header("idempotent-replayed", "true");
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
        let faults = stack.local.faults();
        faults.skip(DynamoDb, "UpdateItem", 1);
        faults.lose_response(DynamoDb, "UpdateItem", ATTEMPTS - 1);
        let first = assert_first(creation.send("one").await);
        assert_one_effect(stack, &creation, &first, &before).await;
    }
}

#[stack_test]
async fn retry_after_crash_repeats_request_with_same_ids(stack: &Stack, acme: &TestSpace) {
    for creation in creations(stack, acme) {
        let before = stack.dump().await;
        // An upload tries to resolve the commit, and dies there too: its objects stay behind.
        let commits = if creation.path() == "/upload" { 2 } else { 1 };
        die(stack, &creation, commits * ATTEMPTS).await;
        let left = stack.dump().await;
        assert_eq!(claims(&left).len(), claims(&before).len() + 1);
        let ids = claims(&left).into_iter().map(|claim| &claim["ids"]);
        let chosen: Vec<&Value> = ids.collect();

        outlast_lease(stack, &creation).await;
        let first = assert_first(creation.send("one").await);
        if first.json()["data"].get("last_four").is_none() {
            assert!(chosen.contains(&&first_id(&first)), "{chosen:?}");
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
        let creation = Creation::upload(&acme, &acme, &["files", "files"]);
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
    let mut uploads = creations(stack, acme);
    uploads.retain(|creation| creation.path() == "/upload");
    for creation in uploads {
        let before = stack.dump().await;
        die(stack, &creation, ATTEMPTS).await;
        assert_eq!(stack.dump().await.objects, before.objects);
        stack.clock.advance(seconds(36));
        let first = assert_first(creation.send("one").await);
        assert_replay(&creation.send("one").await, &first);
        let created = first.json()["data"].as_array().map_or(1, Vec::len);
        let objects = stack.dump().await.objects.len();
        assert_eq!(objects, before.objects.len() + created);
    }
}

#[stack_test]
async fn upload_that_failed_in_storage_can_be_retried(stack: &Stack, acme: &TestSpace) {
    let creation = Creation::upload(acme, acme, &["files", "files", "files"]);
    let before = stack.dump().await;
    let error = InjectedError::new(400, "InvalidRequest");
    stack.local.faults().fail(S3, "PutObject", 1, error);
    creation.send("one").await.expect_error(500);
    stack.assert_unchanged(&before, "a refused upload").await;

    let first = assert_first(creation.send("one").await);
    assert_one_effect(stack, &creation, &first, &before).await;
}

#[stack_test]
async fn crashed_request_holds_its_key_until_lease_ends(stack: &Stack, acme: &TestSpace) {
    let keys = acme.keys_path();
    let creation = |name: &str| Creation::json(acme, &keys, json!({"name": name}));
    die(stack, &creation("web"), ATTEMPTS).await;
    for _ in 0..2 {
        creation("web").send("one").await.expect_error(409);
        let errors = creation("api").send("one").await.expect_error(422);
        assert!(errors["idempotency_key"].is_array());
        stack.clock.advance(seconds(17));
    }

    outlast_lease(stack, &creation("web")).await;
    assert_first(creation("web").send("one").await);

    // The owner's key, and this one.
    let listed = acme.get_ok(&keys).await;
    assert_eq!(column(&listed, "id").len(), 2);
}
