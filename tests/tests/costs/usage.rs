//! What a request uses of each service.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tests::{Observed, Stack};

use super::prices::{Prices, number};
use crate::{
    lambda::log_capture::{begin_log, is_task_line, line_bytes, lines},
    routes::declarations::deployed_template,
};

/// Quantities by unit, as named in `docs/prices.json`.
pub(crate) type Usage = BTreeMap<String, f64>;

/// Bytes of a tenth of a kilobyte, to which the log is rounded, because the lengths of lines differ
/// between runs.
const BYTES_PER_TENTH: usize = 100;
const SQS: &str = "SQS: requests";
/// A surcharge for each of these requests, because their messages have a message group, the space.
const FAIR_QUEUES: &str = "SQS: surcharge of fair queues";

/// Runs the requests of one kind, and returns their output and what they and their jobs used.
pub(crate) async fn measure<T>(
    stack: &Stack,
    prices: &Prices,
    kind: &str,
    work: impl Future<Output = T>,
) -> (T, Usage) {
    begin_log();
    stack.local.units().start();
    let Observed { output, calls } = stack.calls_of(work).await;
    let units = stack.local.units().take();
    let kilobytes = line_bytes().div_ceil(BYTES_PER_TENTH);
    let log = lines();

    let mut usage = Usage::new();
    let mut add = |unit: &str, quantity: f64| {
        *usage.entry(unit.to_owned()).or_default() += quantity;
    };
    add("DynamoDB: read units", float(units.half_read) / 2.0);
    add("DynamoDB: write units", float(units.write));
    for call in &calls {
        // The CDN itself reads the object of a redirect.
        if call.starts_with("cdn ") {
            add("CloudFront: requests", 1.0);
            add("CloudFront: viewer function", 1.0);
        }
        let unit = unit_of(call);
        if let Some(unit) = unit {
            add(unit, 1.0);
        }
        if unit == Some(SQS) {
            add(FAIR_QUEUES, 1.0);
        }
    }
    add("CloudWatch Logs: KB", float(kilobytes) / 10.0);
    let finished: Vec<&Value> = log.iter().filter(|line| is_task_line(line)).collect();
    for line in &finished {
        add("Lambda: requests", 1.0);
        if line.get("Jobs").is_some() {
            // The event source mapping receives and deletes the message.
            add(SQS, 2.0);
            add(FAIR_QUEUES, 2.0);
        } else if line["Function"] == "delivery" {
            add("CloudFront: requests", 1.0);
            add("CloudFront: viewer function", 1.0);
        } else {
            add("API Gateway: requests", 1.0);
            let access_log = prices.assumed("kilobytes of an access log line of the API");
            add("CloudWatch Logs: KB", access_log);
        }
    }
    add(
        "Lambda: GB-seconds",
        gigabyte_seconds(prices, kind, &finished),
    );

    (output, usage)
}

/// Returns the unit that a call is billed by. `None` if it is free, DynamoDB bills it by the units
/// it uses, or an event source mapping makes it, whose calls are counted by jobs.
fn unit_of(call: &str) -> Option<&'static str> {
    match call.split(' ').nth(1).expect("a function and a call") {
        "GetObject" | "HeadObject" => Some("S3: reads"),
        "PutObject" | "CopyObject" | "ListObjectsV2" => Some("S3: writes, copies and lists"),
        "SendMessage" | "SendMessageBatch" | "ChangeMessageVisibility" => Some(SQS),
        "BatchGetItem" | "BatchWriteItem" | "DeleteItem" | "GetItem" | "PutItem" | "Query"
        | "TransactGetItems" | "TransactWriteItems" | "UpdateItem" | "DeleteObject"
        | "DeleteObjects" | "DeleteMessageBatch" | "ReceiveMessage" => None,
        other => panic!("the price of {other} is missing"),
    }
}

/// Returns a count as a quantity.
pub(super) fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("a small count"))
}

/// Returns memory by assumed time of the functions that ran, which must be those with an
/// assumption.
fn gigabyte_seconds(prices: &Prices, kind: &str, finished: &[&Value]) -> f64 {
    let assumed = prices.milliseconds(kind);
    let ran: BTreeSet<&str> = finished
        .iter()
        .filter_map(|line| line["Function"].as_str())
        .collect();
    let expected: BTreeSet<&str> = assumed.keys().map(String::as_str).collect();
    assert_eq!(ran, expected, "{kind}");

    let functions = deployed_template().functions;
    let memory = |name: &str| {
        let function = functions.iter().find(|function| function.binary == name);
        f64::from(function.expect("a function of the template").memory_mib)
    };
    assumed
        .iter()
        .map(|(name, time)| memory(name) / 1_024.0 * milliseconds(prices, time, memory(name)))
        .sum::<f64>()
        / 1_000.0
}

/// Returns the time of a function with this memory: the calls that it waits for, and its CPU time,
/// which is longer with less than one vCPU.
fn milliseconds(prices: &Prices, time: &Value, memory: f64) -> f64 {
    let vcpu = (memory / prices.assumed("megabytes of one vCPU")).min(1.0);
    number(&time["waiting"], "waiting") + number(&time["cpu"], "cpu") / vcpu
}
