//! The worker stopped at each of its calls to AWS: the webhook is delivered, by one delivery.

use std::collections::BTreeSet;

use futures::future::join_all;
use local_stack::Messages;
use tests::{Answer, PHOTO, Stack, distributed, seconds, share_of};

use super::fixture::{Hooks, until_idle};

/// Concurrent stacks.
const STACKS: usize = 4;
/// Every how many points the default run stops the worker.
const SHARE: usize = 3;
/// Rounds after which a delivery that was interrupted once has ended.
const MAX_ROUNDS: u32 = 12;
/// Calls that the worker makes in every run: reads, two attempts with a claim and a record each, the message
/// between them, and the deletion of messages. It makes more if the SDK repeats some, or if the record of the file is
/// not written yet.
const MIN_CALLS: u32 = 9;
/// Runs whose calls are counted. The shortest one determines the stops, since others wait for the record.
const COUNTED_RUNS: usize = 3;
/// Name of the worker.
const WORKER: &str = "webhook-delivery";

/// A point at which the worker is stopped.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// Number of calls before it.
    after: u32,
    /// Whether the interrupted call takes effect.
    takes_effect: bool,
}

/// Uploads a file whose first attempt fails, and runs all jobs, with the worker stopped once. Returns
/// whether it made enough calls to be stopped.
async fn deliver(stack: &Stack, hooks: &Hooks, stop: Option<Stop>) -> bool {
    hooks.receiver.answer_next(Answer::status(500));
    let faults = stack.local.faults();
    if let Some(stop) = stop {
        faults.disconnect(WORKER, stop.after, stop.takes_effect);
    }
    hooks.acme.upload(PHOTO).await;
    stack.local.resume_workers();

    let mut is_stopped = stop.is_some();
    for _ in 0..MAX_ROUNDS {
        let left = until_idle(stack).await;
        if is_stopped && faults.broken_calls() > 0 {
            faults.reconnect();
            is_stopped = false;
        }
        if left == Messages::default() {
            break;
        }
        stack.clock.advance(seconds(200));
    }
    faults.reconnect();
    stop.is_some() && !is_stopped
}

/// Asserts that the only delivery succeeded, and that all its requests have the same id and body.
async fn assert_delivered(hooks: &Hooks, stop: Option<Stop>) {
    let delivery = hooks.delivery().await;
    assert_eq!(delivery["status"], "delivered", "{stop:?}: {delivery}");

    let received = hooks.receiver.received();
    let distinct: BTreeSet<_> = received
        .iter()
        .map(|webhook| (webhook.header("webhook-id"), webhook.body.clone()))
        .collect();
    assert_eq!(distinct.len(), 1, "{stop:?}");
    assert!(
        (2..=3).contains(&received.len()),
        "{stop:?}: {}",
        received.len()
    );
}

/// Counts the calls of the worker.
async fn calls() -> u32 {
    let stack = Stack::start().await;
    let hooks = Hooks::new(&stack).await;
    let calls = stack.calls_of(deliver(&stack, &hooks, None)).await.calls;
    assert_delivered(&hooks, None).await;
    let calls = calls.iter().filter(|call| call.starts_with(WORKER));
    let calls = u32::try_from(calls.count()).expect("a few");
    stack.stop().await;
    calls
}

/// Delivers a webhook for each stop, and returns the stops that did not happen.
async fn survives(stops: Vec<Stop>) -> Vec<Stop> {
    let mut missed = Vec::new();
    for stop in stops {
        let stack = Stack::start().await;
        let hooks = Hooks::new(&stack).await;
        if !deliver(&stack, &hooks, Some(stop)).await {
            missed.push(stop);
        }
        assert_delivered(&hooks, Some(stop)).await;
        stack.stop().await;
    }
    missed
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_is_delivered_by_one_delivery_wherever_the_worker_stops() {
    let counts = join_all((0..COUNTED_RUNS).map(|_| calls())).await;
    let calls = counts.into_iter().min().expect("a run");
    assert!(calls >= MIN_CALLS, "{calls} calls");

    let stops = (0..calls).flat_map(|after| {
        [false, true].map(|takes_effect| Stop {
            after,
            takes_effect,
        })
    });
    let stops: Vec<Stop> = share_of(stops, SHARE).collect();
    let planned = stops.len();

    let groups = distributed(stops, STACKS);
    let missed = join_all(groups.into_iter().map(survives)).await.concat();

    assert!(missed.len() * 3 <= planned, "of {planned}: {missed:?}");
    let must_happen = |stop: &&Stop| stop.after < MIN_CALLS;
    assert_eq!(missed.iter().filter(must_happen).count(), 0, "{missed:?}");
}
