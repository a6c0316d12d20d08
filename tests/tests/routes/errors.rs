//! Rules for every route: credentials, content types, unknown paths and methods, CORS and request
//! ids.

use serde_json::json;
use tests::{Stack, TestSpace, stack_test};

#[stack_test]
async fn key_in_query_is_accepted_and_header_wins(stack: &Stack, acme: &TestSpace) {
    let key = acme.client.key.clone().expect("a key");
    let path = acme.path();

    stack
        .anonymous
        .get_ok(&format!("{path}?api_key={key}"))
        .await;
    stack
        .anonymous
        .get_with(
            &format!("{path}?api_key={key}"),
            &[("authorization", "Basic eDp5")],
        )
        .await
        .expect_error(401);

    let twice = stack
        .anonymous
        .request("GET", &path)
        .bearer_auth(&key)
        .header("authorization", format!("Bearer {key}"));
    stack.anonymous.send(twice).await.expect_error(401);

    let rejected = stack.anonymous.get(&path).await;
    assert_eq!(
        rejected.header("x-amzn-remapped-www-authenticate"),
        "Bearer"
    );
    assert_eq!(rejected.json()["message"], "Unauthenticated.");
}

#[stack_test]
async fn malformed_json_is_rejected_with_position(stack: &Stack) {
    let account = stack.account();
    let send = |content_type: &'static str, body: Vec<u8>| {
        account.send(
            account
                .request("POST", "/spaces")
                .header("content-type", content_type)
                .body(body),
        )
    };

    for (body, expected) in [
        (b"{".to_vec(), "line 1 column 1"),
        (b" ".to_vec(), "line 1 column 1"),
        (b"{\"name\":\n \"\xFF\"}".to_vec(), "line 2"),
        (
            format!("{}1{}", "[".repeat(500), "]".repeat(500)).into_bytes(),
            "line 1",
        ),
        (b"[]".to_vec(), "JSON object"),
    ] {
        let response = send("application/json", body).await;
        assert!(
            response.json()["message"]
                .as_str()
                .is_some_and(|message| message.contains(expected)),
            "{}",
            response.json()
        );
        response.expect_error(400);
    }

    send("text/plain", b"{\"name\": \"x\"}".to_vec())
        .await
        .expect_error(415);
    send(
        "application/vnd.api+json; charset=utf-8",
        b"{\"name\": \"x\"}".to_vec(),
    )
    .await
    .expect_created();

    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(10 << 20)).into_bytes();
    let response = send("application/json", large).await;
    assert_eq!(
        response.json()["message"],
        "The body must not be greater than 1024 kilobytes."
    );
    response.expect_error(413);
}

#[stack_test]
async fn unknown_paths_and_methods_return_standard_error_body(stack: &Stack) {
    let account = stack.account();
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
        account.get_err(404, path).await;
    }

    for (method, path, allow) in [
        ("PATCH", "/spaces", "GET, HEAD, POST, DELETE, OPTIONS"),
        ("HEAD", "/upload/presign", "POST, OPTIONS"),
        ("PUT", "/spaces/x/api-keys", "POST, GET, HEAD, OPTIONS"),
        ("GET", "/upload", "POST, OPTIONS"),
        ("TRACE", "/files/x", "GET, HEAD, PUT, DELETE, OPTIONS"),
    ] {
        let response = account.send(account.request(method, path)).await;
        assert_eq!(response.header("allow"), allow, "{method} {path}");

        if method == "HEAD" {
            assert!(response.expect_status(405).body.is_empty());
            continue;
        }

        assert_eq!(
            response.json()["message"],
            format!("This path supports the methods {allow}.")
        );
        assert_eq!(response.expect_error(405), json!({}));
    }
}

#[stack_test]
async fn cors_allows_any_origin(stack: &Stack) {
    let preflight = stack
        .anonymous
        .request("OPTIONS", "/upload")
        .header("origin", "https://app.example.com")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization, idempotency-key",
        );
    let response = stack.anonymous.send(preflight).await.expect_status(204);
    assert_eq!(response.header("access-control-allow-origin"), "*");
    assert!(
        response
            .header("access-control-allow-methods")
            .contains("POST")
    );
    assert!(
        response
            .header("access-control-allow-headers")
            .contains("Authorization")
    );
    assert_eq!(response.header("access-control-allow-credentials"), "");

    let rejected = stack.anonymous.get("/spaces/x").await;
    assert_eq!(rejected.header("access-control-allow-origin"), "*");
    assert!(
        rejected
            .header("access-control-expose-headers")
            .contains("X-Request-Id")
    );
}

#[stack_test]
async fn every_response_has_unique_request_id(stack: &Stack) {
    let account = stack.account();
    let created = account.post("/spaces", json!({"name": "Acme"})).await;
    let rejected = account.post("/spaces", json!({"name": "Acme"})).await;
    assert_eq!(created.header("x-request-id").len(), 26);
    assert_ne!(
        created.header("x-request-id"),
        rejected.header("x-request-id")
    );
}
