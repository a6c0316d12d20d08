//! The number of AWS calls of requests that concern keys, uploads and deletions.

use reqwest::{RequestBuilder, multipart::Form};
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, file, minutes, stack_test};

use super::{Budget, warm};

/// Returns an upload of photos.
fn upload(budget: Budget<'_>, acme: &TestSpace, count: usize) -> RequestBuilder {
    let form = Form::new().text("space", acme.handle.clone());
    let form = (0..count).fold(form, |form, _| {
        form.part("files", file("a.jpg", "image/jpeg", PHOTO))
    });
    budget.client.request("POST", "/upload").multipart(form)
}

#[stack_test]
async fn uploads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    let account = stack.account();
    let by_key = Budget::of(stack, "uploads", &acme.client);
    let by_account = Budget::of(stack, "uploads", &account);
    let photos = |count| upload(by_key, acme, count);

    // The first upload looks up the active config. Later ones read it together with the space,
    // which is read again after the files are stored.
    let first = "BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems";
    by_key.send(201, photos(1), first).await;
    let one = "2 BatchGetItem, PutObject, SendMessageBatch, TransactWriteItems";
    by_key.send(201, photos(1), one).await;
    let ten = "2 BatchGetItem, 10 PutObject, SendMessageBatch, TransactWriteItems";
    by_key.send(201, photos(10), ten).await;
    by_key.send(422, photos(0), "BatchGetItem").await;

    // The id of the space is looked up by its handle; the space is read with the membership.
    let looked_up = "2 BatchGetItem, 2 GetItem, PutObject, SendMessageBatch, TransactWriteItems";
    let photo = upload(by_account, acme, 1);
    by_account.send(201, photo, looked_up).await;

    let named = |count| photos(count).header("idempotency-key", "one");
    let claimed = "2 BatchGetItem, 10 PutObject, SendMessageBatch, TransactWriteItems, UpdateItem";
    by_key.send(201, named(10), claimed).await;
    let replayed = "BatchGetItem, UpdateItem";
    by_key.send(201, named(10), replayed).await;
    by_key.send(422, named(1), replayed).await;
}

#[stack_test]
async fn idempotency_key_takes_one_more_call(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    let account = stack.account();
    let by_key = Budget::of(stack, "spaces", &acme.client);
    let by_account = Budget::of(stack, "spaces", &account);

    for (budget, path, authorization, creation, claimed_creation) in [
        (
            by_account,
            "/spaces",
            "",
            "TransactWriteItems",
            "TransactWriteItems, UpdateItem",
        ),
        (
            by_key,
            &acme.keys_path(),
            "GetItem, ",
            "TransactWriteItems, UpdateItem",
            "TransactWriteItems, 2 UpdateItem",
        ),
        (
            by_account,
            "/account/api-keys",
            "",
            "TransactWriteItems, UpdateItem",
            "TransactWriteItems, 2 UpdateItem",
        ),
    ] {
        let create = |name: Value| budget.request("POST", path, &json!({ "name": name }));
        let claim = |key: &str, name: Value| create(name).header("idempotency-key", key);
        let authorized = |calls: &str| format!("{authorization}{calls}");

        budget
            .send(201, create(json!("one")), &authorized(creation))
            .await;
        let claimed = authorized(claimed_creation);
        budget.send(201, claim("a", json!("two")), &claimed).await;
        // A replay, and another payload.
        let seen = authorized("UpdateItem");
        budget.send(201, claim("a", json!("two")), &seen).await;
        budget.send(422, claim("a", json!("six")), &seen).await;
        // A failed request releases its reservation.
        let released = format!("DeleteItem, {seen}");
        budget.send(422, claim("b", json!(5)), &released).await;
    }
}

#[stack_test(undrained)]
async fn deletions_stay_within_call_budget(
    stack: &Stack,
    full: &TestSpace,
    empty: &TestSpace,
    forced: &TestSpace,
) {
    full.upload(PHOTO).await;
    for tenant in [full, empty, forced] {
        warm(stack, tenant).await;
    }
    let assert = async |tenant: &TestSpace, force: &str, status, calls: &str| {
        let path = format!("/spaces?id={}{force}", tenant.id);
        let request = tenant.request("DELETE", &path);
        let budget = Budget::of(stack, "spaces", &tenant.client);
        budget.send(status, request, calls).await;
    };

    assert(full, "", 409, "GetItem, Query").await;
    // The last query and the batch delete the keys of the space.
    let looks_twice = "BatchWriteItem, GetItem, 3 Query, SendMessageBatch, 2 TransactWriteItems";
    assert(empty, "", 204, looks_twice).await;
    let at_once = "BatchWriteItem, GetItem, Query, SendMessageBatch, TransactWriteItems";
    assert(forced, "&force=true", 202, at_once).await;
    // The purge is not due, since the clock is stopped.
}

#[stack_test]
async fn last_used_update_takes_two_writes_per_minute(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    stack.clock.advance(minutes(1));

    let budget = Budget::of(stack, "spaces", &acme.client);
    budget.get(&acme.path(), "GetItem, 2 UpdateItem").await;
    budget.get(&acme.path(), "GetItem").await;
}

#[stack_test]
async fn rejected_request_stays_within_call_budget(stack: &Stack) {
    let malformed = stack.anonymous.with_key("sk_malformed");
    let run = stack.calls_of(malformed.get("/spaces/x")).await;
    assert_eq!(run.calls, [""; 0]);

    let cdn = stack.local.cdn_url().trim_start_matches("http://");
    let rejected = crate::delivery::originals::raw_status(cdn, "/acme01/../b");
    let run = stack.calls_of(rejected).await;
    assert_eq!((run.output, run.calls.len()), (400, 0));
}
