//! Background jobs whose work is larger than one page, one job or one chain of messages.

use std::time::Duration;

use bucket::ObjectKey;
use domain::id::{FileId, Revision, SpaceId};
use emulators::{InjectedError, Service::DynamoDb};
use local_stack::{TEMPLATE, all_functions};
use sam_template::RecursiveLoop;
use serde_json::json;
use space_store::jobs::JobLimits;
use table::item_keys;
use tests::{Dump, Stack, StackOptions, TestSpace, parse_template, seconds, stack_test};
use worker::LAST_FULL_RECEIVE;

use crate::{
    routes::declarations::deployed_template,
    spaces::delete::{stored_data, with_retired},
    uploads::{config_rules::own_names, presign::PendingFile},
};

/// Maximum invocations of a function in one chain of messages.
const CHAIN_MAX: usize = 16;
/// The period of the sweep.
const DAY: Duration = Duration::from_hours(24);
const TEXT: &str = "some text";

/// Sends a text to a presigned URL. Files keep the name of their upload.
async fn send_text(stack: &Stack, acme: &TestSpace) {
    let fields = json!({
        "filename": "a.txt", "content_type": "text/plain", "size": TEXT.len(), "upload_config": "literal",
    });
    PendingFile::create(acme, fields)
        .await
        .put(stack, TEXT)
        .await;
}

/// Asserts that nothing of a deleted space is left.
async fn assert_purged(stack: &Stack, acme: &TestSpace, before: Dump) {
    let after = stored_data(stack).await;
    after.assert_unchanged(&with_retired(before, &acme.handle), "a deleted space");
}

#[stack_test]
async fn purge_removes_two_files_of_one_storage_path(stack: &Stack) {
    for is_active in [false, true] {
        let before = stored_data(stack).await;
        let acme = stack.space("Acme").await;
        acme.upload_config("literal")
            .with_settings(own_names())
            .await;
        send_text(stack, &acme).await;
        if is_active {
            let active = acme.upload(TEXT).named("a.txt", "text/plain");
            active.with_config("literal").await;
        } else {
            send_text(stack, &acme).await;
        }

        acme.delete_by_force().await;
        stack.run_purges().await;
        stack.run_confirm_checks().await;

        assert_purged(stack, &acme, before).await;
    }
}

/// Limits with which each job processes one small page.
const ONE_PAGE: JobLimits = JobLimits {
    records_per_page: 2,
    objects_per_page: 2,
    reserve: Duration::MAX,
};

/// Options of a stack whose purge and sweep process one small page per job. `recursive_loop`
/// replaces the setting of the template.
pub(crate) fn small_jobs(recursive_loop: RecursiveLoop) -> StackOptions {
    let registry = all_functions()
        .worker("purge", |context| {
            purge::handler_with_limits(context, ONE_PAGE)
        })
        .worker("sweep", |context| {
            sweep::handler_with_limits(context, ONE_PAGE)
        });
    let template = match recursive_loop {
        RecursiveLoop::Allow => parse_template(TEMPLATE),
        RecursiveLoop::Terminate => {
            parse_template(&TEMPLATE.replace("RecursiveLoop: Allow", "RecursiveLoop: Terminate"))
        }
    };

    StackOptions {
        registry,
        template,
        ..StackOptions::default()
    }
}

/// Creates a space whose files take more one-page jobs than a chain of messages permits.
async fn large_space(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    for number in 0..4 * CHAIN_MAX {
        let name = format!("{number}.txt");
        acme.upload(TEXT).named(&name, "text/plain").await;
    }
    acme
}

#[stack_test(options = small_jobs(RecursiveLoop::Allow))]
async fn purge_of_large_space_completes(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = large_space(stack).await;

    acme.delete_by_force().await;
    let calls = stack.calls_of(stack.run_purges()).await.calls;

    assert_purged(stack, &acme, before).await;
    let is_continuation = |call: &&String| *call == "purge SendMessageBatch";
    let continued = calls.iter().filter(is_continuation).count();
    assert!(continued > CHAIN_MAX, "{continued} messages");
}

#[stack_test]
async fn purge_retries_throttled_calls_within_one_job(stack: &Stack, acme: &TestSpace) {
    acme.upload(TEXT).named("a.txt", "text/plain").await;
    acme.delete_by_force().await;
    let faults = stack.local.faults();
    // More failures than attempts of a request.
    faults.leave_unprocessed("BatchWriteItem", 7);
    let error = InjectedError::new(400, "ThrottlingException");
    faults.fail(DynamoDb, "Query", 6, error);
    faults.fail_some_deletes(3);

    stack.run_for(seconds(1)).await;

    // A job that fails is tried again later.
    assert_eq!(stack.dump().await.objects.len(), 0);
    stack.run_purges().await;
}

#[stack_test(options = small_jobs(RecursiveLoop::Terminate), undrained)]
async fn purge_of_large_space_stops_where_recursive_loops_are_terminated(stack: &Stack) {
    let acme = large_space(stack).await;
    let before = stack.dump().await.files_with_bytes().len();

    acme.delete_by_force().await;
    // The first pass alone: each later one would continue.
    stack.run_for(seconds(1)).await;

    let partition = format!("{}{}", item_keys::SPACES, acme.id);
    let dump = stack.dump().await;
    assert!(dump.items_with_prefix(&partition).count() > 1);
    // Objects are removed together with their records.
    let files = dump.files_with_bytes().len();
    assert!(0 < files && files < before, "{files} of {before} files");
    assert_eq!(dump.objects.len(), files);
}

/// Stores an object without a record in each of a number of new spaces.
async fn store_orphans(stack: &Stack, spaces: usize) {
    let env = stack.unrestricted_context().env;
    for _ in 0..spaces {
        let key = ObjectKey::original(SpaceId::new(&env), FileId::new(&env), Revision::new(&env));
        stack.put_object(key.as_str(), b"orphan").await;
    }
}

#[stack_test(options = small_jobs(RecursiveLoop::Allow))]
async fn sweep_of_more_spaces_than_one_job_covers_completes(stack: &Stack) {
    store_orphans(stack, 2 * CHAIN_MAX).await;

    stack.run_for(DAY).await;

    assert!(stack.dump().await.objects.is_empty());
}

#[stack_test(options = small_jobs(RecursiveLoop::Terminate))]
async fn sweep_stops_where_recursive_loops_are_terminated(stack: &Stack) {
    store_orphans(stack, 2 * CHAIN_MAX).await;

    stack.run_for(DAY).await;

    // One job deletes the originals of a space, and two more its renditions.
    let swept = CHAIN_MAX.div_ceil(3);
    assert_eq!(stack.dump().await.objects.len(), 2 * CHAIN_MAX - swept);
}

#[test]
fn every_dead_letter_queue_has_an_alarm() {
    let template = deployed_template();
    let redrives = template
        .queues
        .iter()
        .filter_map(|queue| queue.redrive.as_ref());
    let queues: Vec<&String> = redrives.map(|redrive| &redrive.dead_letter_queue).collect();

    assert!(!queues.is_empty());
    for queue in queues {
        // Its dead letters concern endpoints of customers.
        if queue == "larder-WebhooksDeadLetters" {
            continue;
        }
        let metrics = template.alarms.iter().flat_map(|alarm| &alarm.metrics);
        let mut dimensions = metrics.flat_map(|metric| metric.dimensions.values());
        let has_alarm = dimensions.any(|value| value == queue);
        assert!(has_alarm, "{queue} has no alarm");
    }
}

/// Each trigger bounds the concurrency of its function, and retries messages for longer than an
/// outage of an hour.
#[test]
fn every_trigger_has_bounds_that_fit_its_function() {
    let template = deployed_template();

    assert!(!template.triggers.is_empty());
    for trigger in &template.triggers {
        let function = &trigger.function;
        assert!(trigger.maximum_concurrency.is_some(), "{function}");
        let mut queues = template.queues.iter();
        let queue = queues.find(|queue| queue.name == trigger.queue);
        let redrive = queue.and_then(|queue| queue.redrive.as_ref());
        let max_receive_count = redrive.expect("a dead-letter queue").max_receive_count;
        let minimum = match function.as_str() {
            // Receives at which the job tries everything, and some to record that it gave up.
            "Processing" => LAST_FULL_RECEIVE + 3,
            _ => LAST_FULL_RECEIVE + 1,
        };
        assert!(max_receive_count >= minimum, "{function}");
    }
}

#[test]
fn every_function_that_sends_to_its_own_queue_allows_recursive_loops() {
    let template = deployed_template();
    let mut recursive = 0;

    for trigger in &template.triggers {
        let mut functions = template.functions.iter();
        let function = functions.find(|function| function.logical_id == trigger.function);
        let function = function.expect("a function");
        let end = format!(":{}", trigger.queue);
        let sends = function.permissions.iter().any(|permission| {
            let mut actions = permission.actions.iter();
            let mut resources = permission.resources.iter();
            actions.any(|action| action == "sqs:SendMessage")
                && resources.any(|resource| resource.ends_with(&end))
        });
        if sends {
            recursive += 1;
            let allowed = RecursiveLoop::Allow;
            assert_eq!(function.recursive_loop, allowed, "{}", function.binary);
        }
    }

    assert_eq!(recursive, 5);
}
