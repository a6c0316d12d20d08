//! A task's line of metrics, from which CloudWatch Logs extracts them.
//!
//! The format is the embedded metric format ("Specification: Embedded metric format" in the Amazon
//! CloudWatch user guide): the whole log event is one JSON object, whose member `_aws` names the
//! metrics and the sets of dimensions that they are published with; their values are members of the
//! root, which may have others.
//!
//! Lambda's log-level filter takes the level of a line from `level`, and its time from `timestamp`
//! in RFC 3339 ("Log-level filtering" in the AWS Lambda developer guide), so both are there.
//!
//! Each combination of dimensions is a metric that is billed. What is alarmed on is published per
//! function; only the number and latency of requests per route and class of status too.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    meter::Function,
    task::{Id, State},
};

/// Maximum number of values of one metric in one line.
pub(crate) const VALUES_MAX: usize = 100;
/// Value of the dimension `Route` of requests that match none, so that no path becomes a dimension.
const NO_ROUTE: &str = "none";
/// Value of the dimension `StatusClass` of requests that got no response.
const CANCELLED: &str = "cancelled";

/// How a task ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A request was answered.
    Answered(Answer),
    /// A job was done.
    Done,
    /// A job failed, whether its message is delivered again or dropped.
    Failed,
    /// The task was dropped before its end. What it had written by then stays.
    Cancelled,
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Status of the response.
    pub status: u16,
    /// Size of the request's body in bytes, as far as it is known in advance: the whole body in
    /// Lambda, what `Content-Length` states in a container, even if not all of it was read.
    pub bytes_in: u64,
    /// Size of the response's body, if it is known, in bytes.
    pub bytes_out: u64,
    /// Messages of an error and its sources.
    pub cause: Option<String>,
    /// Whether the request only lost a race against others.
    pub is_contention: bool,
    /// Whether the response is that of an earlier request with the same `Idempotency-Key`.
    pub is_replayed: bool,
}

/// A metric: name, unit and value, which may be an array.
type Metric = (&'static str, &'static str, Value);

/// Returns a task's line of metrics.
pub(crate) fn line(
    function: &Function,
    id: &Id,
    state: &State,
    outcome: &Outcome,
    elapsed: Duration,
) -> Value {
    let now = function.env.now();
    let mut root = Map::new();
    root.insert("level".to_owned(), "INFO".into());
    root.insert("timestamp".to_owned(), now.rfc3339().into());
    root.insert("Function".to_owned(), function.name.as_str().into());
    if let Some(space_id) = state.space_id {
        root.insert("space_id".to_owned(), space_id.to_string().into());
    }

    let by_function = json!([["Function"]]);
    let (dimensions, counts, mut per_function) = match id {
        Id::Request { id, .. } => {
            let answer = if let Outcome::Answered(answer) = outcome {
                Some(answer)
            } else {
                None
            };
            let class = answer.map_or(CANCELLED.to_owned(), |answer| {
                format!("{}xx", answer.status / 100)
            });
            root.insert("request_id".to_owned(), id.as_str().into());
            root.insert(
                "Route".to_owned(),
                state.route.as_deref().unwrap_or(NO_ROUTE).into(),
            );
            root.insert("StatusClass".to_owned(), class.into());
            let by_route = json!([["Function"], ["Function", "Route", "StatusClass"]]);
            let dimensions = if function.counts_routes {
                by_route
            } else {
                by_function.clone()
            };
            (
                dimensions,
                "Requests",
                answer.map(answer_metrics).unwrap_or_default(),
            )
        }
        Id::Message(id) => {
            root.insert("message_id".to_owned(), id.as_str().into());
            let failed = u8::from(!matches!(outcome, Outcome::Done));
            (
                by_function.clone(),
                "Jobs",
                vec![("FailedJobs", "Count", failed.into())],
            )
        }
    };
    let counted = vec![
        (counts, "Count", 1.into()),
        ("Latency", "Milliseconds", milliseconds(elapsed)),
    ];
    per_function.extend(costs(state));

    let namespace = function.namespace.as_str();
    let directives = [
        directive(&mut root, namespace, &dimensions, counted),
        directive(&mut root, namespace, &by_function, per_function),
    ];
    root.insert(
        "_aws".to_owned(),
        json!({ "Timestamp": now.ms(), "CloudWatchMetrics": directives }),
    );
    Value::Object(root)
}

fn answer_metrics(answer: &Answer) -> Vec<Metric> {
    vec![
        (
            "ClientErrors",
            "Count",
            u8::from(answer.status / 100 == 4).into(),
        ),
        (
            "ServerErrors",
            "Count",
            u8::from(answer.status / 100 == 5).into(),
        ),
        ("BytesIn", "Bytes", answer.bytes_in.into()),
        ("BytesOut", "Bytes", answer.bytes_out.into()),
    ]
}

/// What a task cost at AWS. A metric without values is left out, since an array of them must not be
/// empty.
///
/// `Throttles` counts attempts that were refused for want of capacity, and batches of DynamoDB that
/// were done in part. The response does not say why: want of capacity, an internal failure, or more
/// than 1 MB of one partition (`BatchGetItem` in the Amazon DynamoDB API reference).
fn costs(state: &State) -> Vec<Metric> {
    let latencies: Vec<Value> = state
        .aws_latencies
        .iter()
        .copied()
        .map(milliseconds)
        .collect();
    let mut costs = vec![
        ("AwsAttempts", "Count", state.aws_attempts.into()),
        ("Throttles", "Count", state.throttles.into()),
        ("Conflicts", "Count", state.conflicts.into()),
    ];
    if !latencies.is_empty() {
        costs.push(("AwsAttemptLatency", "Milliseconds", latencies.into()));
    }
    costs
}

/// Adds metrics to the root, and returns the directive that publishes them.
fn directive(
    root: &mut Map<String, Value>,
    namespace: &str,
    dimensions: &Value,
    metrics: Vec<Metric>,
) -> Value {
    let mut definitions = Vec::new();
    for (name, unit, value) in metrics {
        definitions.push(json!({ "Name": name, "Unit": unit }));
        root.insert(name.to_owned(), value);
    }
    json!({ "Namespace": namespace, "Dimensions": dimensions, "Metrics": definitions })
}

/// Milliseconds with three decimals.
fn milliseconds(duration: Duration) -> Value {
    let microseconds = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    (f64::from(microseconds) / 1_000.0).into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{Clock, Env, Random, SpaceId, Timestamp};

    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_ms(1_767_323_045_678)
    }

    struct Stopped;
    impl Clock for Stopped {
        fn now(&self) -> Timestamp {
            now()
        }
    }
    impl Random for Stopped {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn function(name: &str, counts_routes: bool) -> Function {
        let env = Env::new(Arc::new(Stopped), Arc::new(Stopped));
        Function {
            name: name.to_owned(),
            namespace: "Larder/dev".to_owned(),
            counts_routes,
            env,
        }
    }

    fn request() -> Id {
        Id::Request {
            id: "id".to_owned(),
            path: "/api/v1/files/0".to_owned(),
        }
    }

    fn answered(status: u16) -> Outcome {
        let cause = None;
        Outcome::Answered(Answer {
            status,
            bytes_in: 3,
            bytes_out: 4,
            cause,
            is_contention: false,
            is_replayed: false,
        })
    }

    /// Checks what the specification demands of a line, and returns the metrics by their
    /// dimensions.
    fn published(line: &Value) -> Vec<(Vec<&str>, Vec<&str>)> {
        assert_eq!(line["_aws"]["Timestamp"], now().ms());
        let mut published = Vec::new();
        for directive in line["_aws"]["CloudWatchMetrics"].as_array().unwrap() {
            assert_eq!(directive["Namespace"], "Larder/dev");
            let names =
                |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
            let metrics = directive["Metrics"].as_array().unwrap();
            for metric in metrics {
                let value = &line[metric["Name"].as_str().unwrap()];
                let has_values = value
                    .as_array()
                    .is_some_and(|values| (1..=VALUES_MAX).contains(&values.len()));
                assert!(value.is_number() || has_values, "{metric}: {value}");
            }
            for set in directive["Dimensions"].as_array().unwrap() {
                for dimension in names(set) {
                    assert!(
                        line[&dimension]
                            .as_str()
                            .is_some_and(|value| !value.is_empty()),
                        "{dimension}"
                    );
                }
                let set = set
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|name| name.as_str().unwrap())
                    .collect();
                published.push((
                    set,
                    metrics
                        .iter()
                        .map(|metric| metric["Name"].as_str().unwrap())
                        .collect(),
                ));
            }
        }
        published
    }

    #[test]
    fn request_is_counted_by_function_and_by_route_and_class_of_status() {
        let state = State {
            route: Some("/api/v1/files/{id}".to_owned()),
            space_id: Some(SpaceId::FIRST),
            aws_attempts: 2,
            aws_latencies: vec![Duration::from_micros(1_500), Duration::from_millis(20)],
            throttles: 1,
            conflicts: 0,
        };
        let line = line(
            &function("files", true),
            &request(),
            &state,
            &answered(503),
            Duration::from_millis(25),
        );

        let costs = ["AwsAttempts", "Throttles", "Conflicts", "AwsAttemptLatency"];
        let per_function = [
            &["ClientErrors", "ServerErrors", "BytesIn", "BytesOut"][..],
            &costs,
        ]
        .concat();
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
            ("AwsAttempts", json!(2)),
            ("AwsAttemptLatency", json!([1.5, 20.0])),
            ("Throttles", json!(1)),
            ("Conflicts", json!(0)),
        ] {
            assert_eq!(line[name], value, "{name}");
        }
    }

    #[test]
    fn job_is_counted_by_function_alone() {
        let id = Id::Message("message".to_owned());
        for (outcome, failed) in [
            (Outcome::Done, 0),
            (Outcome::Failed, 1),
            (Outcome::Cancelled, 1),
        ] {
            let line = line(
                &function("purge", true),
                &id,
                &State::default(),
                &outcome,
                Duration::ZERO,
            );
            let costs = vec!["FailedJobs", "AwsAttempts", "Throttles", "Conflicts"];
            let expected = vec![
                (vec!["Function"], vec!["Jobs", "Latency"]),
                (vec!["Function"], costs),
            ];
            assert_eq!(published(&line), expected);
            assert_eq!(
                (&line["FailedJobs"], &line["message_id"]),
                (&json!(failed), &json!("message"))
            );
        }
    }

    #[test]
    fn routes_are_left_out_if_they_are_not_counted() {
        let line = line(
            &function("files", false),
            &request(),
            &State::default(),
            &answered(200),
            Duration::ZERO,
        );
        assert!(
            published(&line)
                .iter()
                .all(|(dimensions, _)| *dimensions == ["Function"])
        );
    }

    #[test]
    fn request_without_a_response_is_counted_as_cancelled() {
        let state = State {
            aws_attempts: 1,
            ..State::default()
        };
        let line = line(
            &function("files", true),
            &request(),
            &state,
            &Outcome::Cancelled,
            Duration::ZERO,
        );
        published(&line);
        assert_eq!(
            (&line["Requests"], &line["StatusClass"]),
            (&json!(1), &json!("cancelled"))
        );
        assert_eq!(
            (&line["AwsAttempts"], line.get("ClientErrors")),
            (&json!(1), None)
        );
    }
}
