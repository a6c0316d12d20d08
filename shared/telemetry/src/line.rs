//! The line of a task in the log, whose members are the description and the measurements of the
//! task.
//!
//! A failed job is also a metric: CloudWatch Logs extracts it from the member `_aws` of the line,
//! in the embedded metric format ("Specification: Embedded metric format" in the Amazon CloudWatch
//! user guide). AWS bills each metric, so what no alarm needs is in the log alone, which CloudWatch
//! Logs Insights queries. Counts of failures that are zero are omitted, since AWS bills each byte
//! of a line.
//!
//! Lambda's log-level filter reads the level of a line from `level`, and its time from `timestamp`
//! in RFC 3339 ("Log-level filtering" in the AWS Lambda developer guide).
//!
//! Invariant: a line has less than 200 fields, the maximum that CloudWatch Logs Insights extracts
//! ("Supported logs and discovered fields" in the Amazon CloudWatch Logs user guide), and 8 KB.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{
    ResponseSummary, TaskOutcome,
    meter::MeteredFunction,
    task::{TaskId, TaskReport, TaskState},
};

/// Maximum number of latencies of AWS calls in a line.
pub(crate) const MAX_LATENCIES: usize = 100;
/// Value of `Route` of requests that match no route.
const NO_ROUTE: &str = "none";
/// The metric of failed jobs, of all workers together.
const FAILED_JOBS: &str = "FailedJobs";

/// Returns the line of a task.
pub(crate) fn json(function: &MeteredFunction, report: &TaskReport<'_>) -> Value {
    let now = function.env.now();
    let description = report.outcome.describe();
    let mut line = Line(Map::new());
    line.add("level", description.level.as_str());
    line.add("timestamp", now.rfc3339());
    line.add("message", description.message);
    line.add("Function", function.name.as_str());
    if let Some(cause) = description.cause {
        line.add("cause", cause);
    }
    if let Some(space_id) = report.state.space_id {
        line.add("space_id", space_id.to_string());
    }
    line.add("Latency", milliseconds(report.elapsed));

    match report.id {
        TaskId::Request { id, method, path } => {
            line.add("Requests", 1);
            line.add("request_id", id.as_str());
            line.add("method", method.as_str());
            line.add("path", path.as_str());
            line.add("Route", report.state.route.as_deref().unwrap_or(NO_ROUTE));
            if let Some(response) = report.outcome.response() {
                line.add_response(response);
            }
        }
        TaskId::Message(id) => {
            line.add("Jobs", 1);
            line.add("message_id", id.as_str());
            if let Some(job) = report.outcome.failed_job() {
                line.add("receive_count", job.receive_count);
            }
            if !matches!(report.outcome, TaskOutcome::Completed) {
                line.add(FAILED_JOBS, 1);
                line.add("_aws", failed_job_metric(&function.namespace, now.ms()));
            }
        }
    }

    line.add_aws_calls(report.state);
    Value::Object(line.0)
}

/// Returns the directive that publishes [`FAILED_JOBS`] without dimensions.
fn failed_job_metric(namespace: &str, now_ms: i64) -> Value {
    let metrics = json!([{ "Name": FAILED_JOBS, "Unit": "Count" }]);
    let directive = json!({ "Namespace": namespace, "Dimensions": [[]], "Metrics": metrics });
    json!({ "Timestamp": now_ms, "CloudWatchMetrics": [directive] })
}

/// Members of a line.
struct Line(Map<String, Value>);

impl Line {
    fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Adds a count of failures, unless it is zero.
    fn add_failures(&mut self, name: &str, count: u64) {
        if count > 0 {
            self.add(name, count);
        }
    }

    fn add_response(&mut self, response: &ResponseSummary) {
        let class = response.status / 100;
        self.add("status", response.status);
        if response.is_replayed {
            self.add("replayed", true);
        }

        self.add_failures("ClientErrors", u64::from(class == 4));
        self.add_failures("ServerErrors", u64::from(class == 5));
        self.add("BytesIn", response.bytes_in);
        self.add("BytesOut", response.bytes_out);
    }

    /// Adds the measurements of a task's AWS calls.
    ///
    /// `Throttles` counts throttled attempts, and DynamoDB batches with unprocessed entries. Their
    /// response does not tell the reason: throttling, an internal failure, or more than 1 MB of one
    /// partition (`BatchGetItem` in the Amazon DynamoDB API reference).
    fn add_aws_calls(&mut self, state: &TaskState) {
        self.add("AwsAttempts", state.aws_attempts);
        self.add_failures("Throttles", state.throttles);
        self.add_failures("Conflicts", state.conflicts);
        if !state.aws_latencies.is_empty() {
            let latencies = state.aws_latencies.iter().copied().map(milliseconds);
            self.add("AwsAttemptLatency", latencies.collect::<Vec<f64>>());
        }
    }
}

/// Returns milliseconds with three decimals.
fn milliseconds(duration: Duration) -> f64 {
    let microseconds = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    f64::from(microseconds) / 1_000.0
}

#[cfg(test)]
mod tests;
