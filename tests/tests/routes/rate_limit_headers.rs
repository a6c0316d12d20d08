//! Rate limit headers: what responses report of a key's limit, and which responses have none.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, form, stack_test, text};

use super::rate_limits::{
    LimitStatus, assert_limit_status, assert_no_limit_headers, limits, photo, post_idempotently,
};

#[stack_test(options = limits(100, 50))]
async fn every_authenticated_response_has_rate_limit_headers(stack: &Stack, acme: &TestSpace) {
    let space = acme.path();
    let keys = acme.keys_path();
    let missing_space = format!("/spaces/{UNKNOWN_ID}");
    let client = &acme.client;
    let create_key = |name: &str| {
        let body = json!({ "name": name });
        let keys = &keys;
        async move { post_idempotently(client, keys, &body).await }
    };
    let send = |content_type: &'static str, body: String| {
        let request = client.request("POST", &keys);
        client.send(request.header("content-type", content_type).body(body))
    };
    let large = "x".repeat((1 << 20) + 1);
    let viewer_key = json!({"name": "viewer", "role": "viewer"});

    let created = client.post(&keys, viewer_key).await;
    let key: Value = created.json()["data"].clone();
    let viewer = client.with_key(&text(&key["key"]));
    viewer.upload_form(photo(acme)).await.expect_error(403);

    let cases = [
        (201, created),
        (200, client.get(&space).await),
        (200, client.get("/spaces").await),
        (404, client.get(&missing_space).await),
        (404, client.get("/files/x").await),
        (422, client.post(&keys, json!({})).await),
        (422, client.delete("/spaces").await),
        (403, client.post("/spaces", json!({"name": "Other"})).await),
        (400, send("application/json", "{".to_owned()).await),
        (415, send("text/plain", "x".to_owned()).await),
        (413, send("application/json", large).await),
        (201, create_key("one").await),
        (201, create_key("one").await),
        (422, create_key("two").await),
        (
            204,
            client.delete(&format!("{keys}/{}", acme.key_id + 1)).await,
        ),
    ];

    assert_eq!(key["id"], json!(acme.key_id + 1));
    for ((status, response), remaining) in cases.into_iter().zip((0..100).rev()) {
        let response = response.expect_status(status);
        assert_limit_status(stack, &response, &LimitStatus::admin(100, remaining));
    }
    assert_no_limit_headers(&viewer.get(&space).await.expect_status(401));

    acme.upload(PHOTO).await;
    let rejected = client
        .upload_form(form("zzzzzz", "a.jpg", "image/jpeg", PHOTO))
        .await
        .expect_status(422);
    assert_limit_status(stack, &rejected, &LimitStatus::upload(50, 48));

    let conflict = client.delete(&format!("/spaces?id={}", acme.id)).await;
    let conflict = conflict.expect_status(409);
    assert_limit_status(stack, &conflict, &LimitStatus::admin(100, 84));
}

#[stack_test]
async fn unauthenticated_responses_have_no_rate_limit_and_defaults_match_template(
    stack: &Stack,
    acme: &TestSpace,
) {
    let space = acme.path();
    let anonymous = &stack.anonymous;
    let unknown = domain::KeySecret::new(&stack.unrestricted_context().env);

    for key in ["nonsense", unknown.reveal()] {
        let client = anonymous.with_key(key);
        assert_no_limit_headers(&client.get(&space).await.expect_status(401));
        assert_no_limit_headers(&client.upload_form(photo(acme)).await.expect_status(401));
    }

    assert_no_limit_headers(&anonymous.get(&space).await.expect_status(401));
    let preflight = anonymous.send(anonymous.request("OPTIONS", &space)).await;
    assert_no_limit_headers(&preflight.expect_status(204));

    let response = acme.get(&space).await;
    assert_limit_status(stack, &response, &LimitStatus::admin(1_200, 1_199));

    let response = acme.upload_form(photo(acme)).await;
    assert_limit_status(stack, &response, &LimitStatus::upload(6_000, 5_999));
}
