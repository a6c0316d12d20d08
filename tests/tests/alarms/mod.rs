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

/// Prefixes of the queues of each worker.
const WORKERS: [&str; 5] = ["ConfirmCheck", "Processing", "Purge", "Sweep", "Webhooks"];
/// More messages than a worker may fail to process in the period of its alarm.
const POISON_MESSAGES: usize = 6;
/// Maximum time until a failed message is received again: the last delay and its random extension.
const LONGEST_DELAY_MINUTES: u64 = 18;
/// Receives of a message of the purge, the most of all queues.
const MAX_RECEIVES: usize = 100;
/// Requests that exceed the minimum number of an alarm, and cause more throttles of the table than
/// another one permits.
const REQUESTS: u32 = 60;

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
    /// Metrics that the local stack lacks, which are invented here.
    Invented,
}

/// Each alarm, with what raises it.
const ROWS: [(&str, Cause); 7] = [
    ("ApiErrorsAlarm", Cause::ThrottledTable),
    ("TableThrottlesAlarm", Cause::ThrottledTable),
    ("CdnErrorsAlarm", Cause::DisconnectedDelivery),
    ("ThrottlesAlarm", Cause::Invented),
    ("OldestJobAlarm", Cause::StoppedWorkers),
    ("FailedJobsAlarm", Cause::PoisonMessages),
    ("DeadLettersAlarm", Cause::PoisonMessages),
];

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
    let expected = ROWS.iter().filter(|(_, of)| *of == cause);
    let expected = expected.map(|(alarm, _)| (*alarm).to_owned()).collect();
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

#[stack_test]
async fn every_alarm_has_a_row_a_section_of_the_runbook_and_an_action(stack: &Stack) {
    let alarms = &stack.local.template().alarms;
    let ids: BTreeSet<&str> = alarms
        .iter()
        .map(|alarm| alarm.logical_id.as_str())
        .collect();
    assert_eq!(ids, ROWS.iter().map(|(alarm, _)| *alarm).collect());

    let runbook = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/operations.md");
    let runbook = std::fs::read_to_string(runbook).expect("a readable file");
    for alarm in alarms {
        assert_has_section(&runbook, &alarm.description);
        assert!(alarm.has_actions, "{}", alarm.description);
    }
    let listed = format!("\nfor jobs in {}; do\n", WORKERS.join(" "));
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

/// What the local stack lacks, or would take long: invocations that Lambda killed or rejected, and
/// each queue alone.
#[stack_test]
async fn metrics_of_each_worker_raise_their_alarms_above_the_thresholds_only(stack: &Stack) {
    let rejected = (["AWS/Lambda", "Throttles"], None, 10.0, "ThrottlesAlarm");
    let mut cases = vec![rejected];
    let names: Vec<[String; 3]> = WORKERS
        .map(|worker| ["", "Queue", "DeadLetters"].map(|kind| format!("larder-{worker}{kind}")))
        .to_vec();
    for [function, queue, dead_letters] in &names {
        let of_queue = |name| Some(["QueueName", name]);
        let age = ["AWS/SQS", "ApproximateAgeOfOldestMessage"];
        cases.push((age, of_queue(queue.as_str()), 1_800.0, "OldestJobAlarm"));
        let errors = (
            ["AWS/Lambda", "Errors"],
            Some(["FunctionName", function.as_str()]),
            5.0,
            "FailedJobsAlarm",
        );
        cases.push(errors);
        // Those of webhooks concern endpoints of customers.
        if !dead_letters.contains("Webhooks") {
            let visible = ["AWS/SQS", "ApproximateNumberOfMessagesVisible"];
            cases.push((visible, of_queue(dead_letters), 0.0, "DeadLettersAlarm"));
        }
    }

    for (metric, dimension, threshold, alarm) in cases {
        for (value, expected) in [(threshold, None), (threshold + 1.0, Some(alarm.to_owned()))] {
            let samples = [Sample::new(0, metric, dimension, value)];
            let expected = expected.into_iter().collect();
            assert_eq!(raised(stack, &samples), expected, "{dimension:?} {value}");
        }
    }
}
