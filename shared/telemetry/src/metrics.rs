//! The line of metrics of a task, from which CloudWatch Logs extracts them.
//!
//! The format is the embedded metric format ("Specification: Embedded metric format" in the Amazon
//! CloudWatch user guide): the log event is one JSON object. Its member `_aws` names the metrics and
//! the dimension sets that they are published with. Values of metrics and dimensions are members of
//! the root, which may have others.
//!
//! Lambda's log-level filter reads the level of a line from `level`, and its time from `timestamp`
//! in RFC 3339 ("Log-level filtering" in the AWS Lambda developer guide).
//!
//! AWS bills each combination of dimensions as a metric. Metrics that have alarms are published per
//! function; only the number and latency of requests also per route and class of status.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    ResponseSummary, TaskOutcome,
    meter::MeteredFunction,
    metric::Metric,
    task::{TaskId, TaskReport, TaskState},
};

/// Maximum number of values of one metric in one line.
pub(crate) const MAX_VALUES: usize = 100;
/// Value of the dimension `Route` of requests that match no route, so that paths are no dimensions.
const NO_ROUTE: &str = "none";
/// Value of the dimension `StatusClass` of requests without a response.
const CANCELLED: &str = "cancelled";

/// Returns the line of metrics of a task.
pub(crate) fn line(function: &MeteredFunction, report: &TaskReport<'_>) -> Value {
    let TaskReport {
        id,
        state,
        outcome,
        elapsed,
    } = *report;
    let now = function.env.now();
    let mut root = Map::new();
    insert(&mut root, "level", "INFO");
    insert(&mut root, "timestamp", now.rfc3339());
    insert(&mut root, "Function", function.name.as_str());
    if let Some(space_id) = state.space_id {
        insert(&mut root, "space_id", space_id.to_string());
    }

    let mut total_dimensions = vec![vec!["Function"]];
    let total_name;
    let mut per_function;
    match id {
        TaskId::Request { id, .. } => {
            let response = match outcome {
                TaskOutcome::Responded(response) => Some(response),
                _ => None,
            };
            insert(&mut root, "request_id", id.as_str());
            insert(
                &mut root,
                "Route",
                state.route.as_deref().unwrap_or(NO_ROUTE),
            );
            insert(&mut root, "StatusClass", status_class(response));
            if function.counts_routes {
                total_dimensions.push(vec!["Function", "Route", "StatusClass"]);
            }
            total_name = "Requests";
            per_function = response.map(response_metrics).unwrap_or_default();
        }
        TaskId::Message(id) => {
            insert(&mut root, "message_id", id.as_str());
            total_name = "Jobs";
            let is_failed = !matches!(outcome, TaskOutcome::Completed);
            per_function = vec![Metric::count("FailedJobs", u8::from(is_failed))];
        }
    }
    per_function.extend(aws_metrics(state));
    let totals = vec![
        Metric::count(total_name, 1),
        Metric::milliseconds("Latency", milliseconds(elapsed)),
    ];

    let namespace = function.namespace.as_str();
    let directives = [
        directive(&mut root, namespace, &total_dimensions, totals),
        directive(&mut root, namespace, &[vec!["Function"]], per_function),
    ];
    let aws = json!({ "Timestamp": now.ms(), "CloudWatchMetrics": directives });
    insert(&mut root, "_aws", aws);
    Value::Object(root)
}

fn insert(root: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    root.insert(name.to_owned(), value.into());
}

/// Returns the class of a status, for example `4xx`.
fn status_class(response: Option<&ResponseSummary>) -> String {
    match response {
        Some(response) => format!("{}xx", response.status / 100),
        None => CANCELLED.to_owned(),
    }
}

fn response_metrics(response: &ResponseSummary) -> Vec<Metric> {
    let class = response.status / 100;
    vec![
        Metric::count("ClientErrors", u8::from(class == 4)),
        Metric::count("ServerErrors", u8::from(class == 5)),
        Metric::bytes("BytesIn", response.bytes_in),
        Metric::bytes("BytesOut", response.bytes_out),
    ]
}

/// Returns the metrics of a task's AWS calls. A metric without values is omitted, since the format
/// does not allow empty arrays.
///
/// `Throttles` counts throttled attempts, and DynamoDB batches with unprocessed entries. Their
/// response does not tell the reason: throttling, an internal failure, or more than 1 MB of one
/// partition (`BatchGetItem` in the Amazon DynamoDB API reference).
fn aws_metrics(state: &TaskState) -> Vec<Metric> {
    let mut metrics = vec![
        Metric::count("AwsAttempts", state.aws_attempts),
        Metric::count("Throttles", state.throttles),
        Metric::count("Conflicts", state.conflicts),
    ];
    if !state.aws_latencies.is_empty() {
        let latencies: Vec<f64> = state
            .aws_latencies
            .iter()
            .copied()
            .map(milliseconds)
            .collect();
        metrics.push(Metric::milliseconds("AwsAttemptLatency", latencies));
    }
    metrics
}

/// Adds values of metrics to the root, and returns the directive that publishes them.
fn directive(
    root: &mut Map<String, Value>,
    namespace: &str,
    dimension_sets: &[Vec<&str>],
    metrics: Vec<Metric>,
) -> Value {
    let mut definitions = Vec::new();
    for Metric { name, unit, value } in metrics {
        definitions.push(json!({ "Name": name, "Unit": unit }));
        insert(root, name, value);
    }
    json!({ "Namespace": namespace, "Dimensions": dimension_sets, "Metrics": definitions })
}

/// Returns milliseconds with three decimals.
fn milliseconds(duration: Duration) -> f64 {
    let microseconds = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    f64::from(microseconds) / 1_000.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{Clock, Env, Random, SpaceId, Timestamp};

    use super::*;

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
            path: "/api/v1/files/0".to_owned(),
        }
    }

    fn responded(status: u16) -> TaskOutcome {
        TaskOutcome::Responded(ResponseSummary {
            status,
            bytes_in: 3,
            bytes_out: 4,
            cause: None,
            is_contention: false,
            is_replayed: false,
        })
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
        let line = line(&function("files", true), &report);

        let totals = ["Requests", "Latency"];
        let per_function = [
            "ClientErrors",
            "ServerErrors",
            "BytesIn",
            "BytesOut",
            "AwsAttempts",
            "Throttles",
            "Conflicts",
            "AwsAttemptLatency",
        ];
        let expected = [
            published(&["Function"], &totals),
            published(&["Function", "Route", "StatusClass"], &totals),
            published(&["Function"], &per_function),
        ];
        assert_eq!(parse(&line), expected);
        for (name, value) in [
            ("Function", json!("files")),
            ("Route", json!("/api/v1/files/{id}")),
            ("StatusClass", json!("5xx")),
            ("request_id", json!("id")),
            ("space_id", json!(SpaceId::MIN.to_string())),
            ("level", json!("INFO")),
            ("timestamp", json!("2026-01-02T03:04:05.678Z")),
            ("Requests", json!(1)),
            ("Latency", json!(25.0)),
            ("ClientErrors", json!(0)),
            ("ServerErrors", json!(1)),
            ("BytesIn", json!(3)),
            ("BytesOut", json!(4)),
            ("AwsAttempts", json!(2)),
            ("AwsAttemptLatency", json!([1.5, 20.0])),
            ("Throttles", json!(1)),
            ("Conflicts", json!(0)),
        ] {
            assert_eq!(line[name], value, "{name}");
        }
    }

    #[test]
    fn job_is_counted_by_function() {
        let id = TaskId::Message("message".to_owned());
        for (outcome, failed) in [
            (TaskOutcome::Completed, 0),
            (TaskOutcome::Failed, 1),
            (TaskOutcome::Cancelled, 1),
        ] {
            let report = TaskReport {
                id: &id,
                state: &TaskState::default(),
                outcome: &outcome,
                elapsed: Duration::ZERO,
            };
            let line = line(&function("purge", true), &report);

            let per_function = ["FailedJobs", "AwsAttempts", "Throttles", "Conflicts"];
            let expected = [
                published(&["Function"], &["Jobs", "Latency"]),
                published(&["Function"], &per_function),
            ];
            assert_eq!(parse(&line), expected);
            assert_eq!(line["FailedJobs"], failed);
            assert_eq!(line["message_id"], "message");
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
        let line = line(&function("files", false), &report);
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
        let line = line(&function("files", true), &report);

        parse(&line);
        assert_eq!(line["Requests"], 1);
        assert_eq!(line["StatusClass"], "cancelled");
        assert_eq!(line["AwsAttempts"], 1);
        assert_eq!(line.get("ClientErrors"), None);
    }
}
