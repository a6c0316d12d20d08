//! Metrics of requests that CloudWatch reads from the logs.

use emulators::{InjectedError, Service::DynamoDb};
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, assert_fields, stack_test};

use super::log_capture::{
    begin_log, is_task_line, lines, take_task_line, take_task_lines, task_of,
};

#[stack_test]
async fn request_yields_one_line_with_its_metrics(stack: &Stack, acme: &TestSpace) {
    begin_log();

    let read = stack.calls_of(acme.get(&acme.path())).await;
    let line = take_task_line();
    assert_fields(
        &line,
        json!({
            "request_id": read.output.header("x-request-id"), "space_id": acme.id, "Function": "spaces",
            "Route": "/api/v1/spaces/{id}", "method": "GET", "status": 200, "Requests": 1, "ClientErrors": null,
            "ServerErrors": null, "AwsAttempts": read.calls.len(), "Throttles": null, "Conflicts": null,
            "BytesIn": 0, "BytesOut": read.output.body.len(),
        }),
    );
    let latencies = line["AwsAttemptLatency"].as_array().map(Vec::len);
    assert_eq!(latencies, Some(read.calls.len()));

    let body = json!({"name": ""});
    let response = acme.post("/folders", body.clone()).await.expect_status(422);
    assert_fields(
        &take_task_line(),
        json!({
            "request_id": response.header("x-request-id"), "status": 422, "ClientErrors": 1,
            "BytesIn": body.to_string().len(),
        }),
    );

    // The path of an unknown route is not a dimension.
    let unknown = stack.anonymous.get("/nowhere/at/all").await;
    unknown.expect_status(404);
    assert_eq!(take_task_line()["Route"], "none");

    let file = acme.upload(PHOTO).await;
    assert_eq!(take_task_line()["Route"], "/api/v1/upload");

    stack.anonymous.fetch(file.url()).await;
    assert_fields(
        &take_task_line(),
        json!({
            "Function": "delivery", "Route": "/{storage_path}", "BytesOut": PHOTO.len(), "space_id": acme.id,
        }),
    );
}

#[stack_test]
async fn calls_of_a_rendering_are_counted_for_its_request(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    begin_log();

    let url = file.url_with("w=32");
    let calls = stack.calls_of(stack.anonymous.fetch(&url)).await.calls;

    let put = "delivery PutObject".to_owned();
    assert!(calls.contains(&put), "{calls:?}");
    assert_eq!(take_task_line()["AwsAttempts"], calls.len());
}

#[stack_test]
async fn throttles_and_conflicts_of_a_request_are_counted(stack: &Stack, acme: &TestSpace) {
    begin_log();
    let faults = stack.local.faults();
    let throttled = InjectedError::new(400, "ProvisionedThroughputExceededException");
    faults.fail(DynamoDb, "GetItem", 1, throttled);

    let read = stack.calls_of(acme.get(&acme.path())).await;

    let (tasks, warnings): (Vec<_>, Vec<_>) = lines().into_iter().partition(is_task_line);
    let expected = json!({"Throttles": 1, "AwsAttempts": read.calls.len()});
    assert_fields(&tasks[0], expected);
    let mut warnings = warnings.iter();
    let warning = warnings.find(|line| line["message"] == "AWS call was throttled");
    let warning = warning.expect("a warning");
    assert_fields(warning, json!({"operation": "GetItem", "attempts": 2}));
    let task = task_of(warning).expect("within the request");
    assert_eq!(task["request_id"], read.output.header("x-request-id"));

    begin_log();
    let conflict = InjectedError::new(400, "TransactionConflict");
    faults.fail(DynamoDb, "TransactWriteItems", 2, conflict);
    acme.folder("Open").await;
    let expected = json!({"Conflicts": 2, "Throttles": Value::Null});
    assert_fields(&take_task_line(), expected);
}

#[stack_test]
async fn batch_that_is_throttled_in_part_is_counted(stack: &Stack, acme: &TestSpace) {
    begin_log();

    stack.local.faults().leave_unprocessed("BatchGetItem", 1);
    acme.upload(PHOTO).await;

    let lines = take_task_lines();
    assert_eq!(lines[0]["Throttles"], 1, "{lines:?}");
}
