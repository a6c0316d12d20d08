//! Metrics of requests that CloudWatch reads from the logs.

use emulators::{InjectedError, Service::DynamoDb};
use serde_json::{Value, json};
use tests::{Observed, PHOTO, Response, Stack, TestSpace, stack_test};

use super::log_capture::{begin_log, is_task_line, lines, take_task_lines, task_of};

fn assert_metrics_of_read(metrics: &Value, space_id: &str, response: &Response, calls: usize) {
    for (name, value) in [
        ("request_id", json!(response.header("x-request-id"))),
        ("space_id", json!(space_id)),
        ("Function", json!("spaces")),
        ("Route", json!("/api/v1/spaces/{id}")),
        ("method", json!("GET")),
        ("status", json!(200)),
        ("Requests", json!(1)),
        ("ClientErrors", Value::Null),
        ("ServerErrors", Value::Null),
        ("AwsAttempts", json!(calls)),
        ("Throttles", Value::Null),
        ("Conflicts", Value::Null),
        ("BytesIn", json!(0)),
        ("BytesOut", json!(response.body.len())),
    ] {
        assert_eq!(metrics[name], value, "{name}");
    }
}

#[stack_test]
async fn request_yields_one_line_with_its_metrics(stack: &Stack, acme: &TestSpace) {
    begin_log();

    let path = acme.path();
    let Observed {
        output: response,
        calls,
    } = stack.calls_of(acme.get(&path)).await;
    let metrics = take_task_lines();

    assert_eq!(metrics.len(), 1, "{metrics:?}");

    assert_metrics_of_read(&metrics[0], &acme.id, &response, calls.len());
    assert_eq!(
        metrics[0]["AwsAttemptLatency"].as_array().map(Vec::len),
        Some(calls.len())
    );

    let body = json!({"name": ""});
    let response = acme.post("/folders", body.clone()).await.expect_status(422);
    let metrics = take_task_lines();

    assert_eq!(metrics.len(), 1, "{metrics:?}");
    assert_eq!(metrics[0]["request_id"], response.header("x-request-id"));
    assert_eq!(
        (&metrics[0]["status"], &metrics[0]["ClientErrors"]),
        (&json!(422), &json!(1))
    );
    assert_eq!(metrics[0]["BytesIn"], body.to_string().len());

    // The path of an unknown route is not a dimension.
    stack
        .anonymous
        .get("/nowhere/at/all")
        .await
        .expect_status(404);
    assert_eq!(take_task_lines()[0]["Route"], "none");

    let record = acme.upload(PHOTO).await;
    let metrics = take_task_lines();
    assert_eq!(metrics[0]["Route"], "/api/v1/upload");

    let photo = stack
        .anonymous
        .fetch(record["url"].as_str().expect("an address"))
        .await;
    let metrics = take_task_lines();
    assert_eq!(metrics.len(), 1, "{metrics:?}");
    assert_eq!(
        (&metrics[0]["Function"], &metrics[0]["Route"]),
        (&json!("delivery"), &json!("/{storage_path}"))
    );
    assert_eq!(
        (&metrics[0]["BytesOut"], &metrics[0]["space_id"]),
        (&json!(photo.body.len()), &json!(acme.id))
    );
}

#[stack_test]
async fn calls_of_a_rendering_are_counted_for_its_request(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    begin_log();

    let url = format!("{}?w=32", file.url());
    let observed = stack.calls_of(stack.anonymous.get(&url)).await;
    observed.output.expect_status(200);
    let metrics = take_task_lines();

    assert!(
        observed
            .calls
            .iter()
            .any(|call| call == "delivery PutObject")
    );
    assert_eq!(metrics.len(), 1, "{metrics:?}");
    assert_eq!(metrics[0]["AwsAttempts"], observed.calls.len());
}

#[stack_test]
async fn throttles_and_conflicts_of_a_request_are_counted(stack: &Stack, acme: &TestSpace) {
    let path = acme.path();

    begin_log();

    stack.local.faults().fail(
        DynamoDb,
        "GetItem",
        1,
        InjectedError::new(400, "ProvisionedThroughputExceededException"),
    );

    let Observed {
        output: response,
        calls,
    } = stack.calls_of(acme.get(&path)).await;
    let (metrics, warnings): (Vec<_>, Vec<_>) = lines().into_iter().partition(is_task_line);
    assert_eq!(
        (&metrics[0]["Throttles"], &metrics[0]["AwsAttempts"]),
        (&json!(1), &json!(calls.len())),
        "{calls:?}"
    );

    let warning = warnings
        .iter()
        .find(|line| line["message"] == "AWS call was throttled")
        .expect("a warning");
    assert_eq!(
        (&warning["operation"], &warning["attempts"]),
        (&json!("GetItem"), &json!(2))
    );

    let task = task_of(warning).expect("within the request");
    assert_eq!(task["request_id"], response.header("x-request-id"));

    begin_log();
    stack.local.faults().fail(
        DynamoDb,
        "TransactWriteItems",
        2,
        InjectedError::new(400, "TransactionConflict"),
    );
    acme.folder("Open").await;

    let metrics = take_task_lines();
    assert_eq!(
        (&metrics[0]["Conflicts"], &metrics[0]["Throttles"]),
        (&json!(2), &Value::Null)
    );
}

#[stack_test]
async fn batch_that_is_throttled_in_part_is_counted(stack: &Stack, acme: &TestSpace) {
    begin_log();

    stack.local.faults().leave_unprocessed("BatchGetItem", 1);
    acme.upload(PHOTO).await;
    let metrics = take_task_lines();
    assert_eq!(metrics[0]["Throttles"], 1, "{metrics:?}");
}
