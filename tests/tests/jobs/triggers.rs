//! Queue triggers with the rules of SQS, tested with a separate template and worker.

use std::time::Duration;

use emulators::{InjectedError, Service::Sqs};
use local_stack::Registry;
use serde_json::{Value, json};
use tests::{ECHO_TEMPLATE, Stack, StackOptions, echo_worker, parse_template, seconds};

use crate::{lambda::emulate::emulated, support::queues::Queues};

/// Period of the rule.
const DAY: Duration = Duration::from_hours(24);
/// Time limit for marks and dead letters to appear.
const DEADLINE: Duration = Duration::from_secs(20);
/// Time by which the clock is advanced meanwhile, in steps.
const STEP: Duration = Duration::from_secs(10);

/// The stack of the worker, and its queues.
struct Echo {
    stack: Stack,
    queues: Queues,
    marks: tempfile::TempDir,
}

impl Echo {
    async fn start() -> Echo {
        Echo::start_with(StackOptions::default()).await
    }

    async fn start_with(options: StackOptions) -> Echo {
        let marks = tempfile::TempDir::new().expect("a temporary directory");
        let directory = marks.path().display().to_string();
        let options = StackOptions {
            template: parse_template(ECHO_TEMPLATE),
            registry: Registry::default().worker("echo-worker", echo_worker),
            ..options.with_parameters(&[("Directory", &directory)])
        };
        let stack = Stack::start_with(options).await;
        let queues = Queues::of(&stack, "echo-worker");

        Echo {
            stack,
            queues,
            marks,
        }
    }

    async fn send(&self, job: Value) {
        self.queues.send("Jobs", &job.to_string()).await;
    }

    /// Advances the clock until a number is reached, which a panic message calls `name`.
    async fn advance_until(&self, name: &str, number: u64, count: impl AsyncFn() -> u64) {
        let reached = async {
            while count().await < number {
                self.stack.clock.advance(STEP);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let is_reached = tokio::time::timeout(DEADLINE, reached).await.is_ok();
        assert!(is_reached, "{} of {number} {name}", count().await);
    }

    /// Waits until the worker has received all messages. The clock is stopped, so failed ones do
    /// not become visible again.
    async fn drained(&self) {
        let drained = self.stack.local.drained().await;
        drained.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Returns the number of marks of a job.
    fn count(&self, name: &str) -> u64 {
        let marks = std::fs::metadata(self.marks.path().join(name));
        marks.map_or(0, |marks| marks.len())
    }
}

async fn messages_are_worked_on_until_they_succeed_or_are_put_aside(echo: Echo) {
    for (name, failures, panics) in [
        ("fine", 0, false),
        ("twice", 1, false),
        ("panicked", 1, true),
        ("never", 99, false),
    ] {
        let job = json!({"name": name, "failures": failures, "panics": panics});
        echo.send(job).await;
    }

    echo.queues.send("Jobs", "not a job").await;
    let expected = [("fine", 1), ("twice", 2), ("panicked", 2), ("never", 3)];
    for (name, marks) in expected {
        echo.advance_until(name, marks, async || echo.count(name))
            .await;
    }

    // The receive after the last one that failed moves a message to the dead-letter queue.
    let dead = async || echo.queues.count("Dead").await;
    echo.advance_until("dead letters", 2, dead).await;

    let marks = expected.map(|(name, _)| (name, echo.count(name)));
    assert_eq!(marks, expected, "nothing is worked on again");
    echo.stack.stop().await;
}

#[tokio::test]
async fn every_message_is_processed_under_chaos() {
    let echo = Echo::start_with(StackOptions {
        chaos: Some(1),
        ..StackOptions::default()
    })
    .await;
    let names: Vec<String> = (0..40).map(|number| number.to_string()).collect();

    for name in &names {
        echo.send(json!({"name": name, "failures": 0})).await;
    }

    echo.drained().await;

    let marks: Vec<u64> = names.iter().map(|name| echo.count(name)).collect();
    assert!(marks.iter().all(|marks| *marks >= 1), "{marks:?}");
    assert!(marks.iter().any(|marks| *marks > 1), "{marks:?}");
    assert_eq!(echo.queues.count("Dead").await, 0);
    echo.stack.stop().await;
}

#[tokio::test]
async fn in_process_worker_receives_batches() {
    messages_are_worked_on_until_they_succeed_or_are_put_aside(Echo::start().await).await;
}

#[tokio::test]
async fn cargo_lambda_worker_receives_batches() {
    let echo = Echo::start_with(emulated()).await;
    messages_are_worked_on_until_they_succeed_or_are_put_aside(echo).await;
}

/// Where the messages of a chain went.
#[derive(Debug, PartialEq)]
struct Chain {
    /// Messages that the worker received.
    received: u64,
    /// Messages in the dead-letter queue.
    dead_letters: u64,
}

/// Sends 40 messages in one chain.
async fn chain_of_messages(recursive_loop: &str) -> Chain {
    let parameters = [("RecursiveLoop", recursive_loop)];
    let options = StackOptions::default().with_parameters(&parameters);
    let echo = Echo::start_with(options).await;
    let chain = json!({"name": "chain", "failures": 0, "resends": 39});
    echo.send(chain).await;
    echo.drained().await;

    let chain = Chain {
        received: echo.count("chain"),
        dead_letters: echo.queues.count("Dead").await,
    };
    echo.stack.stop().await;
    chain
}

#[tokio::test]
async fn message_chain_stops_after_16_invocations_unless_recursive_loops_are_allowed() {
    let stopped = Chain {
        received: 16,
        dead_letters: 1,
    };
    let allowed = Chain {
        received: 40,
        dead_letters: 0,
    };
    assert_eq!(chain_of_messages("Terminate").await, stopped);
    assert_eq!(chain_of_messages("Allow").await, allowed);
}

#[tokio::test]
async fn schedule_sends_message_every_period() {
    let echo = Echo::start().await;
    let almost = seconds(24 * 60 * 60 - 1);

    for (time, marks) in [
        (almost, 0),
        (seconds(1), 1),
        (almost, 1),
        (seconds(1), 2),
        (3 * DAY, 3),
    ] {
        echo.stack.run_for(time).await;
        assert_eq!(echo.count("daily"), marks);
    }

    // It is sent again until the queue accepts it.
    let error = InjectedError::new(503, "ServiceUnavailable");
    echo.stack.local.faults().fail(Sqs, "SendMessage", 3, error);
    echo.stack.run_for(DAY).await;
    assert_eq!(echo.count("daily"), 4);
    echo.stack.stop().await;
}

#[tokio::test]
async fn unfinished_batch_does_not_block_shutdown() {
    let echo = Echo::start().await;
    echo.send(json!({"name": "hangs", "failures": 0, "hangs": true}))
        .await;
    echo.advance_until("hangs", 1, async || echo.count("hangs"))
        .await;
    // Less than the timeout of the function.
    let stopped = tokio::time::timeout(seconds(15), echo.stack.stop_undrained()).await;
    assert!(stopped.is_ok(), "the stack still waits");
}
