//! Functions that are killed at each of their AWS calls, and the jobs that complete their work
//! afterwards.

use std::{fmt::Debug, time::Duration};

use futures::future::join_all;
use local_stack::Messages;
use tests::{Stack, distributed, failed_calls, minutes, share_of};

/// Rounds after which all jobs have ended, although one was interrupted.
const MAX_ROUNDS: u32 = 30;

/// A point at which a function is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kill {
    pub(crate) function: &'static str,
    /// Number of calls before it.
    pub(crate) after: u32,
    /// Whether the interrupted call takes effect.
    pub(crate) takes_effect: bool,
}

impl Kill {
    /// Returns the points before and after each of a number of calls takes effect.
    pub(crate) fn at_each(function: &'static str, calls: u32) -> impl Iterator<Item = Kill> {
        let at = move |after| {
            [false, true].map(|takes_effect| Kill {
                function,
                after,
                takes_effect,
            })
        };
        (0..calls).flat_map(at)
    }

    pub(crate) fn plan(self, stack: &Stack) {
        let faults = stack.local.faults();
        faults.disconnect(self.function, self.after, self.takes_effect);
    }
}

/// Returns the number of calls of a function and its event source.
pub(crate) fn count(calls: &[String], function: &str) -> u32 {
    let callers = calls.iter().filter_map(|call| call.split_once(' '));
    let count = callers.filter(|(caller, _)| *caller == function).count();
    u32::try_from(count).expect("a few dozen")
}

/// The longest delay of a message. Visibility timeouts and first delays of failed messages are
/// shorter.
pub(crate) fn longest_delay(_round: u32) -> Duration {
    minutes(15)
}

/// Runs all jobs, and advances the clock after each round. A killed function is alive again once
/// its requests or jobs have failed. Returns whether a planned kill happened: a function that waits
/// for a record makes more calls in some runs.
pub(crate) async fn run_jobs(
    stack: &Stack,
    kill: Option<Kill>,
    step: impl Fn(u32) -> Duration,
) -> bool {
    let mut is_killed = kill.is_some();
    let faults = stack.local.faults();

    for round in 0..MAX_ROUNDS {
        let has_failed = |messages: Messages| {
            if is_killed {
                faults.broken_calls() > 0 && failed_calls(&faults) >= messages.in_flight
            } else {
                // A job that is repeated after the kill may send an event again. That message fails
                // if the webhook is being sent, and is received again later.
                kill.is_some()
            }
        };
        let is_idle = |messages: Messages| {
            let is_at_rest = messages.visible == 0 && messages.running_batches == 0;
            messages.are_quiet() || (is_at_rest && has_failed(messages))
        };

        let left = stack.local.until(is_idle).await.unwrap_or_else(|error| {
            let broken = faults.broken_calls();
            panic!("{kill:?}, {broken} broken calls: {error}")
        });
        if is_killed && faults.broken_calls() > 0 {
            faults.reconnect();
            is_killed = false;
        }
        if left == Messages::default() {
            break;
        }
        stack.clock.advance(step(round));
    }
    faults.reconnect();
    kill.is_some() && !is_killed
}

/// How a suite kills functions.
pub(crate) struct Sweep {
    pub(crate) stacks: usize,
    /// Every how many points the default run kills a function.
    pub(crate) share: usize,
    /// Calls of every run. A kill at one of them must happen.
    pub(crate) min_calls: u32,
    /// At most one of this number of kills may not happen.
    pub(crate) missed_share: usize,
}

impl Sweep {
    /// Runs kills in groups, each group in its stack. `survives` returns those that did not happen.
    pub(crate) async fn run<K: Copy + Debug + Into<Kill>>(
        &self,
        kills: impl IntoIterator<Item = K>,
        survives: impl AsyncFn(Vec<K>) -> Vec<K>,
    ) {
        let chosen: Vec<K> = share_of(kills, self.share).collect();
        let planned = chosen.len();

        let groups = distributed(chosen, self.stacks);
        let missed = join_all(groups.into_iter().map(|group| survives(group))).await;
        let missed = missed.concat();

        assert!(
            missed.len() * self.missed_share <= planned,
            "of {planned}: {missed:?}"
        );
        let must_happen = |kill: &&K| {
            let kill: Kill = (**kill).into();
            kill.after < self.min_calls
        };
        assert_eq!(missed.iter().filter(must_happen).count(), 0, "{missed:?}");
    }
}
