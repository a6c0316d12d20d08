//! Tests of lines.

use std::sync::Arc;

use domain::{Clock, Env, Random, SpaceId, Timestamp};

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

fn function(name: &str, counts_routes: bool) -> MeteredFunction {
    MeteredFunction {
        name: name.to_owned(),
        namespace: "Larder/dev".to_owned(),
        counts_routes,
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

/// Metrics that are published with one set of dimensions.
#[derive(Debug, PartialEq, Eq)]
struct Published<'a> {
    dimensions: Vec<&'a str>,
    metrics: Vec<&'a str>,
}

fn published<'a>(dimensions: &[&'a str], metrics: &[&'a str]) -> Published<'a> {
    Published {
        dimensions: dimensions.to_vec(),
        metrics: metrics.to_vec(),
    }
}

/// Returns the metrics of a line. Panics if the line violates the embedded metric format.
fn parse(line: &Value) -> Vec<Published<'_>> {
    assert_eq!(line["_aws"]["Timestamp"], now().ms());
    let mut published = Vec::new();
    for directive in line["_aws"]["CloudWatchMetrics"].as_array().unwrap() {
        assert_eq!(directive["Namespace"], "Larder/dev");
        let metrics = metric_names(line, directive);
        for set in directive["Dimensions"].as_array().unwrap() {
            published.push(Published {
                dimensions: dimension_names(line, set),
                metrics: metrics.clone(),
            });
        }
    }
    published
}

fn metric_names<'a>(line: &Value, directive: &'a Value) -> Vec<&'a str> {
    let metrics = directive["Metrics"].as_array().unwrap();
    let names: Vec<&str> = metrics
        .iter()
        .map(|metric| metric["Name"].as_str().unwrap())
        .collect();
    for name in &names {
        let value = &line[name];
        let has_values = value
            .as_array()
            .is_some_and(|values| (1..=MAX_VALUES).contains(&values.len()));
        assert!(value.is_number() || has_values, "{name}: {value}");
    }
    names
}

fn dimension_names<'a>(line: &Value, set: &'a Value) -> Vec<&'a str> {
    let names: Vec<&str> = set
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    for name in &names {
        let value = line[name].as_str();
        assert!(value.is_some_and(|value| !value.is_empty()), "{name}");
    }
    names
}

#[test]
fn request_is_counted_by_function_and_by_route_and_class_of_status() {
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
    let line = json(&function("files", true), &report);

    let totals = ["Requests", "Latency"];
    let per_function = [
        "Requests",
        "Latency",
        "ServerErrors",
        "BytesIn",
        "BytesOut",
        "AwsAttempts",
        "Throttles",
        "AwsAttemptLatency",
    ];
    let expected = [
        published(&["Function", "Route", "StatusClass"], &totals),
        published(&["Function"], &per_function),
    ];
    assert_eq!(parse(&line), expected);
    for (name, value) in [
        ("Function", json!("files")),
        ("Route", json!("/api/v1/files/{id}")),
        ("StatusClass", json!("5xx")),
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
        aws_latencies: vec![Duration::from_secs(4_000); MAX_VALUES],
        throttles: 1,
        conflicts: 1,
    };
    let id = TaskId::Request {
        id: "id".to_owned(),
        method: "DELETE".to_owned(),
        path: "/".repeat(256),
    };

    let mut function = function("upload-configs", true);
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
fn job_is_counted_by_function() {
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
        let line = json(&function("purge", true), &report);

        let metrics: &[&str] = if is_failed {
            &["Jobs", "Latency", "FailedJobs", "AwsAttempts"]
        } else {
            &["Jobs", "Latency", "AwsAttempts"]
        };
        assert_eq!(parse(&line), [published(&["Function"], metrics)]);
        assert_eq!(line["message"], message);
        assert_eq!(line["message_id"], "message");
        let is_error = matches!(outcome, TaskOutcome::Failed(_));
        assert_eq!(line["cause"] == "the bucket is busy", is_error);
        assert_eq!(line["receive_count"] == 3, is_error);
    }
}

#[test]
fn routes_are_no_dimension_if_they_are_not_counted() {
    let report = TaskReport {
        id: &request(),
        state: &TaskState::default(),
        outcome: &responded(200),
        elapsed: Duration::ZERO,
    };
    let line = json(&function("files", false), &report);
    for published in parse(&line) {
        assert_eq!(published.dimensions, ["Function"]);
    }
}

#[test]
fn request_without_a_response_is_counted_as_cancelled() {
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
    let line = json(&function("files", true), &report);

    parse(&line);
    assert_eq!(line["Requests"], 1);
    assert_eq!(line["StatusClass"], "cancelled");
    assert_eq!(line["AwsAttempts"], 1);
    assert_eq!(line.get("ClientErrors"), None);
}
