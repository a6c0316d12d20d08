//! The metrics that a stack would publish in CloudWatch.
//!
//! - Those of the functions are read from their log. API Gateway and the function URL count the
//!   same requests; DynamoDB counts the reads and writes that the functions saw throttled
//!   ("DynamoDB metrics and dimensions" in the Amazon DynamoDB Developer Guide).
//! - Those of SQS are measured at the times of [`Recorder::measure`].
//! - The local stack has none of Lambda: it neither limits concurrency nor kills invocations.

use std::collections::BTreeMap;

use domain::env::Timestamp;
use serde_json::{Value, json};
use tests::Stack;

use super::evaluator::Sample;
use crate::{
    lambda::log_capture::{begin_log, is_task_line, lines},
    support::queues::Queues,
};

/// Records the metrics of a stack from its creation on.
pub(super) struct Recorder<'a> {
    stack: &'a Stack,
    queues: Queues,
    /// Times since which queues have not been empty, in milliseconds.
    waiting_since_ms: BTreeMap<String, i64>,
    samples: Vec<Sample>,
}

impl Recorder<'_> {
    pub(super) fn start(stack: &Stack) -> Recorder<'_> {
        begin_log();
        Recorder {
            stack,
            queues: Queues::of(stack, "purge"),
            waiting_since_ms: BTreeMap::new(),
            samples: Vec::new(),
        }
    }

    /// Measures the queues. The age of the oldest message is the time since which the queue has not
    /// been empty.
    pub(super) async fn measure(&mut self) {
        let now_ms = self.stack.now().ms();
        for queue in &self.stack.local.template().queues {
            let visible = self.queues.count(&queue.logical_id).await;
            if visible == 0 {
                self.waiting_since_ms.remove(&queue.name);
            }
            let since = self.waiting_since_ms.entry(queue.name.clone());
            let age_ms = (visible > 0).then(|| now_ms - *since.or_insert(now_ms));

            let counted = u32::try_from(visible).expect("a small number");
            let age = age_ms.map(|ms| u32::try_from(ms / 1_000).expect("a small number"));
            let dimension = Some(["QueueName", queue.name.as_str()]);
            for (name, value) in [
                ("ApproximateNumberOfMessagesVisible", Some(counted)),
                ("ApproximateAgeOfOldestMessage", age),
            ] {
                let sample = |value| Sample::new(now_ms, ["AWS/SQS", name], dimension, value);
                self.samples.extend(value.map(f64::from).map(sample));
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Sample> {
        let mut throttled = Vec::new();
        for line in lines() {
            if is_task_line(&line) {
                self.samples.extend(published(&line));
                self.samples.extend(counted_by_aws(&line));
                let at_ms = logged_at_ms(&line);
                let calls = throttled.drain(..);
                self.samples
                    .extend(calls.map(|call| throttle_events(&call, at_ms)));
            } else if line["message"] == "AWS call was throttled" && line["service"] == "DynamoDB" {
                throttled.push(line);
            }
        }
        self.samples
    }
}

/// Returns the time of a line.
fn logged_at_ms(line: &Value) -> i64 {
    let text = line["timestamp"].as_str().expect("a time");
    Timestamp::parse_rfc3339(text).expect("RFC 3339").ms()
}

/// Returns what CloudWatch extracts from a line in the embedded metric format, whose metrics have
/// one value and no dimensions.
fn published(line: &Value) -> Vec<Sample> {
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut samples = Vec::new();
    for directive in items(&line["_aws"]["CloudWatchMetrics"]) {
        assert_eq!(directive["Dimensions"], json!([[]]));
        let namespace = text(&directive["Namespace"]);
        for metric in items(&directive["Metrics"]) {
            let name = text(&metric["Name"]);
            let at_ms = line["_aws"]["Timestamp"].as_i64().expect("a time");
            let value = line[&name].as_f64().expect("a number");
            samples.push(Sample::new(at_ms, [&namespace, &name], None, value));
        }
    }
    samples
}

/// Returns what services of AWS count of a request or a job.
fn counted_by_aws(line: &Value) -> Vec<Sample> {
    let at_ms = logged_at_ms(line);
    let number = |name: &str| line[name].as_f64();
    let (source, dimension, names) = if line["Function"] == "delivery" {
        let names = ["UrlRequestCount", "Url5xxCount"];
        ("AWS/Lambda", ["FunctionName", "larder-Delivery"], names)
    } else {
        let names = ["Count", "5xx"];
        ("AWS/ApiGateway", ["ApiId", "larder-Api"], names)
    };

    let mut samples = Vec::new();
    if let Some(requests) = number("Requests") {
        let errors = number("ServerErrors").unwrap_or_default();
        for (name, value) in names.into_iter().zip([requests, errors]) {
            samples.push(Sample::new(at_ms, [source, name], Some(dimension), value));
        }
    }
    samples
}

/// Returns what DynamoDB counts of a throttled call.
fn throttle_events(call: &Value, at_ms: i64) -> Sample {
    let name = match call["operation"].as_str().expect("an operation") {
        "BatchGetItem" | "GetItem" | "Query" | "TransactGetItems" => "ReadThrottleEvents",
        _ => "WriteThrottleEvents",
    };
    let table = Some(["TableName", "larder-Table"]);
    let throttles = call["throttles"].as_f64().expect("a number");
    Sample::new(at_ms, ["AWS/DynamoDB", name], table, throttles)
}
