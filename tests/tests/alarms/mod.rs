//! Each alarm of the template, over the metrics that faults and ordinary work cause.

mod dashboard;
mod evaluator;
mod recorder;

use std::{collections::BTreeSet, path::Path};

use emulators::{InjectedError, Service::DynamoDb};
use local_stack::TEMPLATE;
use serde_json::json;
use tests::{
    DYNAMODB_ATTEMPTS, PHOTO, Stack, StackOptions, TestSpace, minutes, parse_template, stack_test,
};

use self::{
    evaluator::{Sample, is_raised},
    recorder::Recorder,
};
use crate::{
    support::queues::Queues,
    uploads::presign::PendingFile,
    webhooks::fixture::{Hooks, until_idle},
};

/// Prefixes of the alarms and queues of each worker.
const WORKERS: [&str; 5] = ["ConfirmCheck", "Processing", "Webhooks", "Purge", "Sweep"];
const UNQUEUED: [&str; 7] = [
    "Spaces",
    "Files",
    "Folders",
    "UploadConfigs",
    "Uploads",
    "NotFound",
    "Delivery",
];
/// More messages than a worker may fail to process in the period of its alarm.
const POISON_MESSAGES: usize = 6;
/// Maximum time until a failed message is received again: the last delay and its random extension.
const LONGEST_DELAY_MINUTES: u64 = 18;
/// Receives of a message of the purge, the most of all queues.
const MAX_RECEIVES: usize = 100;
/// Requests that exceed the minimum number of an alarm, and cause more throttles than another one permits.
const REQUESTS: u32 = 60;

/// A topic for alarms.
const TOPIC: &str = "arn:aws:sns:us-east-1:000000000000:alarms";

/// What raises an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// All reads or all writes of the table are throttled.
    ThrottledTable,
    /// Delivery reaches no service.
    DisconnectedDelivery,
    /// The event sources of the workers are off.
    StoppedWorkers,
    /// Messages that no worker can process.
    PoisonMessages,
    /// Metrics that the local stack lacks, or that would take long. They are invented here.
    Invented,
}

/// Each alarm, with what raises it.
fn rows() -> Vec<(String, Cause)> {
    let single = [
        ("ApiErrorsAlarm", Cause::ThrottledTable),
        ("TableThrottlesAlarm", Cause::ThrottledTable),
        ("CdnErrorsAlarm", Cause::DisconnectedDelivery),
        ("ApiLatencyAlarm", Cause::Invented),
        ("CdnLatencyAlarm", Cause::Invented),
        ("ThrottlesAlarm", Cause::Invented),
        ("ConcurrencyAlarm", Cause::Invented),
    ];
    let of_workers = WORKERS.into_iter().flat_map(|worker| {
        [
            (format!("{worker}AgeAlarm"), Cause::StoppedWorkers),
            (format!("{worker}ErrorsAlarm"), Cause::PoisonMessages),
            (format!("{worker}DeadLettersAlarm"), Cause::PoisonMessages),
        ]
    });
    let single = single.map(|(alarm, cause)| (alarm.to_owned(), cause));
    single.into_iter().chain(of_workers).collect()
}

/// Returns the alarms that the samples raise.
fn raised(stack: &Stack, samples: &[Sample]) -> BTreeSet<String> {
    let alarms = stack.local.template().alarms.iter();
    alarms
        .filter(|alarm| is_raised(alarm, samples))
        .map(|alarm| alarm.logical_id.clone())
        .collect()
}

/// Asserts that the samples raise the alarms of a cause, and no others.
#[track_caller]
fn assert_raised(stack: &Stack, samples: &[Sample], cause: Cause) {
    let expected = rows().into_iter().filter(|(_, of)| *of == cause);
    let expected: BTreeSet<String> = expected.map(|(alarm, _)| alarm).collect();
    assert_eq!(raised(stack, samples), expected, "{cause:?}");
}

fn with_workers() -> StackOptions {
    StackOptions {
        runs_post_upload: true,
        ..StackOptions::default()
    }
}

/// Returns options with a template whose event sources were removed.
fn without_event_sources() -> StackOptions {
    let mut is_removed = false;
    let kept = TEMPLATE.split_inclusive('\n').filter(|line| {
        if line.starts_with("  ") && !line.starts_with("   ") {
            is_removed = line.ends_with("Jobs:\n");
        }
        !is_removed
    });
    StackOptions {
        template: parse_template(&kept.collect::<String>()),
        ..with_workers()
    }
}

/// Asserts that the description of an alarm names a section of the runbook.
#[track_caller]
fn assert_has_section(runbook: &str, description: &str) {
    let section = description.strip_suffix('.').expect("a sentence");
    let section = section.split_once(": infra/operations.md, ");
    let (_, section) = section.unwrap_or_else(|| panic!("{description}"));
    assert!(runbook.contains(&format!("\n## {section}\n")), "{section}");
}

#[stack_test(options = StackOptions::default().with_parameters(&[("AlarmTopicArn", TOPIC)]))]
async fn every_alarm_has_a_row_a_section_of_the_runbook_and_an_action(stack: &Stack) {
    let alarms = &stack.local.template().alarms;
    let ids: BTreeSet<String> = alarms
        .iter()
        .map(|alarm| alarm.logical_id.clone())
        .collect();
    assert_eq!(ids, rows().into_iter().map(|(alarm, _)| alarm).collect());

    let runbook = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/operations.md");
    let runbook = std::fs::read_to_string(runbook).expect("a readable file");
    for alarm in alarms {
        assert_has_section(&runbook, &alarm.description);
        let notifies = alarm.logical_id != "WebhooksDeadLettersAlarm";
        assert_eq!(alarm.has_actions, notifies, "{}", alarm.description);
    }

    let with_dead_letters = |id: &String| Some(id.strip_suffix("DeadLettersAlarm")?.to_owned());
    let queues: Vec<String> = ids.iter().filter_map(with_dead_letters).collect();
    let listed = format!("\nfor jobs in {}; do\n", queues.join(" "));
    assert!(runbook.contains(&listed), "{listed}");
}

#[stack_test(options = with_workers())]
async fn ordinary_work_raises_no_alarm(stack: &Stack) {
    let mut recorder = Recorder::start(stack);
    let hooks = Hooks::new(stack).await;
    let acme = &hooks.acme;

    for index in 0..REQUESTS {
        let name = format!("{index}.jpg");
        let file = acme.upload(PHOTO).named(&name, "image/jpeg").await;
        stack.anonymous.fetch(file.url()).await;
        if index == 0 {
            let url = format!("{}?w=32", file.url());
            stack.anonymous.fetch(&url).await;
            acme.delete_ok(file.path()).await;
        }
    }
    stack.anonymous.get("/missing").await.expect_status(404);
    let pending = PendingFile::create(acme, json!({})).await;
    pending.send(stack, PHOTO).await.expect_status(200);
    for _ in 0..2 * 60 {
        stack.run_for(minutes(15)).await;
        recorder.measure().await;
    }

    assert_eq!(raised(stack, &recorder.finish()), BTreeSet::new());
    assert!(hooks.receiver.received().len() > 1);
}

#[stack_test]
async fn throttled_table_raises_alarms(stack: &Stack, acme: &TestSpace) {
    let error = || InjectedError::new(400, "ProvisionedThroughputExceededException");

    for operation in ["GetItem", "UpdateItem"] {
        let recorder = Recorder::start(stack);
        for _ in 0..REQUESTS {
            let faults = stack.local.faults();
            faults.fail(DynamoDb, operation, DYNAMODB_ATTEMPTS, error());
            acme.get_err(503, &acme.path()).await;
        }
        assert_raised(stack, &recorder.finish(), Cause::ThrottledTable);
    }
}

#[stack_test]
async fn failing_delivery_raises_its_alarm(stack: &Stack) {
    let file = stack.space("Acme").await.upload(PHOTO).await;
    let recorder = Recorder::start(stack);

    stack.local.faults().disconnect("delivery", 0, false);
    for _ in 0..REQUESTS {
        stack.anonymous.get(file.url()).await.expect_status(503);
    }
    stack.local.faults().reconnect();

    assert_raised(stack, &recorder.finish(), Cause::DisconnectedDelivery);
}

#[stack_test(undrained, options = without_event_sources())]
async fn messages_that_no_worker_receives_raise_alarms(stack: &Stack) {
    let mut recorder = Recorder::start(stack);
    let queues = Queues::of(stack, "purge");
    for worker in WORKERS {
        queues.send(&format!("{worker}Queue"), "{}").await;
    }

    for _ in 0..7 {
        recorder.measure().await;
        stack.clock.advance(minutes(5));
    }
    recorder.measure().await;

    assert_raised(stack, &recorder.finish(), Cause::StoppedWorkers);
}

#[stack_test(undrained, options = with_workers())]
async fn messages_that_cannot_be_processed_raise_alarms(stack: &Stack) {
    let mut recorder = Recorder::start(stack);
    let queues = Queues::of(stack, "purge");
    for worker in WORKERS {
        for _ in 0..POISON_MESSAGES {
            queues.send(&format!("{worker}Queue"), "not a job").await;
        }
    }

    for _ in 0..=MAX_RECEIVES {
        until_idle(stack).await;
        recorder.measure().await;
        stack.clock.advance(minutes(LONGEST_DELAY_MINUTES));
    }

    assert_raised(stack, &recorder.finish(), Cause::PoisonMessages);
}

/// Returns values of a metric, one per second.
fn values<'a>(
    metric: [&'a str; 2],
    dimension: Option<[&'a str; 2]>,
    values: &'a [f64],
) -> impl Iterator<Item = Sample> + 'a {
    let times = (0..).map(|second| second * 1_000);
    times
        .zip(values)
        .map(move |(at_ms, value)| Sample::new(at_ms, metric, dimension, *value))
}

/// Returns the invented metrics: latencies of requests, one per second for 15 minutes, rejected invocations of a function,
/// and the used concurrency.
fn invented(latency: f64, throttles: f64, concurrency: f64) -> Vec<Sample> {
    let api = Some(["ApiId", "larder-Api"]);
    let delivery = Some(["Function", "delivery"]);
    let function = Some(["FunctionName", "larder-Spaces"]);
    let latencies = [latency; 900];
    let requests = [1.0; 900];

    values(["AWS/ApiGateway", "Latency"], api, &latencies)
        .chain(values(["AWS/ApiGateway", "Count"], api, &requests))
        .chain(values(["Larder/larder", "Latency"], delivery, &latencies))
        .chain(values(["Larder/larder", "Requests"], delivery, &requests))
        .chain(values(["AWS/Lambda", "Throttles"], function, &[throttles]))
        .chain(values(
            ["AWS/Lambda", "ClaimedAccountConcurrency"],
            None,
            &[concurrency],
        ))
        .collect()
}

#[stack_test]
async fn invented_metrics_raise_alarms_above_their_thresholds_only(stack: &Stack) {
    assert_raised(stack, &invented(5_001.0, 11.0, 801.0), Cause::Invented);
    assert_eq!(
        raised(stack, &invented(5_000.0, 10.0, 800.0)),
        BTreeSet::new()
    );
}

#[stack_test]
async fn few_errors_or_requests_raise_no_alarm(stack: &Stack) {
    let api = Some(["ApiId", "larder-Api"]);
    for (requests, errors, expected) in [(19, 19, 0), (20, 1, 0), (20, 2, 1)] {
        let counted = [1.0; 20];
        let samples = values(["AWS/ApiGateway", "5xx"], api, &counted[..errors]);
        let requests = &counted[..requests];
        let samples = samples.chain(values(["AWS/ApiGateway", "Count"], api, requests));
        assert_eq!(raised(stack, &samples.collect::<Vec<_>>()).len(), expected);
    }
}

/// Lambda itself counts killed invocations, which log no metrics, and rejected ones.
#[stack_test]
async fn errors_and_throttles_of_each_function_raise_its_alarm(stack: &Stack) {
    let of_worker = |worker: &str| {
        (
            "Errors",
            worker.to_owned(),
            6.0,
            format!("{worker}ErrorsAlarm"),
        )
    };
    let of_other = |function: &str| {
        let alarm = "ThrottlesAlarm".to_owned();
        ("Throttles", function.to_owned(), 11.0, alarm)
    };
    let cases = WORKERS.map(of_worker).into_iter();

    for (metric, function, value, alarm) in cases.chain(UNQUEUED.map(of_other)) {
        let name = format!("larder-{function}");
        let dimension = Some(["FunctionName", name.as_str()]);
        let samples: Vec<Sample> = values(["AWS/Lambda", metric], dimension, &[value]).collect();
        assert_eq!(raised(stack, &samples), [alarm].into(), "{name}");
    }
}
