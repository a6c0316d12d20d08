//! The sweep for objects without records.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use bucket::ObjectKey;
use domain::{
    env::Env,
    id::{FileId, Revision, SpaceId},
};
use emulators::{
    InjectedError,
    Service::{DynamoDb, S3},
};
use local_stack::Messages;
use sam_template::RecursiveLoop;
use tests::{DEFAULT_ATTEMPTS, PHOTO, Stack, TestSpace, seconds, stack_test};

use super::batches::small_jobs;

/// Period of the sweep, and minimum age of the objects that it deletes.
const DAY: Duration = Duration::from_hours(24);
/// Visibility timeout of a failed message.
const VISIBILITY: Duration = Duration::from_mins(12);
/// Time limit for planned faults to fire.
const DEADLINE: Duration = Duration::from_secs(20);
/// Number of spaces, each with a job if a job processes one page.
const SPACES: usize = 40;

fn env(stack: &Stack) -> Env {
    stack.unrestricted_context().env
}

/// Stores an object of a file without a record.
async fn put_orphan(stack: &Stack, space: SpaceId, file: FileId) -> String {
    let key = ObjectKey::original(space, file, Revision::new(&env(stack)));
    stack.put_object(key.as_str(), b"stranded").await;
    key.as_str().to_owned()
}

async fn keys(stack: &Stack) -> BTreeSet<String> {
    stack.dump().await.objects.into_keys().collect()
}

#[stack_test]
async fn orphan_object_is_swept_after_a_day(stack: &Stack, acme: &TestSpace) {
    let photo = acme.upload(PHOTO).await;
    let file = photo.id.parse().expect("an id");
    let stored_keys = keys(stack).await;

    // Objects of a missing file, of a file with other bytes and of a missing space; and an object
    // that is not an original.
    let env = env(stack);
    let orphans = [
        put_orphan(stack, acme.space_id(), FileId::new(&env)).await,
        put_orphan(stack, acme.space_id(), file).await,
        put_orphan(stack, SpaceId::new(&env), FileId::new(&env)).await,
    ];
    let others = [
        "unrelated".to_owned(),
        format!("_objects/{}/originals/unrelated", acme.id),
    ];

    for key in &others {
        stack.put_object(key, b"kept").await;
    }

    stack.run_for(seconds(24 * 60 * 60 - 1)).await;

    let late = put_orphan(stack, acme.space_id(), file).await;
    stack.run_for(seconds(1)).await;

    let mut expected: BTreeSet<String> = stored_keys.iter().chain(&others).cloned().collect();
    let remaining = keys(stack).await;

    for key in &orphans {
        assert!(!remaining.contains(key), "{key}");
    }
    expected.insert(late.clone());
    assert_eq!(remaining, expected);

    // Younger objects wait for the next round. A failed job is tried again.
    let faults = stack.local.faults();
    let error = InjectedError::new(500, "InternalError");
    faults.fail(S3, "ListObjectsV2", DEFAULT_ATTEMPTS, error);
    stack.clock.advance(DAY);
    let has_failed = |messages: Messages| faults.pending() == 0 && messages.running_batches == 0;
    stack.local.until(has_failed).await.expect("a failed job");
    stack.run_for(seconds(10)).await;
    expected.remove(&late);
    assert_eq!(keys(stack).await, expected);

    let delivered = stack.anonymous.fetch(photo.url()).await;
    assert!(delivered.body == PHOTO);
}

#[stack_test]
async fn object_is_checked_once_even_if_its_file_is_older(stack: &Stack, acme: &TestSpace) {
    let file = FileId::new(&env(stack));
    acme.upload(PHOTO).await;
    stack.run_for(DAY).await;
    stack.run_for(DAY).await;

    // All objects are old enough now. A new object of an old file is deleted too.
    let calls = stack.calls_of(stack.run_for(DAY)).await.calls;
    let is_check = |call: &String| call == "sweep BatchGetItem";
    assert!(!calls.iter().any(is_check), "{calls:?}");

    let orphans = put_orphan(stack, acme.space_id(), file).await;
    let before = keys(stack).await;
    let expected = BTreeSet::from([orphans]);
    stack.run_for(DAY).await;
    stack.run_for(DAY).await;
    let after = keys(stack).await;
    let swept: BTreeSet<String> = before.difference(&after).cloned().collect();
    assert_eq!(swept, expected);
}

/// Starts a round, and runs it with all retries to its end.
async fn run_sweep(stack: &Stack) {
    stack.clock.advance(DAY);
    let failed = async {
        while stack.local.faults().pending() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            stack.clock.advance(VISIBILITY);
        }
    };
    tokio::time::timeout(DEADLINE, failed)
        .await
        .expect("each fault applies to a call");
    stack.run_for(VISIBILITY).await;
}

#[stack_test(options = small_jobs(RecursiveLoop::Allow))]
async fn sweep_continues_from_checkpoint_and_retries_failures(stack: &Stack, acme: &TestSpace) {
    acme.upload("some text").named("a.txt", "text/plain").await;

    let stored_keys = keys(stack).await;
    let env = env(stack);

    for _ in 0..SPACES {
        put_orphan(stack, SpaceId::new(&env), FileId::new(&env)).await;
    }

    let faults = stack.local.faults();
    faults.fail(S3, "ListObjectsV2", 3, InjectedError::new(503, "SlowDown"));
    faults.lose_response(S3, "DeleteObjects", 1);
    faults.leave_unprocessed("BatchGetItem", 2);
    let throttled = InjectedError::new(400, "ProvisionedThroughputExceededException");
    faults.fail(DynamoDb, "PutItem", 3, throttled);

    let calls = stack.calls_of(run_sweep(stack)).await.calls;
    assert_eq!(keys(stack).await, stored_keys);

    let mut counts = BTreeMap::new();
    for call in calls.iter().filter(|call| call.starts_with("sweep ")) {
        *counts.entry(call.as_str()).or_insert(0) += 1;
    }

    assert!(counts["sweep SendMessageBatch"] >= SPACES, "{counts:?}");
}
