//! The number of AWS calls of requests that concern keys, uploads and deletions.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Observed, PHOTO, Response, Stack, TestSpace, file, minutes, stack_test};

/// Uses each key once, since recording the first use in a minute takes two more writes.
pub(super) async fn warm(stack: &Stack, acme: &TestSpace) {
    for client in [&acme.client, &stack.account()] {
        client.get_ok(&acme.path()).await;
    }
}

/// Runs a request, and returns the calls of its function without the name of the function.
pub(super) async fn cost(
    stack: &Stack,
    function: &str,
    status: u16,
    request: impl Future<Output = Response>,
) -> Vec<String> {
    let Observed {
        output: response,
        calls,
    } = stack.calls_of(request).await;
    let request_line = response.expect_status(status).request;
    let own = |call: &String| {
        call.strip_prefix(function)
            .map(|call| call.trim_start().to_owned())
    };
    let own: Option<Vec<String>> = calls.iter().map(own).collect();
    own.unwrap_or_else(|| panic!("{request_line}: {calls:?}"))
}

/// Returns sorted calls with a number of stored objects, whose jobs are sent in one call.
fn with_puts<'a>(puts: usize, others: &[&'a str]) -> Vec<&'a str> {
    let mut calls = vec!["PutObject"; puts];
    calls.push("SendMessageBatch");
    calls.extend(others);
    calls.sort_unstable();
    calls
}

#[stack_test]
async fn uploads_stay_within_call_budget(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;

    let form = |count| {
        let form = Form::new().text("space", acme.handle.clone());
        (0..count).fold(form, |form, _| {
            form.part("files", file("a.jpg", "image/jpeg", PHOTO))
        })
    };
    // The first upload looks up the active config. Later ones read it together with the space.
    let first = [
        "BatchGetItem",
        "GetItem",
        "GetItem",
        "TransactWriteItems",
        "UpdateItem",
    ];

    assert_eq!(
        cost(stack, "uploads", 201, acme.upload_form(form(1))).await,
        with_puts(1, &first)
    );

    // The space is read again after the files are stored.
    let rest = [
        "BatchGetItem",
        "BatchGetItem",
        "TransactWriteItems",
        "UpdateItem",
    ];

    for count in [1, 10] {
        assert_eq!(
            cost(stack, "uploads", 201, acme.upload_form(form(count))).await,
            with_puts(count, &rest)
        );
    }

    assert_eq!(
        cost(stack, "uploads", 422, acme.upload_form(form(0))).await,
        ["BatchGetItem", "UpdateItem"]
    );

    let account = stack.account();
    // The id of the space is looked up by its handle; the space is read with the membership.
    let by_account = [&first[..], &["BatchGetItem"]].concat();

    assert_eq!(
        cost(stack, "uploads", 201, account.upload_form(form(1))).await,
        with_puts(1, &by_account)
    );

    let named = |count| {
        let request = acme
            .request("POST", "/upload")
            .header("idempotency-key", "one");
        acme.send(request.multipart(form(count)))
    };
    let claimed = [&rest[..], &["UpdateItem"]].concat();
    let replay_calls = ["BatchGetItem", "UpdateItem", "UpdateItem"];

    assert_eq!(
        cost(stack, "uploads", 201, named(10)).await,
        with_puts(10, &claimed)
    );
    assert_eq!(cost(stack, "uploads", 201, named(10)).await, replay_calls);
    assert_eq!(cost(stack, "uploads", 422, named(1)).await, replay_calls);
}

#[stack_test]
async fn idempotency_key_takes_one_more_call(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;

    let account = stack.account();
    let keys = acme.keys_path();

    for (client, path, authorization, creation) in [
        (&account, "/spaces", &[][..], &["TransactWriteItems"][..]),
        (
            &acme.client,
            keys.as_str(),
            &["GetItem"],
            &["TransactWriteItems", "UpdateItem"],
        ),
        (
            &account,
            "/account/api-keys",
            &[],
            &["TransactWriteItems", "UpdateItem"],
        ),
    ] {
        let send = |name: Option<&str>, value: Value| {
            let request = client.request("POST", path).json(&json!({"name": value}));
            client.send(name.into_iter().fold(request, |request, name| {
                request.header("idempotency-key", name)
            }))
        };
        let with = |more: &[&[&'static str]]| {
            let mut calls = [authorization, &["UpdateItem"], &more.concat()].concat();
            calls.sort_unstable();
            calls
        };
        let claim = ["UpdateItem"];
        assert_eq!(
            cost(stack, "spaces", 201, send(None, json!("one"))).await,
            with(&[creation])
        );
        assert_eq!(
            cost(stack, "spaces", 201, send(Some("a"), json!("two"))).await,
            with(&[creation, &claim])
        );
        assert_eq!(
            cost(stack, "spaces", 201, send(Some("a"), json!("two"))).await,
            with(&[&claim]),
            "a replay"
        );
        assert_eq!(
            cost(stack, "spaces", 422, send(Some("a"), json!("six"))).await,
            with(&[&claim]),
            "another payload"
        );
        // A failed request releases its reservation.
        assert_eq!(
            cost(stack, "spaces", 422, send(Some("b"), json!(5))).await,
            with(&[&claim, &["DeleteItem"]])
        );
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

    let delete = |tenant: &TestSpace, force: &str| {
        let client = tenant.client.clone();
        let address = format!("/spaces?id={}{force}", tenant.id);
        async move { client.delete(&address).await }
    };

    // The last query and the batch delete the keys of the space.
    let looks_twice = [
        "BatchWriteItem",
        "GetItem",
        "Query",
        "Query",
        "Query",
        "SendMessageBatch",
        "TransactWriteItems",
        "TransactWriteItems",
        "UpdateItem",
    ];

    assert_eq!(
        cost(stack, "spaces", 409, delete(full, "")).await,
        ["GetItem", "Query", "UpdateItem"]
    );
    assert_eq!(
        cost(stack, "spaces", 204, delete(empty, "")).await,
        looks_twice
    );

    let at_once = [
        "BatchWriteItem",
        "GetItem",
        "Query",
        "SendMessageBatch",
        "TransactWriteItems",
        "UpdateItem",
    ];

    assert_eq!(
        cost(stack, "spaces", 202, delete(forced, "&force=true")).await,
        at_once
    );
    // The purge is not due, since the clock is stopped.
}

#[stack_test]
async fn last_used_update_takes_two_writes_per_minute(stack: &Stack, acme: &TestSpace) {
    warm(stack, acme).await;
    stack.clock.advance(minutes(1));

    let space = acme.path();
    let get = || acme.get(&space);
    let first = stack.calls_of(get()).await.calls;
    let second = stack.calls_of(get()).await.calls;

    assert_eq!(
        first,
        [
            "spaces GetItem",
            "spaces UpdateItem",
            "spaces UpdateItem",
            "spaces UpdateItem"
        ]
    );
    assert_eq!(second, ["spaces GetItem", "spaces UpdateItem"]);
}

#[stack_test]
async fn rejected_request_stays_within_call_budget(stack: &Stack) {
    let calls = stack
        .calls_of(stack.anonymous.with_key("sk_malformed").get("/spaces/x"))
        .await
        .calls;
    assert!(calls.is_empty(), "{calls:?}");
    let cdn = stack.local.cdn_url().trim_start_matches("http://");
    let Observed {
        output: status,
        calls,
    } = stack
        .calls_of(crate::delivery::originals::raw_status(cdn, "/acme01/../b"))
        .await;
    assert_eq!((status, calls.len()), (400, 0), "{calls:?}");
}
