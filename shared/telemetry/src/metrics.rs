//! A task's line of metrics, from which CloudWatch Logs extracts them.
//!
//! The format is the embedded metric format ("Specification: Embedded metric format" in the Amazon CloudWatch user guide):
//! the whole log event is one JSON object, whose member `_aws` names the metrics and the sets of dimensions that they are
//! published with; their values are members of the root, which may have others.
//!
//! Lambda's log-level filter takes the level of a line from `level`, and its time from `timestamp` in RFC 3339 ("Log-level
//! filtering" in the AWS Lambda developer guide), so both are there.
//!
//! Each combination of dimensions is a metric that is billed. What is alarmed on is published per function; only the
//! number and latency of requests per route and class of status too.

use std::time::Duration;

use domain::Timestamp;
use serde_json::{Map, Value, json};

use crate::task::{Id, State};

/// Maximum number of values of one metric in one line.
pub(crate) const VALUES_MAX: usize = 100;
/// Namespace of the metrics.
const NAMESPACE: &str = "Larder";
/// Value of the dimension `Route` of requests that match none, so that no path becomes a dimension.
const NO_ROUTE: &str = "none";

/// How a task ended.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// A request was answered.
    Answered {
        /// Status of the response.
        status: u16,
        /// Size of the request's body, if it is known, in bytes.
        bytes_in: u64,
        /// Size of the response's body, if it is known, in bytes.
        bytes_out: u64,
    },
    /// A job was done.
    Done,
    /// A job failed, whether its message is delivered again or dropped.
    Failed,
}

/// A metric: name, unit and value, which may be an array.
type Metric = (&'static str, &'static str, Value);

/// Returns a task's line of metrics.
pub(crate) fn line(
    function: &str,
    id: &Id,
    state: &State,
    outcome: Outcome,
    elapsed: Duration,
    now: Timestamp,
) -> Value {
    let mut root = Map::new();
    root.insert("level".to_owned(), "INFO".into());
    root.insert("timestamp".to_owned(), now.rfc3339().into());
    root.insert("Function".to_owned(), function.into());
    let (id_name, id) = match id {
        Id::Request(id) => ("request_id", id),
        Id::Message(id) => ("message_id", id),
    };
    root.insert(id_name.to_owned(), id.as_str().into());
    if let Some(space_id) = state.space_id {
        root.insert("space_id".to_owned(), space_id.to_string().into());
    }

    let (dimensions, counts, mut per_function) = match outcome {
        Outcome::Answered { status, bytes_in, bytes_out } => {
            root.insert("Route".to_owned(), state.route.as_deref().unwrap_or(NO_ROUTE).into());
            root.insert("StatusClass".to_owned(), format!("{}xx", status / 100).into());
            let per_function = vec![
                ("ClientErrors", "Count", Value::from(u8::from(status / 100 == 4))),
                ("ServerErrors", "Count", u8::from(status / 100 == 5).into()),
                ("BytesIn", "Bytes", bytes_in.into()),
                ("BytesOut", "Bytes", bytes_out.into()),
            ];
            (json!([["Function"], ["Function", "Route", "StatusClass"]]), "Requests", per_function)
        }
        Outcome::Done | Outcome::Failed => {
            let failed = u8::from(matches!(outcome, Outcome::Failed));
            (json!([["Function"]]), "Jobs", vec![("FailedJobs", "Count", failed.into())])
        }
    };
    let counted = vec![(counts, "Count", 1.into()), ("Latency", "Milliseconds", milliseconds(elapsed))];
    per_function.extend(costs(state));

    let directives =
        [directive(&mut root, &dimensions, counted), directive(&mut root, &json!([["Function"]]), per_function)];
    root.insert("_aws".to_owned(), json!({ "Timestamp": now.ms(), "CloudWatchMetrics": directives }));
    Value::Object(root)
}

/// What a task cost at AWS. A metric without values is left out, since an array of them must not be empty.
fn costs(state: &State) -> Vec<Metric> {
    let latencies: Vec<Value> = state.aws_latencies.iter().copied().map(milliseconds).collect();
    let mut costs = vec![
        ("AwsCalls", "Count", state.aws_calls.into()),
        ("Throttles", "Count", state.throttles.into()),
        ("Conflicts", "Count", state.conflicts.into()),
    ];
    if !latencies.is_empty() {
        costs.push(("AwsCallLatency", "Milliseconds", latencies.into()));
    }
    costs
}

/// Adds metrics to the root, and returns the directive that publishes them.
fn directive(root: &mut Map<String, Value>, dimensions: &Value, metrics: Vec<Metric>) -> Value {
    let mut definitions = Vec::new();
    for (name, unit, value) in metrics {
        definitions.push(json!({ "Name": name, "Unit": unit }));
        root.insert(name.to_owned(), value);
    }
    json!({ "Namespace": NAMESPACE, "Dimensions": dimensions, "Metrics": definitions })
}

/// Milliseconds with three decimals.
fn milliseconds(duration: Duration) -> Value {
    let microseconds = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    (f64::from(microseconds) / 1_000.0).into()
}

#[cfg(test)]
mod tests {
    use domain::SpaceId;

    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_ms(1_767_323_045_678)
    }

    /// Checks what the specification demands of a line, and returns the metrics by their dimensions.
    fn published(line: &Value) -> Vec<(Vec<&str>, Vec<&str>)> {
        assert_eq!(line["_aws"]["Timestamp"], now().ms());
        let mut published = Vec::new();
        for directive in line["_aws"]["CloudWatchMetrics"].as_array().unwrap() {
            assert_eq!(directive["Namespace"], "Larder");
            let names = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
            let metrics = directive["Metrics"].as_array().unwrap();
            for metric in metrics {
                let value = &line[metric["Name"].as_str().unwrap()];
                let has_values = value.as_array().is_some_and(|values| (1..=VALUES_MAX).contains(&values.len()));
                assert!(value.is_number() || has_values, "{metric}: {value}");
            }
            for set in directive["Dimensions"].as_array().unwrap() {
                for dimension in names(set) {
                    assert!(line[&dimension].as_str().is_some_and(|value| !value.is_empty()), "{dimension}");
                }
                let set = set.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
                published.push((set, metrics.iter().map(|metric| metric["Name"].as_str().unwrap()).collect()));
            }
        }
        published
    }

    #[test]
    fn request_is_counted_by_function_and_by_route_and_class_of_status() {
        let state = State {
            route: Some("/api/v1/files/{id}".to_owned()),
            space_id: Some(SpaceId::FIRST),
            aws_calls: 2,
            aws_latencies: vec![Duration::from_micros(1_500), Duration::from_millis(20)],
            throttles: 1,
            conflicts: 0,
        };
        let outcome = Outcome::Answered { status: 503, bytes_in: 3, bytes_out: 4 };
        let line = line("files", &Id::Request("id".to_owned()), &state, outcome, Duration::from_millis(25), now());

        let costs = ["AwsCalls", "Throttles", "Conflicts", "AwsCallLatency"];
        let per_function = [&["ClientErrors", "ServerErrors", "BytesIn", "BytesOut"][..], &costs].concat();
        let counted = vec!["Requests", "Latency"];
        let expected = vec![
            (vec!["Function"], counted.clone()),
            (vec!["Function", "Route", "StatusClass"], counted),
            (vec!["Function"], per_function),
        ];
        assert_eq!(published(&line), expected);
        for (name, value) in [
            ("Function", json!("files")),
            ("Route", json!("/api/v1/files/{id}")),
            ("StatusClass", json!("5xx")),
            ("request_id", json!("id")),
            ("space_id", json!(SpaceId::FIRST.to_string())),
            ("level", json!("INFO")),
            ("timestamp", json!("2026-01-02T03:04:05.678Z")),
            ("Requests", json!(1)),
            ("Latency", json!(25.0)),
            ("ClientErrors", json!(0)),
            ("ServerErrors", json!(1)),
            ("BytesIn", json!(3)),
            ("BytesOut", json!(4)),
            ("AwsCalls", json!(2)),
            ("AwsCallLatency", json!([1.5, 20.0])),
            ("Throttles", json!(1)),
            ("Conflicts", json!(0)),
        ] {
            assert_eq!(line[name], value, "{name}");
        }
    }

    #[test]
    fn job_is_counted_by_function_alone() {
        let id = Id::Message("message".to_owned());
        for (outcome, failed) in [(Outcome::Done, 0), (Outcome::Failed, 1)] {
            let line = line("purge", &id, &State::default(), outcome, Duration::ZERO, now());
            let costs = vec!["FailedJobs", "AwsCalls", "Throttles", "Conflicts"];
            let expected = vec![(vec!["Function"], vec!["Jobs", "Latency"]), (vec!["Function"], costs)];
            assert_eq!(published(&line), expected);
            assert_eq!((&line["FailedJobs"], &line["message_id"]), (&json!(failed), &json!("message")));
        }
    }
}
