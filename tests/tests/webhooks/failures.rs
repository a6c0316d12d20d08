//! The worker stopped at each of its calls to AWS: the webhook is delivered, by one message.

use std::collections::BTreeSet;

use futures::future::join_all;
use tests::{PHOTO, Stack, seconds};

use super::fixture::Hooks;
use crate::support::kills::{Kill, Sweep, count, run_jobs};

/// How the worker is stopped. It makes these calls in every run: reads, two attempts with a claim
/// and a record each, the job between them, and the deletion of jobs. It makes more if the SDK
/// repeats some, or if the record of the file is not written yet.
const SWEEP: Sweep = Sweep {
    stacks: 4,
    share: 3,
    min_calls: 9,
    missed_share: 3,
};
/// Runs whose calls are counted. The shortest one determines the stops, since others wait for the
/// record.
const COUNTED_RUNS: usize = 3;
/// Name of the worker.
const WORKER: &str = "webhooks";

/// Uploads a file whose first attempt fails, and runs all jobs, with the worker stopped once.
/// Asserts that the only message succeeds, and that all its requests have the same id and body.
/// Returns whether the worker made enough calls to be stopped.
async fn deliver(stack: &Stack, kill: Option<Kill>) -> bool {
    let hooks = Hooks::new(stack).await;
    hooks.answer_next(500);
    stack.local.call_log().clear();
    if let Some(kill) = kill {
        kill.plan(stack);
    }
    hooks.acme.upload(PHOTO).await;
    stack.local.resume_workers();
    let is_stopped = run_jobs(stack, kill, |_| seconds(200)).await;

    let message = hooks.message().await;
    assert_eq!(message["status"], "delivered", "{kill:?}: {message}");
    let received = hooks.receiver.received();
    let distinct: BTreeSet<_> = received
        .iter()
        .map(|webhook| (webhook.header("webhook-id"), &webhook.body))
        .collect();
    assert_eq!(distinct.len(), 1, "{kill:?}");
    let times = received.len();
    assert!((2..=3).contains(&times), "{kill:?}: {times}");
    is_stopped
}

/// Counts the calls of the worker.
async fn calls() -> u32 {
    let stack = Stack::start().await;
    let calls = stack.calls_of(deliver(&stack, None)).await.calls;
    stack.stop().await;
    count(&calls, WORKER)
}

/// Delivers a webhook for each stop, and returns the stops that did not happen.
async fn survives(kills: Vec<Kill>) -> Vec<Kill> {
    let mut missed = Vec::new();
    for kill in kills {
        let stack = Stack::start().await;
        if !deliver(&stack, Some(kill)).await {
            missed.push(kill);
        }
        stack.stop().await;
    }
    missed
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_is_delivered_by_one_message_wherever_the_worker_stops() {
    let counts = join_all((0..COUNTED_RUNS).map(|_| calls())).await;
    let calls = counts.into_iter().min().expect("a run");
    assert!(calls >= SWEEP.min_calls, "{calls} calls");

    SWEEP.run(Kill::at_each(WORKER, calls), survives).await;
}
