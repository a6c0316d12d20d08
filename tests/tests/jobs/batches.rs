//! Background jobs whose work is larger than one page, one job or one chain of messages.

use std::time::Duration;

use bucket::ObjectKey;
use domain::{FileId, Revision, SpaceId};
use emulators::{InjectedError, Service::DynamoDb};
use local_stack::{TEMPLATE, all_functions};
use sam_template::RecursiveLoop;
use serde_json::json;
use space_store::JobLimits;
use table::keys;
use tests::{Dump, Stack, StackOptions, TestSpace, form, parse_template, seconds, stack_test};
use worker::LAST_FULL_RECEIVE;

use crate::{
    spaces::delete::{stored_data, with_retired},
    uploads::presign::PendingFile,
};

/// Maximum invocations of a function in one chain of messages.
const CHAIN_MAX: usize = 16;
/// The period of the sweep.
const DAY: Duration = Duration::from_hours(24);
const TEXT: &str = "some text";

/// Creates an upload config under which files keep the name of their upload.
async fn literal_names(acme: &TestSpace) -> String {
    acme.upload_config("literal")
        .with_settings(json!({"storage": {"generate_filename": false, "unique_filename": false}}))
        .await
        .id
}

async fn presign_text(acme: &TestSpace, config: &str) -> PendingFile {
    let fields = json!({
        "filename": "a.txt", "content_type": "text/plain", "size": TEXT.len(), "upload_config": config,
    });
    PendingFile::create(acme, fields).await
}

/// Deletes a space by force and expects nothing of it to be left.
async fn expect_purged(stack: &Stack, acme: &TestSpace, before: Dump) {
    acme.delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_status(202);

    stack.run_purges().await;
    stack.run_confirm_checks().await;

    stored_data(stack)
        .await
        .assert_unchanged(&with_retired(before, &acme.handle), "a deleted space");
}

#[stack_test]
async fn purge_removes_two_pending_files_of_one_storage_path(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let config = literal_names(&acme).await;
    for _ in 0..2 {
        presign_text(&acme, &config)
            .await
            .send(stack, TEXT)
            .await
            .expect_status(200);
    }

    expect_purged(stack, &acme, before).await;
}

#[stack_test]
async fn purge_removes_active_and_pending_file_of_one_storage_path(stack: &Stack) {
    let before = stored_data(stack).await;
    let acme = stack.space("Acme").await;
    let config = literal_names(&acme).await;
    let upload =
        form(&acme.handle, "a.txt", "text/plain", TEXT).text("upload_config", config.clone());
    acme.upload_form(upload).await.expect_created();
    presign_text(&acme, &config)
        .await
        .send(stack, TEXT)
        .await
        .expect_status(200);

    expect_purged(stack, &acme, before).await;
}

/// Limits with which each job processes one small page.
const ONE_PAGE: JobLimits = JobLimits {
    records_per_page: 2,
    objects_per_page: 2,
    reserve: Duration::MAX,
};

/// Options of a stack whose purge and sweep process one small page per job. `recursive_loop` replaces
/// the setting of the template.
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

    acme.delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_status(202);
    let calls = stack.calls_of(stack.run_purges()).await.calls;

    stored_data(stack)
        .await
        .assert_unchanged(&with_retired(before, &acme.handle), "a deleted space");
    let continued = calls
        .iter()
        .filter(|call| *call == "purge SendMessageBatch")
        .count();
    assert!(continued > CHAIN_MAX, "{continued} messages");
}

#[stack_test]
async fn purge_retries_throttled_calls_within_one_job(stack: &Stack, acme: &TestSpace) {
    acme.upload(TEXT).named("a.txt", "text/plain").await;
    acme.delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_status(202);
    let faults = stack.local.faults();
    // More failures than attempts of a request.
    faults.leave_unprocessed("BatchWriteItem", 7);
    faults.fail(
        DynamoDb,
        "Query",
        6,
        InjectedError::new(400, "ThrottlingException"),
    );
    faults.fail_some_deletes(3);

    stack.run_for(seconds(1)).await;

    // A job that fails is tried again later.
    assert_eq!(stack.dump().await.objects.len(), 0);
    stack.run_purges().await;
}

#[stack_test(options = small_jobs(RecursiveLoop::Terminate), undrained)]
async fn purge_of_large_space_stops_where_recursive_loops_are_terminated(stack: &Stack) {
    let acme = large_space(stack).await;

    acme.delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_status(202);
    // The first pass alone: each later one would continue.
    stack.run_for(seconds(1)).await;

    let partition = format!("{}{}", keys::SPACES, acme.id);
    let dump = stack.dump().await;
    assert!(
        dump.items_with_prefix(&partition).count() > 1,
        "records are left"
    );
    assert!(!dump.objects.is_empty(), "objects are left");
}

#[stack_test(options = small_jobs(RecursiveLoop::Terminate), undrained)]
async fn purge_removes_objects_together_with_their_records(stack: &Stack) {
    let acme = large_space(stack).await;
    let before = stack.dump().await;

    acme.delete(&format!("/spaces?id={}&force=true", acme.id))
        .await
        .expect_status(202);
    stack.run_for(seconds(1)).await;

    let after = stack.dump().await;
    let files_before = before.files_with_bytes().len();
    let files_after = after.files_with_bytes().len();
    assert!(
        files_after < files_before,
        "{files_after} of {files_before} files are left"
    );
    assert_eq!(after.objects.len(), files_after);
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

    // One job deletes the originals of a space, and two more its variants.
    let swept = CHAIN_MAX.div_ceil(3);
    assert_eq!(stack.dump().await.objects.len(), 2 * CHAIN_MAX - swept);
}

#[stack_test]
async fn every_dead_letter_queue_has_an_alarm(stack: &Stack) {
    let template = stack.local.template();
    let dead_letter_queues = template
        .queues
        .iter()
        .filter_map(|queue| queue.redrive.as_ref());
    let dead_letter_queues: Vec<&String> = dead_letter_queues
        .map(|redrive| &redrive.dead_letter_queue)
        .collect();

    assert!(!dead_letter_queues.is_empty());
    for queue in dead_letter_queues {
        let mut metrics = template.alarms.iter().flat_map(|alarm| &alarm.metrics);
        assert!(
            metrics.any(|metric| metric.dimensions.values().any(|value| value == queue)),
            "{queue} has no alarm"
        );
    }
}

#[stack_test]
async fn every_trigger_bounds_the_concurrency_of_its_function(stack: &Stack) {
    let triggers = &stack.local.template().triggers;

    assert!(!triggers.is_empty());
    for trigger in triggers {
        assert!(
            trigger.maximum_concurrency.is_some(),
            "{} is not bounded",
            trigger.function
        );
    }
}

#[stack_test]
async fn every_queue_retries_its_messages_for_longer_than_an_outage_of_an_hour(stack: &Stack) {
    let template = stack.local.template();

    for trigger in &template.triggers {
        let queues = &template.queues;
        let queue = queues.iter().find(|queue| queue.name == trigger.queue);
        let redrive = queue.and_then(|queue| queue.redrive.as_ref());
        let max_receive_count = redrive.expect("a dead-letter queue").max_receive_count;
        let minimum = match &*trigger.function {
            // Receives at which the job tries everything, and some to record that it gave up.
            "Processing" => LAST_FULL_RECEIVE + 3,
            _ => LAST_FULL_RECEIVE + 1,
        };
        assert!(max_receive_count >= minimum, "{}", trigger.queue);
    }
}

#[stack_test]
async fn every_function_that_sends_to_its_own_queue_allows_recursive_loops(stack: &Stack) {
    let template = stack.local.template();
    let mut recursive = 0;

    for trigger in &template.triggers {
        let function = template
            .functions
            .iter()
            .find(|function| function.logical_id == trigger.function);
        let function = function.expect("a function");
        let sends = function.permissions.iter().any(|permission| {
            permission
                .actions
                .iter()
                .any(|action| action == "sqs:SendMessage")
                && permission
                    .resources
                    .iter()
                    .any(|resource| resource.ends_with(&format!(":{}", trigger.queue)))
        });
        if sends {
            recursive += 1;
            assert_eq!(
                function.recursive_loop,
                RecursiveLoop::Allow,
                "{}",
                function.binary
            );
        }
    }

    assert_eq!(recursive, 5);
}
