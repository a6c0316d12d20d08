//! Rules for every route: credentials, content types, unknown paths and request ids.

use serde_json::json;
use tests::{Stack, TestSpace, stack_test, text};

#[stack_test]
async fn key_in_query_is_accepted_and_header_wins(stack: &Stack, acme: &TestSpace) {
    let anonymous = &stack.anonymous;
    let key = acme.key.as_deref().expect("a key");
    let with_key = format!("{}?api_key={key}", acme.path());
    anonymous.get_ok(&with_key).await;

    let other_scheme = [("authorization", "Basic eDp5")];
    anonymous.fetch_as(401, &with_key, &other_scheme).await;

    let bearer = format!("Bearer {key}");
    let twice = [("authorization", &*bearer), ("authorization", &*bearer)];
    anonymous.fetch_as(401, &acme.path(), &twice).await;
}

#[stack_test]
async fn malformed_json_is_rejected_with_position(stack: &Stack) {
    let account = stack.account();
    let send = |content_type: &'static str, body: Vec<u8>| {
        let request = account.request("POST", "/spaces");
        account.send(request.header("content-type", content_type).body(body))
    };
    let nested = format!("{}1{}", "[".repeat(500), "]".repeat(500));

    for (body, expected) in [
        (&b"{"[..], "line 1 column 1"),
        (b" ", "line 1 column 1"),
        (b"{\"name\":\n \"\xFF\"}", "line 2"),
        (nested.as_bytes(), "line 1"),
        (b"[]", "JSON object"),
    ] {
        let response = send("application/json", body.to_vec()).await;
        let message = text(&response.json()["message"]);
        assert!(message.contains(expected), "{message}");
        response.expect_error(400);
    }

    let valid = b"{\"name\": \"x\"}".to_vec();
    send("text/plain", valid.clone()).await.expect_error(415);
    let vendor_type = "application/vnd.api+json; charset=utf-8";
    send(vendor_type, valid).await.expect_created();
}

#[stack_test]
async fn unknown_paths_return_standard_error_body(stack: &Stack) {
    for path in [
        "/nope",
        "/spaces/",
        "/spaces/a/b/c",
        "/",
        "/spaces//api-keys",
        "/files/%00",
        "/%2e%2e/x",
        "/files/a?b=%ff",
    ] {
        stack.account().get_err(404, path).await;
    }
}

#[stack_test]
async fn every_response_has_unique_request_id(stack: &Stack) {
    let account = stack.account();
    let created = account.post("/spaces", json!({"name": "Acme"})).await;
    let rejected = account.post("/spaces", json!({"name": "Acme"})).await;

    let ids = [created, rejected].map(|response| response.header("x-request-id").to_owned());
    assert_eq!(ids.each_ref().map(String::len), [26, 26]);
    assert_ne!(ids[0], ids[1]);
}
