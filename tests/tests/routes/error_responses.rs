//! Error responses as they are documented: status, body, and the headers that they have or lack.

use emulators::{InjectedError, Service::DynamoDb};
use serde_json::{Value, json};
use tests::{
    Client, DYNAMODB_ATTEMPTS, PHOTO, Response, Stack, StackOptions, TestSpace, UNKNOWN_ID,
    seconds, stack_test,
};

use super::expected_error::{ExpectedError, error, error_with};

/// Error message of a 503.
const BUSY: &str = "The service is busy. Retry after the number of seconds in Retry-After.";

async fn send(
    client: &Client,
    path: &str,
    content_type: &str,
    body: impl Into<reqwest::Body>,
) -> Response {
    let request = client
        .request("POST", path)
        .header("content-type", content_type);
    client.send(request.body(body)).await
}

fn unauthenticated() -> ExpectedError {
    error(401, "Unauthenticated.")
        .with_header("x-amzn-remapped-www-authenticate", "Bearer")
        .uncounted()
}

fn invalid(errors: Value) -> ExpectedError {
    error_with(422, "The given data was invalid.", errors)
}

#[stack_test]
async fn malformed_requests_have_documented_errors(acme: &TestSpace) {
    let keys = acme.keys_path();
    let send_key = |body: String| send(acme, &keys, "application/json", body);
    let not_json = "The body is not valid JSON: EOF while parsing an object at line 1 column 1.";
    error(400, not_json).assert(&send_key("{".to_owned()).await);
    let not_object = "The body must be a JSON object.";
    error(400, not_object).assert(&send_key("[]".to_owned()).await);
    let too_large = "The body must not be greater than 1024 kilobytes.";
    error(413, too_large).assert(&send_key("x".repeat((1 << 20) + 1)).await);

    for (status, message, path, content_type, body) in [
        (
            400,
            "The content type of the form has no boundary.",
            "/upload",
            "multipart/form-data",
            "x",
        ),
        (
            415,
            "The content type must be application/json.",
            &keys,
            "text/plain",
            "{}",
        ),
        (
            415,
            "The content type must be multipart/form-data.",
            "/upload",
            "application/json",
            "{}",
        ),
    ] {
        error(status, message).assert(&send(acme, path, content_type, body).await);
    }

    let name = json!({"name": ["The name field is required."]});
    invalid(name).assert(&acme.post(&keys, json!({})).await);
    let id = json!({"id": ["The id field is required."]});
    invalid(id).assert(&acme.delete("/spaces").await);
    let limit = json!({"limit": ["The limit field must be at least 1."]});
    invalid(limit).assert(&acme.get("/spaces?limit=0").await);
}

#[stack_test]
async fn unauthenticated_requests_have_documented_errors(stack: &Stack, acme: &TestSpace) {
    let anonymous = &stack.anonymous;
    let unknown = anonymous.with_key("x");
    for response in [
        anonymous.get(&acme.path()).await,
        unknown.post("/spaces", json!({})).await,
        unknown.get("/files/x").await,
        send(anonymous, "/upload", "text/plain", "x").await,
    ] {
        unauthenticated().assert(&response);
    }
}

#[stack_test]
async fn missing_resources_have_documented_errors(stack: &Stack, acme: &TestSpace) {
    for response in [
        acme.get("/spaces/x").await,
        acme.delete("/spaces?id=x").await,
        acme.get(&format!("/files/{UNKNOWN_ID}")).await,
    ] {
        error(404, "Not found.").assert(&response);
    }
    for client in [&acme.client, &stack.anonymous] {
        let response = client.get("/nowhere").await;
        error(404, "Not found.").uncounted().assert(&response);
    }
}

#[stack_test]
async fn conflicting_and_forbidden_requests_have_documented_errors(
    stack: &Stack,
    acme: &TestSpace,
) {
    let viewer = acme.role("viewer").await;
    acme.upload(PHOTO).await;

    let not_owner = "This action requires the role owner. Your role is viewer.";
    error(403, not_owner).assert(&viewer.put(&acme.path(), json!({})).await);
    let not_user = "This action requires the role user or higher. Your role is viewer.";
    error(403, not_user).assert(&acme.upload(PHOTO).by(&viewer).send().await);
    let not_account = "This endpoint requires an account key. The given key belongs to one space.";
    error(403, not_account).assert(&acme.post("/spaces", json!({})).await);

    let not_empty = "The space is not empty. Delete its files and folders first, or use force=true to delete everything.";
    let errors = json!({"id": ["The id field must be the id of an empty space."]});
    let deletion = acme.delete(&format!("/spaces?id={}", acme.id)).await;
    error_with(409, not_empty, errors).assert(&deletion);

    acme.set_enabled(false).await;
    let disabled = "This space is disabled and does not accept uploads.";
    error(403, disabled).assert(&acme.upload(PHOTO).send().await);

    assert_interrupted_request_is_in_progress(stack, acme).await;
}

/// Interrupts a request with an `Idempotency-Key` before it releases its reservation, and asserts
/// that repeated requests are rejected while the reservation lasts.
async fn assert_interrupted_request_is_in_progress(stack: &Stack, acme: &TestSpace) {
    for operation in ["TransactWriteItems", "DeleteItem"] {
        let error = InjectedError::new(500, "InternalServerError");
        let faults = stack.local.faults();
        faults.fail(DynamoDb, operation, DYNAMODB_ATTEMPTS, error);
    }
    let create_key = || {
        let request = acme
            .request("POST", &acme.keys_path())
            .header("idempotency-key", "one");
        acme.send(request.json(&json!({"name": "web"})))
    };
    let in_progress = |retry_after: &str| {
        let message = "A request with this Idempotency-Key is already in progress. Retry after the number of seconds in \
                       Retry-After.";
        let error = "The idempotency key field belongs to a request in progress.";
        error_with(409, message, json!({"idempotency_key": [error]}))
            .with_header("retry-after", retry_after)
    };

    let busy = create_key().await;
    error(503, BUSY)
        .with_header("retry-after", busy.header("retry-after"))
        .assert(&busy);
    in_progress("60").assert(&create_key().await);

    stack.clock.advance(seconds(45));
    in_progress("15").assert(&create_key().await);
}

#[stack_test(options = StackOptions::default().with_parameters(&[("AdminRequestsPerMinute", "4")]))]
async fn internal_errors_reveal_nothing(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let space = acme.path();
    let get = || acme.get(&space);
    let faults = stack.local.faults();
    let throttled = || InjectedError::new(400, "ThrottlingException");
    let busy = |response: &Response| {
        error(503, BUSY).with_header("retry-after", response.header("retry-after"))
    };
    get().await.expect_ok();

    let permanent = InjectedError::new(400, "ValidationException");
    faults.fail(DynamoDb, "GetItem", 1, permanent);
    error(500, "Server error.").assert(&get().await);

    faults.fail(DynamoDb, "GetItem", DYNAMODB_ATTEMPTS, throttled());
    let response = get().await;
    busy(&response).assert(&response);
    response.expect_busy();

    faults.fail(DynamoDb, "UpdateItem", DYNAMODB_ATTEMPTS, throttled());
    let response = get().await;
    busy(&response).uncounted().assert(&response);
    response.expect_busy();

    get().await.expect_ok();
    let limited = get().await;
    let retry_after = limited.header("retry-after");
    let reset = format!("t={retry_after}");
    assert!(limited.header("ratelimit").ends_with(&reset), "{reset}");
    error(429, "Too Many Attempts.")
        .with_header("retry-after", retry_after)
        .assert(&limited);
}

#[stack_test]
async fn error_body_names_at_most_a_hundred_errors(acme: &TestSpace) {
    let unknown: serde_json::Map<String, Value> = (0..5_000)
        .map(|key| (format!("key{key}"), json!(1)))
        .collect();
    let body = json!({"space_id": acme.id, "name": "unusual", "config": unknown});

    let errors = acme.post_err(422, "/upload-configs", body).await;

    assert_eq!(errors.as_object().map(serde_json::Map::len), Some(100));
}

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
        response.expect_message(expected);
        response.expect_error(400);
    }

    let vendor_type = "application/vnd.api+json; charset=utf-8";
    let valid = b"{\"name\": \"x\"}".to_vec();
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
