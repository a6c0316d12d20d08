//! Queue triggers with the rules of SQS, tested with a separate template and worker.

use std::{collections::BTreeMap, time::Duration};

use emulators::{InjectedError, Service::Sqs};
use local_stack::{CargoLambda, Registry};
use serde_json::{Value, json};
use tests::{ECHO_TEMPLATE, Stack, StackOptions, echo_worker, parse_template, seconds};

use crate::support::queues::Queues;

/// Period of the rule.
const DAY: Duration = Duration::from_hours(24);
/// Time limit for marks to appear.
const DEADLINE: Duration = Duration::from_secs(20);

/// The stack of the worker, and its queues.
struct Echo {
    stack: Stack,
    queues: Queues,
    marks: tempfile::TempDir,
}

impl Echo {
    async fn start(cargo_lambda: Option<CargoLambda>) -> Echo {
        Echo::start_with(StackOptions {
            cargo_lambda,
            ..StackOptions::default()
        })
        .await
    }

    async fn start_with(options: StackOptions) -> Echo {
        let marks = tempfile::TempDir::new().expect("a temporary directory");
        let mut parameters = options.parameters.clone();
        parameters.insert("Directory".to_owned(), marks.path().display().to_string());

        let registry = Registry::default().worker("echo-worker", echo_worker);
        let template = parse_template(ECHO_TEMPLATE);
        let options = StackOptions {
            template,
            registry,
            parameters,
            ..options
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

    /// Waits for a number of marks of a job while it advances the clock.
    async fn wait_for_marks(&self, name: &str, marks: usize) {
        let waited = tokio::time::timeout(DEADLINE, async {
            while self.count(name) < marks {
                self.stack.clock.advance(seconds(10));
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let is_reached = waited.await.is_ok();
        assert!(
            is_reached,
            "{name} has {} of {marks} marks",
            self.count(name)
        );
    }

    /// Waits for a number of dead letters while it advances the clock. The receive after the last one
    /// that failed moves a message to the dead-letter queue.
    async fn wait_for_dead_letters(&self, messages: u64) {
        let waited = tokio::time::timeout(DEADLINE, async {
            while self.queues.count("Dead").await < messages {
                self.stack.clock.advance(seconds(31));
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let is_reached = waited.await.is_ok();
        let found = self.queues.count("Dead").await;
        assert!(is_reached, "{found} of {messages} dead letters");
    }

    /// Waits until the worker has received all messages. The clock is stopped, so failed ones do not become
    /// visible again.
    async fn drained(&self) {
        let drained = self.stack.local.drained().await;
        drained.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Returns the number of marks of a job.
    fn count(&self, name: &str) -> usize {
        let marks = std::fs::read(self.marks.path().join(name));
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
    for (name, marks) in [("fine", 1), ("twice", 2), ("panicked", 2), ("never", 3)] {
        echo.wait_for_marks(name, marks).await;
    }

    echo.wait_for_dead_letters(2).await;

    let marks = ["fine", "twice", "panicked", "never"].map(|name| echo.count(name));
    assert_eq!(marks, [1, 2, 2, 3], "nothing is worked on again");
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

    let marks: Vec<usize> = names.iter().map(|name| echo.count(name)).collect();
    assert!(marks.iter().all(|marks| *marks >= 1), "{marks:?}");
    assert!(marks.iter().any(|marks| *marks > 1), "{marks:?}");
    assert_eq!(echo.queues.count("Dead").await, 0);
    echo.stack.stop().await;
}

#[tokio::test]
async fn in_process_worker_receives_batches() {
    messages_are_worked_on_until_they_succeed_or_are_put_aside(Echo::start(None).await).await;
}

#[tokio::test]
async fn cargo_lambda_worker_receives_batches() {
    let echo = Echo::start(Some(crate::lambda::emulate::cargo_lambda())).await;
    messages_are_worked_on_until_they_succeed_or_are_put_aside(echo).await;
}

/// Where the messages of a chain went.
#[derive(Debug, PartialEq)]
struct Chain {
    /// Messages that the worker received.
    received: usize,
    /// Messages in the dead-letter queue.
    dead_letters: u64,
}

/// Sends 40 messages in one chain.
async fn chain_of_messages(recursive_loop: &str) -> Chain {
    let parameters = BTreeMap::from([("RecursiveLoop".to_owned(), recursive_loop.to_owned())]);
    let echo = Echo::start_with(StackOptions {
        parameters,
        ..StackOptions::default()
    })
    .await;
    echo.send(json!({"name": "chain", "failures": 0, "resends": 39}))
        .await;
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
    let echo = Echo::start(None).await;
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
    let echo = Echo::start(None).await;
    echo.send(json!({"name": "hangs", "failures": 0, "hangs": true}))
        .await;
    echo.wait_for_marks("hangs", 1).await;
    // Less than the timeout of the function.
    let stopped = tokio::time::timeout(seconds(15), echo.stack.stop_undrained()).await;
    assert!(stopped.is_ok(), "the stack still waits");
}
