//! The line of a task in the log, from which CloudWatch Logs also extracts its metrics.
//!
//! The format is the embedded metric format ("Specification: Embedded metric format" in the Amazon
//! CloudWatch user guide): the log event is one JSON object. Its member `_aws` names the metrics and
//! the dimension sets that they are published with. Values of metrics and dimensions are members of
//! the root, as is the description of the task.
//!
//! Lambda's log-level filter reads the level of a line from `level`, and its time from `timestamp`
//! in RFC 3339 ("Log-level filtering" in the AWS Lambda developer guide).
//!
//! AWS bills each byte of a line, and each combination of dimensions as a metric for the hours in
//! which it has values. So a count of failures is omitted if it is zero, and only the number and
//! latency of requests are published per route and class of status.
//!
//! Invariant: a line has less than 200 fields, the maximum that CloudWatch Logs Insights extracts
//! ("Supported logs and discovered fields" in the Amazon CloudWatch Logs user guide), and 8 KB.

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
/// Value of `Route` of requests that match no route, so that paths are no dimensions.
const NO_ROUTE: &str = "none";
/// Value of the dimension `StatusClass` of requests without a response.
const CANCELLED: &str = "cancelled";

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

    let totals = match report.id {
        TaskId::Request { id, method, path } => {
            line.add("request_id", id.as_str());
            line.add("method", method.as_str());
            line.add("path", path.as_str());
            line.add_response(report);
            "Requests"
        }
        TaskId::Message(id) => {
            line.add("message_id", id.as_str());
            if let Some(job) = report.outcome.failed_job() {
                line.add("receive_count", job.receive_count);
            }
            "Jobs"
        }
    };

    let totals = [
        Metric::count(totals, 1),
        Metric::milliseconds("Latency", milliseconds(report.elapsed)),
    ];
    let mut directives = Vec::new();
    if function.counts_routes && matches!(report.id, TaskId::Request { .. }) {
        line.add("StatusClass", status_class(report.outcome.response()));
        let dimensions = ["Function", "Route", "StatusClass"];
        directives.push(line.publish(function, &dimensions, &totals));
    }
    let metrics: Vec<Metric> = totals.into_iter().chain(metrics(report)).collect();
    directives.push(line.publish(function, &["Function"], &metrics));

    let aws = json!({ "Timestamp": now.ms(), "CloudWatchMetrics": directives });
    line.add("_aws", aws);
    Value::Object(line.0)
}

/// Members of a line.
struct Line(Map<String, Value>);

impl Line {
    fn add(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn add_response(&mut self, report: &TaskReport<'_>) {
        let route = report.state.route.as_deref();
        self.add("Route", route.unwrap_or(NO_ROUTE));
        if let Some(response) = report.outcome.response() {
            self.add("status", response.status);
            if response.is_replayed {
                self.add("replayed", true);
            }
        }
    }

    /// Adds values of metrics, and returns the directive that publishes them.
    fn publish(
        &mut self,
        function: &MeteredFunction,
        dimensions: &[&str],
        metrics: &[Metric],
    ) -> Value {
        let mut definitions = Vec::new();
        for Metric { name, unit, value } in metrics {
            definitions.push(json!({ "Name": name, "Unit": unit }));
            self.add(name, value.clone());
        }
        json!({ "Namespace": function.namespace, "Dimensions": [dimensions], "Metrics": definitions })
    }
}

/// Returns the class of a status, for example `4xx`.
fn status_class(response: Option<&ResponseSummary>) -> String {
    match response {
        Some(response) => format!("{}xx", response.status / 100),
        None => CANCELLED.to_owned(),
    }
}

/// Returns the metrics of a task besides its number and latency.
fn metrics(report: &TaskReport<'_>) -> Vec<Metric> {
    let mut metrics = match report.id {
        TaskId::Request { .. } => {
            let response = report.outcome.response();
            response.map(response_metrics).unwrap_or_default()
        }
        TaskId::Message(_) => {
            let is_failed = !matches!(report.outcome, TaskOutcome::Completed);
            Metric::failures("FailedJobs", u64::from(is_failed))
                .into_iter()
                .collect()
        }
    };
    metrics.extend(aws_metrics(report.state));
    metrics
}

fn response_metrics(response: &ResponseSummary) -> Vec<Metric> {
    let class = response.status / 100;
    let failures = [
        Metric::failures("ClientErrors", u64::from(class == 4)),
        Metric::failures("ServerErrors", u64::from(class == 5)),
    ];
    let sizes = [
        Metric::bytes("BytesIn", response.bytes_in),
        Metric::bytes("BytesOut", response.bytes_out),
    ];
    failures.into_iter().flatten().chain(sizes).collect()
}

/// Returns the metrics of a task's AWS calls. A metric without values is omitted, since the format
/// does not allow empty arrays.
///
/// `Throttles` counts throttled attempts, and DynamoDB batches with unprocessed entries. Their
/// response does not tell the reason: throttling, an internal failure, or more than 1 MB of one
/// partition (`BatchGetItem` in the Amazon DynamoDB API reference).
fn aws_metrics(state: &TaskState) -> Vec<Metric> {
    let mut metrics = vec![Metric::count("AwsAttempts", state.aws_attempts)];
    metrics.extend(Metric::failures("Throttles", state.throttles));
    metrics.extend(Metric::failures("Conflicts", state.conflicts));
    if !state.aws_latencies.is_empty() {
        let latencies = state.aws_latencies.iter().copied().map(milliseconds);
        let latencies: Vec<f64> = latencies.collect();
        metrics.push(Metric::milliseconds("AwsAttemptLatency", latencies));
    }
    metrics
}

/// Returns milliseconds with three decimals.
fn milliseconds(duration: Duration) -> f64 {
    let microseconds = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    f64::from(microseconds) / 1_000.0
}

#[cfg(test)]
mod tests;
