//! Tests of lines.

use std::sync::Arc;

use domain::{
    env::{Clock, Env, Random, Timestamp},
    id::SpaceId,
};

use super::*;
use crate::{FailedJob, FailureReason};

fn now() -> Timestamp {
    Timestamp::from_ms(1_767_323_045_678)
}

struct FixedClock;
impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        now()
    }
}

struct ZeroRandom;
impl Random for ZeroRandom {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn function(name: &str) -> MeteredFunction {
    MeteredFunction {
        name: name.to_owned(),
        namespace: "Larder/dev".to_owned(),
        env: Env::new(Arc::new(FixedClock), Arc::new(ZeroRandom)),
    }
}

fn request() -> TaskId {
    TaskId::Request {
        id: "id".to_owned(),
        method: "GET".to_owned(),
        path: "/api/v1/files/0".to_owned(),
    }
}

fn summary(status: u16) -> ResponseSummary {
    ResponseSummary {
        status,
        bytes_in: 3,
        bytes_out: 4,
        cause: (status >= 500).then(|| "a".repeat(10_000)),
        is_contention: false,
        is_replayed: false,
    }
}

fn responded(status: u16) -> TaskOutcome {
    TaskOutcome::Responded(summary(status))
}

#[test]
fn line_of_a_request_has_its_measurements_and_publishes_none() {
    let state = TaskState {
        route: Some("/api/v1/files/{id}".to_owned()),
        space_id: Some(SpaceId::MIN),
        aws_attempts: 2,
        aws_latencies: vec![Duration::from_micros(1_500), Duration::from_millis(20)],
        throttles: 1,
        conflicts: 0,
    };

    let report = TaskReport {
        id: &request(),
        state: &state,
        outcome: &responded(503),
        elapsed: Duration::from_millis(25),
    };
    let line = json(&function("files"), &report);

    for (name, value) in [
        ("Function", json!("files")),
        ("Route", json!("/api/v1/files/{id}")),
        ("request_id", json!("id")),
        ("method", json!("GET")),
        ("path", json!("/api/v1/files/0")),
        ("status", json!(503)),
        ("message", json!("request failed")),
        ("cause", json!("a".repeat(2_000))),
        ("space_id", json!(SpaceId::MIN.to_string())),
        ("level", json!("ERROR")),
        ("timestamp", json!("2026-01-02T03:04:05.678Z")),
        ("Requests", json!(1)),
        ("Latency", json!(25.0)),
        ("ServerErrors", json!(1)),
        ("BytesIn", json!(3)),
        ("BytesOut", json!(4)),
        ("AwsAttempts", json!(2)),
        ("AwsAttemptLatency", json!([1.5, 20.0])),
        ("Throttles", json!(1)),
        ("Conflicts", json!(null)),
        ("ClientErrors", json!(null)),
        ("_aws", json!(null)),
    ] {
        assert_eq!(line[name], value, "{name}");
    }
}

/// Returns the number of values in a JSON value.
fn fields(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.values().map(fields).sum(),
        Value::Array(items) => items.iter().map(fields).sum(),
        _ => 1,
    }
}

#[test]
fn number_of_fields_and_size_of_the_largest_line_are_limited() {
    let api = include_str!("../../../../openapi.json");
    let api: Value = serde_json::from_str(api).unwrap();
    let routes = api["paths"].as_object().unwrap().keys();
    let state = TaskState {
        route: routes.max_by_key(|route| route.len()).cloned(),
        space_id: Some(SpaceId::MIN),
        aws_attempts: 1_000,
        aws_latencies: vec![Duration::from_secs(4_000); MAX_LATENCIES],
        throttles: 1,
        conflicts: 1,
    };
    let id = TaskId::Request {
        id: "id".to_owned(),
        method: "DELETE".to_owned(),
        path: "/".repeat(256),
    };

    let mut function = function("upload-configs");
    function.namespace = format!("Larder/{}", "a".repeat(32));
    for cause in ["a", "\"", "\u{1}", "€"] {
        let failed = ResponseSummary {
            cause: Some(cause.repeat(10_000)),
            ..summary(503)
        };
        let report = TaskReport {
            id: &id,
            state: &state,
            outcome: &TaskOutcome::Responded(failed),
            elapsed: Duration::MAX,
        };
        let line = json(&function, &report);

        assert!(fields(&line) < 200, "{}", fields(&line));
        assert!(line.to_string().len() < 8_000, "{line}");
    }
}

#[test]
fn failed_job_is_a_metric_without_dimensions() {
    let id = TaskId::Message("message".to_owned());
    let failed = TaskOutcome::Failed(FailedJob {
        reason: FailureReason::Error("the bucket is busy".to_owned()),
        receive_count: 3,
    });
    for (outcome, message, is_failed) in [
        (TaskOutcome::Completed, "job", false),
        (failed, "job failed", true),
        (TaskOutcome::Cancelled, "task cancelled", true),
    ] {
        let report = TaskReport {
            id: &id,
            state: &TaskState::default(),
            outcome: &outcome,
            elapsed: Duration::ZERO,
        };
        let line = json(&function("purge"), &report);

        let published = json!({"Timestamp": now().ms(), "CloudWatchMetrics": [{
            "Namespace": "Larder/dev", "Dimensions": [[]], "Metrics": [{"Name": "FailedJobs", "Unit": "Count"}],
        }]});
        let expected = is_failed.then_some((json!(1), published));
        let failed = line.get("FailedJobs").cloned();
        assert_eq!(failed.zip(line.get("_aws").cloned()), expected);
        assert_eq!(
            (&line["Function"], &line["Jobs"]),
            (&json!("purge"), &json!(1))
        );
        assert_eq!(line["message"], message);
        assert_eq!(line["message_id"], "message");
        let is_error = matches!(outcome, TaskOutcome::Failed(_));
        assert_eq!(line["cause"] == "the bucket is busy", is_error);
        assert_eq!(line["receive_count"] == 3, is_error);
    }
}

#[test]
fn request_without_a_response_has_no_status() {
    let state = TaskState {
        aws_attempts: 1,
        ..TaskState::default()
    };

    let report = TaskReport {
        id: &request(),
        state: &state,
        outcome: &TaskOutcome::Cancelled,
        elapsed: Duration::ZERO,
    };
    let line = json(&function("files"), &report);

    assert_eq!(line["Requests"], 1);
    assert_eq!(line["status"], json!(null));
    assert_eq!(line["AwsAttempts"], 1);
    assert_eq!(line.get("ClientErrors"), None);
}
