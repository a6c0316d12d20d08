//! What holds for every route: who calls, what they send, and how refusals look.

use serde_json::json;
use tests::Stack;

#[tokio::test]
async fn a_key_may_come_as_a_parameter_and_the_header_wins() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let key = acme.client.key.clone().expect("a key");
    let path = format!("/spaces/{}", acme.id);
    stack
        .anonymous
        .get(&format!("{path}?api_key={key}"))
        .await
        .ok();
    stack
        .anonymous
        .get_with(
            &format!("{path}?api_key={key}"),
            &[("authorization", "Basic eDp5")],
        )
        .await
        .refused(401);
    let twice = stack
        .anonymous
        .request("GET", &path)
        .bearer_auth(&key)
        .header("authorization", format!("Bearer {key}"));
    stack.anonymous.send(twice).await.refused(401);
    let refused = stack.anonymous.get(&path).await;
    assert_eq!(refused.header("www-authenticate"), "Bearer");
    assert_eq!(refused.json()["message"], "Unauthenticated.");
    stack.stop().await;
}

#[tokio::test]
async fn json_that_cannot_be_read_is_refused_with_its_place() {
    let stack = Stack::start().await;
    let account = stack.account();
    let send = |content_type: &'static str, body: Vec<u8>| {
        account.send(
            account
                .request("POST", "/spaces")
                .header("content-type", content_type)
                .body(body),
        )
    };
    for (body, place) in [
        (b"{".to_vec(), "line 1 column 1"),
        (b" ".to_vec(), "line 1 column 1"),
        (b"{\"name\":\n \"\xFF\"}".to_vec(), "line 2"),
        (
            format!("{}1{}", "[".repeat(500), "]".repeat(500)).into_bytes(),
            "line 1",
        ),
        (b"[]".to_vec(), "JSON object"),
    ] {
        let answer = send("application/json", body).await;
        assert!(
            answer.json()["message"]
                .as_str()
                .is_some_and(|text| text.contains(place)),
            "{}",
            answer.json()
        );
        answer.refused(400);
    }
    send("text/plain", b"{\"name\": \"x\"}".to_vec())
        .await
        .refused(415);
    send(
        "application/vnd.api+json; charset=utf-8",
        b"{\"name\": \"x\"}".to_vec(),
    )
    .await
    .created();
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(10 << 20)).into_bytes();
    let answer = send("application/json", large).await;
    assert_eq!(
        answer.json()["message"],
        "The body must not be greater than 1024 kilobytes."
    );
    answer.refused(413);
    stack.stop().await;
}

#[tokio::test]
async fn paths_and_methods_that_do_not_exist_are_refused_in_the_standard_body() {
    let stack = Stack::start().await;
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
        account.get(path).await.refused(404);
    }
    for (method, path, allow) in [
        ("PATCH", "/spaces", "GET, HEAD, POST, DELETE, OPTIONS"),
        ("HEAD", "/upload/presign", "POST, OPTIONS"),
        ("PUT", "/spaces/x/api-keys", "POST, GET, HEAD, OPTIONS"),
        ("GET", "/upload", "POST, OPTIONS"),
        ("TRACE", "/files/x", "GET, HEAD, PUT, DELETE, OPTIONS"),
    ] {
        let answer = account.send(account.request(method, path)).await;
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
        if method == "HEAD" {
            assert!(answer.demand(405).body.is_empty());
            continue;
        }
        assert_eq!(
            answer.json()["message"],
            format!("This path takes the methods {allow}.")
        );
        assert_eq!(answer.refused(405), json!({}));
    }
    stack.stop().await;
}

#[tokio::test]
async fn scripts_of_any_origin_may_call() {
    let stack = Stack::start().await;
    let preflight = stack
        .anonymous
        .request("OPTIONS", "/upload")
        .header("origin", "https://app.example.com")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization, idempotency-key",
        );
    let answer = stack.anonymous.send(preflight).await.demand(204);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert!(
        answer
            .header("access-control-allow-methods")
            .contains("POST")
    );
    assert!(
        answer
            .header("access-control-allow-headers")
            .contains("Authorization")
    );
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    let refused = stack.anonymous.get("/spaces/x").await;
    assert_eq!(refused.header("access-control-allow-origin"), "*");
    assert!(
        refused
            .header("access-control-expose-headers")
            .contains("X-Request-Id")
    );
    stack.stop().await;
}

#[tokio::test]
async fn every_answer_has_a_request_id_of_its_own() {
    let stack = Stack::start().await;
    let account = stack.account();
    let made = account.post("/spaces", json!({"name": "Acme"})).await;
    let refused = account.post("/spaces", json!({"name": "Acme"})).await;
    assert_eq!(made.header("x-request-id").len(), 26);
    assert_ne!(made.header("x-request-id"), refused.header("x-request-id"));
    stack.stop().await;
}
