//! Logs of requests and jobs.

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use serde_json::{Value, json};
use tests::{
    DYNAMODB_ATTEMPTS, PHOTO, RawConnection, Stack, TestSpace, authority, minutes, seconds,
    stack_test,
};

use super::log_capture::{begin_log, is_task_line, lines, spans_of, take_task_lines, task_of};

#[stack_test]
async fn warning_of_aws_call_names_its_operation(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Open").await;
    let path = folder.path().to_owned();

    begin_log();

    stack.local.faults().fail(
        DynamoDb,
        "TransactWriteItems",
        1,
        InjectedError::new(500, "InternalServerError"),
    );
    acme.delete_ok(&path).await;

    let lines = lines();
    let warning = lines
        .iter()
        .find(|line| line["operation"] == "TransactWriteItems")
        .expect("a warning");

    assert_eq!(
        (&warning["level"], &warning["message"]),
        (&json!("WARN"), &json!("AWS call failed"))
    );
    assert_eq!(
        spans_of(warning),
        ["request", "delete_folder", "change_folder"],
        "{warning}"
    );
}

#[stack_test]
async fn every_line_of_a_failing_request_carries_its_id(stack: &Stack, acme: &TestSpace) {
    begin_log();

    let code = "ProvisionedThroughputExceededException";
    stack.local.faults().fail(
        DynamoDb,
        "GetItem",
        DYNAMODB_ATTEMPTS,
        InjectedError::new(400, code),
    );

    let response = acme.get(&acme.path()).await;
    let id = response.header("x-request-id").to_owned();

    response.expect_error(503);

    let (tasks, warnings): (Vec<_>, Vec<_>) = lines().into_iter().partition(is_task_line);
    assert_eq!(tasks.len(), 1, "{tasks:?}");
    for (name, value) in [
        ("request_id", json!(id)),
        ("Function", json!("spaces")),
        ("Route", json!("/api/v1/spaces/{id}")),
        ("level", json!("ERROR")),
        ("message", json!("request failed")),
        ("status", json!(503)),
        ("ServerErrors", json!(1)),
    ] {
        assert_eq!(tasks[0][name], value, "{name}");
    }

    assert_eq!(warnings.len(), 1, "the throttled call: {warnings:?}");
    let task = task_of(&warnings[0]).expect("within the request");
    assert_eq!(task["request_id"], *id);
    assert_eq!(task["function"], "spaces");
    assert_eq!(task["route"], "/api/v1/spaces/{id}");

    let cause = tasks[0]["cause"].as_str().expect("a cause");
    let start = format!(
        "The service is busy. Retry after the number of seconds in Retry-After: the table is \
         throttled: {code}: "
    );
    assert!(cause.starts_with(&start), "{cause}");
    assert!(!cause.contains('{'), "Rust debug output: {cause}");
}

#[stack_test]
async fn job_yields_one_line_with_its_metrics_and_its_error(stack: &Stack, acme: &TestSpace) {
    let record = acme.upload(PHOTO).await;

    acme.delete_ok(&format!("/files/{}", record["id"].as_str().expect("an id")))
        .await;
    begin_log();

    let jobs = || -> Vec<Value> {
        lines()
            .into_iter()
            .filter(|line| line["Function"] == "purge")
            .collect()
    };
    stack.local.faults().fail(
        S3,
        "DeleteObject",
        1,
        InjectedError::new(403, "AccessDenied"),
    );
    stack.clock.advance(seconds(1));
    stack
        .local
        .until(|messages| messages.running_batches == 0 && jobs().len() == 1)
        .await
        .expect("a failed job");
    // The message is delivered again.
    stack.run_for(minutes(15)).await;

    let jobs = jobs();
    assert_eq!(
        jobs.iter()
            .map(|job| (job["message"].as_str(), job["FailedJobs"].as_u64()))
            .collect::<Vec<_>>(),
        [(Some("job failed"), Some(1)), (Some("job"), None)],
        "{jobs:?}"
    );

    for job in &jobs {
        assert_eq!(
            (&job["Jobs"], &job["space_id"]),
            (&json!(1), &json!(acme.id))
        );
        assert_eq!(job["message_id"], jobs[0]["message_id"]);
        assert!(job["AwsAttempts"].as_u64() > Some(0), "{job}");
    }

    assert_eq!(jobs[0]["receive_count"], 1);
    let cause = jobs[0]["cause"].as_str().expect("a cause");
    assert!(cause.contains("AccessDenied"), "{cause}");
}

#[stack_test]
async fn request_log_line_names_invalid_fields_without_values(acme: &TestSpace) {
    begin_log();

    acme.get_ok(&acme.path()).await;

    let requests = take_task_lines();
    assert_eq!(
        (requests.len(), requests[0].get("cause")),
        (1, None),
        "{requests:?}"
    );
    assert_eq!(
        (&requests[0]["status"], requests[0].get("replayed")),
        (&json!(200), None)
    );

    acme.post_err(
        422,
        "/folders",
        json!({"space_id": acme.id, "name": "", "parent_id": "confidential"}),
    )
    .await;

    let requests = take_task_lines();
    assert_eq!(
        requests[0]["cause"],
        "The given data was invalid: name, parent_id"
    );

    let folder = json!({"space_id": acme.id, "name": "Once"});
    for replayed in [None, Some(&json!(true))] {
        let create = acme
            .request("POST", "/folders")
            .header("idempotency-key", "1")
            .json(&folder);
        acme.send(create).await.expect_created();
        assert_eq!(take_task_lines()[0].get("replayed"), replayed);
    }
}

#[stack_test]
async fn body_that_ends_early_is_logged_with_its_request_and_causes(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload("text").named("a.txt", "text/plain").await;
    begin_log();

    stack.local.faults().truncate_response(S3, "GetObject", 1);

    let url = file.url();
    let (_, path) = url.split_once(authority(url)).expect("a path");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", authority(url));
    assert!(RawConnection::request(url, request).await.is_none());

    let (tasks, others): (Vec<_>, Vec<_>) = lines().into_iter().partition(is_task_line);
    assert_eq!((tasks.len(), others.len()), (1, 1), "{tasks:?} {others:?}");
    assert_eq!(tasks[0]["status"], 200, "{tasks:?}");
    let failed = &others[0];
    assert_eq!(failed["message"], "response body ended early", "{failed}");
    let task = task_of(failed).expect("within the request");
    assert_eq!(task["request_id"], tasks[0]["request_id"], "{failed}");
    let cause = failed["cause"].as_str().expect("a cause");
    let start = "the bucket is busy: streaming error: ";
    assert!(
        cause.starts_with(start) && cause.len() > start.len(),
        "{cause}"
    );
}

#[stack_test]
async fn request_whose_client_hangs_up_is_logged_and_counted(stack: &Stack, acme: &TestSpace) {
    let path = acme.path();
    // The first request of a key makes two more calls, which run at the same time.
    acme.get_ok(&path).await;
    begin_log();

    // The function has authenticated the caller, and its next call is held.
    let mut hold = stack.local.faults().hold("spaces", 1);
    let url = stack.local.api_url();
    let key = acme.client.key.as_deref().expect("a key");
    let path = format!("/api/v1{path}");
    let mut connection = RawConnection::connect(url).await;
    let host = authority(url);

    connection
        .send(format!(
            "GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n\r\n"
        ))
        .await;
    hold.reached().await;
    drop(connection);

    let cancelled = async {
        while !lines().iter().any(is_task_line) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(seconds(20), cancelled)
        .await
        .expect("a line of the request");
    drop(hold);

    let lines = lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    for (name, value) in [
        ("message", json!("task cancelled")),
        ("path", json!(path)),
        ("Route", json!("/api/v1/spaces/{id}")),
        ("Requests", json!(1)),
        ("AwsAttempts", json!(1)),
        ("status", Value::Null),
    ] {
        assert_eq!(lines[0][name], value, "{name}");
    }
}

#[stack_test]
async fn request_that_reaches_no_function_is_logged_with_its_id(stack: &Stack) {
    begin_log();

    let response = stack.anonymous.get("/%ff").await.expect_status(400);

    let id = response.header("x-request-id");
    let lines = lines();
    let line = lines.iter().find(|line| line["request_id"] == id);
    let line = line.unwrap_or_else(|| panic!("no line of {id}: {lines:?}"));
    assert_eq!(line["status"], 400, "{line}");
}
