//! Error responses as they are documented: status, body, and the headers that they have or lack.

use emulators::{InjectedError, Service::DynamoDb};
use serde_json::{Value, json};
use tests::{
    Client, DYNAMODB_ATTEMPTS, PHOTO, Response, Stack, StackOptions, TestSpace, form, seconds,
    stack_test,
};

use super::expected_error::{ExpectedError, error, error_with};

/// Error message of a 503.
const BUSY: &str = "The service is busy. Retry after the number of seconds in Retry-After.";

/// A response, and the error that it must be.
struct Case {
    response: Response,
    expected: ExpectedError,
}

impl Case {
    fn new(response: Response, expected: ExpectedError) -> Case {
        Case { response, expected }
    }
}

#[track_caller]
fn assert_cases(cases: Vec<Case>) {
    for case in cases {
        case.expected.assert(&case.response);
    }
}

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

/// Sends JSON to the keys of a space.
async fn send_key(acme: &TestSpace, body: impl Into<reqwest::Body>) -> Response {
    let path = acme.keys_path();
    send(&acme.client, &path, "application/json", body).await
}

async fn upload(client: &Client, acme: &TestSpace) -> Response {
    client
        .upload_form(form(&acme.handle, "a.jpg", "image/jpeg", PHOTO))
        .await
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
async fn malformed_and_unauthenticated_requests_have_documented_errors(
    stack: &Stack,
    acme: &TestSpace,
) {
    assert_cases(malformed_requests(acme).await);
    assert_cases(unauthenticated_requests(stack, acme).await);
    assert_cases(missing_resources(stack, acme).await);
}

async fn malformed_requests(acme: &TestSpace) -> Vec<Case> {
    let client = &acme.client;
    let keys = acme.keys_path();
    let not_json = "The body is not valid JSON: EOF while parsing an object at line 1 column 1.";
    let no_boundary = "The content type of the form has no boundary.";
    let too_large = "The body must not be greater than 1024 kilobytes.";
    let not_json_type = "The content type must be application/json.";
    let not_form_type = "The content type must be multipart/form-data.";

    vec![
        Case::new(send_key(acme, "{").await, error(400, not_json)),
        Case::new(
            send_key(acme, "[]").await,
            error(400, "The body must be a JSON object."),
        ),
        Case::new(
            send(client, "/upload", "multipart/form-data", "x").await,
            error(400, no_boundary),
        ),
        Case::new(
            send_key(acme, "x".repeat((1 << 20) + 1)).await,
            error(413, too_large),
        ),
        Case::new(
            send(client, &keys, "text/plain", "{}").await,
            error(415, not_json_type),
        ),
        Case::new(
            send(client, "/upload", "application/json", "{}").await,
            error(415, not_form_type),
        ),
        Case::new(
            client.post(&keys, json!({})).await,
            invalid(json!({"name": ["The name field is required."]})),
        ),
        Case::new(
            client.delete("/spaces").await,
            invalid(json!({"id": ["The id field is required."]})),
        ),
        Case::new(
            client.get("/spaces?limit=0").await,
            invalid(json!({"limit": ["The limit field must be at least 1."]})),
        ),
    ]
}

async fn unauthenticated_requests(stack: &Stack, acme: &TestSpace) -> Vec<Case> {
    let anonymous = &stack.anonymous;
    let unknown = anonymous.with_key("x");
    let space = acme.path();

    vec![
        Case::new(anonymous.get(&space).await, unauthenticated()),
        Case::new(unknown.post("/spaces", json!({})).await, unauthenticated()),
        Case::new(unknown.get("/files/x").await, unauthenticated()),
        Case::new(
            send(anonymous, "/upload", "text/plain", "x").await,
            unauthenticated(),
        ),
    ]
}

async fn missing_resources(stack: &Stack, acme: &TestSpace) -> Vec<Case> {
    let client = &acme.client;
    let missing_file = "/files/01JCQZ4XK8V9W7Y6T5S4R3Q2P1";
    let not_found = || error(404, "Not found.");

    vec![
        Case::new(client.get("/spaces/x").await, not_found()),
        Case::new(client.delete("/spaces?id=x").await, not_found()),
        Case::new(client.get(missing_file).await, not_found()),
        Case::new(client.get("/nowhere").await, not_found().uncounted()),
        Case::new(
            stack.anonymous.get("/nowhere").await,
            not_found().uncounted(),
        ),
    ]
}

#[stack_test]
async fn conflicting_and_forbidden_requests_have_documented_errors(
    stack: &Stack,
    acme: &TestSpace,
) {
    let space = acme.path();
    let viewer = acme.role("viewer").await;
    let not_owner = "This action requires the role owner. Your role is viewer.";
    let not_user = "This action requires the role user or higher. Your role is viewer.";
    let not_account = "This endpoint requires an account key. The given key belongs to one space.";
    let not_empty = "The space is not empty. Delete its files and folders first, or use force=true to delete everything.";
    let not_empty_errors = json!({"id": ["The id field must be the id of an empty space."]});
    let disabled = "This space is disabled and does not accept uploads.";
    acme.upload(PHOTO).await;

    assert_cases(vec![
        Case::new(viewer.put(&space, json!({})).await, error(403, not_owner)),
        Case::new(upload(&viewer, acme).await, error(403, not_user)),
        Case::new(
            acme.post("/spaces", json!({})).await,
            error(403, not_account),
        ),
        Case::new(
            acme.delete(&format!("/spaces?id={}", acme.id)).await,
            error_with(409, not_empty, not_empty_errors),
        ),
    ]);

    let body = json!({"name": "Acme", "enabled": false});
    acme.put_ok(&space, body).await;
    error(403, disabled).assert(&upload(&acme.client, acme).await);

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
