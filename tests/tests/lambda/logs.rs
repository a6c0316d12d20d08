//! Logs of requests and jobs.

use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use serde_json::{Value, json};
use tests::{
    DYNAMODB_ATTEMPTS, PHOTO, RawConnection, Stack, TestSpace, assert_fields, authority, minutes,
    seconds, stack_test, text,
};

use super::log_capture::{begin_log, is_task_line, lines, spans_of, take_task_line, task_of};

/// The lines of tasks, and all others.
struct Lines {
    tasks: Vec<Value>,
    others: Vec<Value>,
}

impl Lines {
    /// Returns all lines since the start of the log, with one of each kind.
    #[track_caller]
    fn one_of_each() -> Lines {
        let (tasks, others): (Vec<_>, Vec<_>) = lines().into_iter().partition(is_task_line);
        let counts = [tasks.len(), others.len()];
        assert_eq!(counts, [1, 1], "{tasks:?} {others:?}");
        Lines { tasks, others }
    }
}

#[stack_test]
async fn warning_of_aws_call_names_its_operation(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Open").await;
    begin_log();

    let error = InjectedError::new(500, "InternalServerError");
    let faults = stack.local.faults();
    faults.fail(DynamoDb, "TransactWriteItems", 1, error);
    acme.delete_ok(folder.path()).await;

    let lines = lines();
    let mut warnings = lines.iter();
    let warning = warnings.find(|line| line["operation"] == "TransactWriteItems");
    let warning = warning.expect("a warning");
    let expected = json!({"level": "WARN", "message": "AWS call failed"});
    assert_fields(warning, expected);
    let spans = ["request", "delete_folder", "change_folder"];
    assert_eq!(spans_of(warning), spans, "{warning}");
}

#[stack_test]
async fn every_line_of_a_failing_request_carries_its_id(stack: &Stack, acme: &TestSpace) {
    begin_log();
    let code = "ProvisionedThroughputExceededException";
    let error = InjectedError::new(400, code);
    let faults = stack.local.faults();
    faults.fail(DynamoDb, "GetItem", DYNAMODB_ATTEMPTS, error);

    let response = acme.get(&acme.path()).await;

    let id = response.header("x-request-id").to_owned();
    response.expect_error(503);
    let Lines { tasks, others } = Lines::one_of_each();
    let route = "/api/v1/spaces/{id}";
    assert_fields(
        &tasks[0],
        json!({
            "request_id": id, "Function": "spaces", "Route": route, "level": "ERROR", "message": "request failed",
            "status": 503, "ServerErrors": 1,
        }),
    );
    let task = task_of(&others[0]).expect("within the request");
    let expected = json!({"request_id": id, "function": "spaces", "route": route});
    assert_fields(task, expected);

    let cause = text(&tasks[0]["cause"]);
    let start = format!(
        "The service is busy. Retry after the number of seconds in Retry-After: the table is \
         throttled: {code}: "
    );
    assert!(cause.starts_with(&start), "{cause}");
    assert!(!cause.contains('{'), "Rust debug output: {cause}");
}

#[stack_test]
async fn job_yields_one_line_with_its_metrics_and_its_error(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    acme.delete_ok(file.path()).await;
    begin_log();

    let jobs = || -> Vec<Value> {
        let lines = lines().into_iter();
        lines.filter(|line| line["Function"] == "purge").collect()
    };
    let error = InjectedError::new(403, "AccessDenied");
    stack.local.faults().fail(S3, "DeleteObject", 1, error);
    stack.clock.advance(seconds(1));
    let has_failed = stack
        .local
        .until(|messages| messages.running_batches == 0 && jobs().len() == 1);
    has_failed.await.expect("a failed job");
    // The message is delivered again.
    stack.run_for(minutes(15)).await;

    let jobs = jobs();
    let outcomes = jobs
        .iter()
        .map(|job| json!([job["message"], job["FailedJobs"]]));
    let outcomes: Vec<Value> = outcomes.collect();
    let expected = json!([["job failed", 1], ["job", null]]);
    assert_eq!(json!(outcomes), expected, "{jobs:?}");
    for job in &jobs {
        let message_id = &jobs[0]["message_id"];
        let expected = json!({"Jobs": 1, "space_id": acme.id, "message_id": message_id});
        assert_fields(job, expected);
        assert!(job["AwsAttempts"].as_u64() > Some(0), "{job}");
    }
    assert_eq!(jobs[0]["receive_count"], 1);
    let cause = text(&jobs[0]["cause"]);
    assert!(cause.contains("AccessDenied"), "{cause}");
}

#[stack_test]
async fn request_log_line_names_invalid_fields_without_values(acme: &TestSpace) {
    begin_log();

    acme.get_ok(&acme.path()).await;
    let expected = json!({"status": 200, "cause": null, "replayed": null});
    assert_fields(&take_task_line(), expected);

    let invalid = json!({"space_id": acme.id, "name": "", "parent_id": "confidential"});
    acme.post_err(422, "/folders", invalid).await;
    let cause = "The given data was invalid: name, parent_id";
    assert_eq!(take_task_line()["cause"], cause);

    let folder = json!({"space_id": acme.id, "name": "Once"});
    for replayed in [Value::Null, json!(true)] {
        let create = acme.request("POST", "/folders").json(&folder);
        let create = create.header("idempotency-key", "1");
        acme.send(create).await.expect_created();
        assert_eq!(take_task_line()["replayed"], replayed);
    }
}

#[stack_test]
async fn body_that_ends_early_is_logged_with_its_request_and_causes(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload("text").named("a.txt", "text/plain").await;
    begin_log();
    let faults = stack.local.faults();
    faults.truncate_response(S3, "GetObject", 1);

    let host = authority(file.url());
    let (_, path) = file.url().split_once(host).expect("a path");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    let response = RawConnection::request(file.url(), request).await;

    assert!(response.is_none());
    let Lines { tasks, others } = Lines::one_of_each();
    assert_eq!(tasks[0]["status"], 200, "{tasks:?}");
    let failed = &others[0];
    assert_eq!(failed["message"], "response body ended early", "{failed}");
    let task = task_of(failed).expect("within the request");
    assert_eq!(task["request_id"], tasks[0]["request_id"], "{failed}");
    let cause = text(&failed["cause"]);
    let more = cause.strip_prefix("the bucket is busy: streaming error: ");
    assert!(more.is_some_and(|more| !more.is_empty()), "{cause}");
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
    let host = authority(url);
    let key = acme.client.key.as_deref().expect("a key");
    let path = format!("/api/v1{path}");
    let mut connection = RawConnection::connect(url).await;
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n\r\n");
    connection.send(request).await;
    hold.reached().await;
    drop(connection);

    let cancelled = async {
        while !lines().iter().any(is_task_line) {
            tokio::task::yield_now().await;
        }
    };
    let cancelled = tokio::time::timeout(seconds(20), cancelled).await;
    cancelled.expect("a line of the request");
    drop(hold);

    let lines = lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_fields(
        &lines[0],
        json!({
            "message": "task cancelled", "path": path, "Route": "/api/v1/spaces/{id}", "Requests": 1, "AwsAttempts": 1,
            "status": null,
        }),
    );
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
