//! A queue that invokes a worker, by SQS's own rules: a batch is received, worked through, and
//! deleted but for what failed, which becomes visible again by itself until the queue's redrive
//! policy puts it aside. A batch is what one receive gives: no batching window waits for more.
//!
//! As on AWS, a chain of messages that a function sends to its own queue is stopped after 16
//! invocations, unless its template allows recursive loops.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsEvent, SqsMessage};
use aws_sdk_sqs::{
    Client,
    config::{BehaviorVersion, Credentials, Region},
    types::{DeleteMessageBatchRequestEntry, Message, MessageSystemAttributeName},
};
use aws_smithy_http_client::Builder;
use emulators::{ACCOUNT_ID, REGION};
use runtime::Environment;
use template::Trigger;
use tokio::task::JoinSet;

use crate::{
    callee::Callee,
    recursion::RecursionGuard,
    server::{STOP_DEADLINE, Stopping},
};

/// Most messages of one receive.
const RECEIVED_AT_ONCE: u32 = 10;
/// Seconds of one long poll.
const WAIT_SECONDS: i32 = 20;
/// Batches that are at work at once, where the template says nothing.
const DEFAULT_CONCURRENCY: u32 = 5;
/// Tries of a deletion, which may be done in part: what is left is tried again.
const DELETE_TRIES: usize = 5;
/// How long to wait after SQS did not answer.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);

/// What moves a queue's messages to its function.
#[derive(Clone)]
pub(crate) struct Pump {
    client: Client,
    queue: String,
    queue_url: String,
    batch_size: u32,
    reports_failures: bool,
    callee: Arc<Callee>,
    recursion: RecursionGuard,
    running: RunningBatches,
}

impl Pump {
    /// The pump of a trigger, with the environment of its function's role.
    pub(crate) fn new(
        trigger: &Trigger,
        callee: Arc<Callee>,
        environment: &Environment,
        recursion: RecursionGuard,
        running: RunningBatches,
    ) -> Pump {
        let (client, endpoint) = client(environment);
        Pump {
            client,
            queue: trigger.queue.clone(),
            queue_url: format!("{endpoint}/{ACCOUNT_ID}/{}", trigger.queue),
            batch_size: trigger.batch_size.clamp(1, RECEIVED_AT_ONCE),
            reports_failures: trigger.reports_failures,
            callee,
            recursion,
            running,
        }
    }

    /// Pumps until the stack stops; batches at work are finished, within a bound.
    pub(crate) async fn run(self, concurrency: Option<u32>, mut stopping: Stopping) {
        let most = concurrency.unwrap_or(DEFAULT_CONCURRENCY) as usize;
        let mut working = JoinSet::new();
        loop {
            while working.try_join_next().is_some() {}
            let next = async {
                while working.len() >= most {
                    working.join_next().await;
                }
                self.receive().await
            };
            let messages = tokio::select! {
                messages = next => messages,
                _ = stopping.changed() => break,
            };
            if !messages.is_empty() {
                let pump = self.clone();
                let running = self.running.begin();
                working.spawn(async move {
                    pump.work(messages).await;
                    drop(running);
                });
            }
        }
        // What is not done by then is cut off with the set of batches, and received again after the
        // next start.
        let finished = async { while working.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(STOP_DEADLINE, finished).await;
    }

    async fn receive(&self) -> Vec<Message> {
        let received = self
            .client
            .receive_message()
            .queue_url(&self.queue_url)
            .max_number_of_messages(i32::try_from(self.batch_size).unwrap_or(1))
            .wait_time_seconds(WAIT_SECONDS)
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .message_attribute_names("All")
            .send()
            .await;
        match received {
            Ok(received) => received.messages.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(queue = self.queue, %error, "the queue does not answer");
                tokio::time::sleep(FAILURE_PAUSE).await;
                Vec::new()
            }
        }
    }

    async fn work(&self, messages: Vec<Message>) {
        let (messages, stopped) = self.recursion.split(messages);
        self.delete(self.recursion.discard(&stopped).await.into_iter())
            .await;
        if messages.is_empty() {
            return;
        }

        let mut event = SqsEvent::default();
        event.records = messages
            .iter()
            .map(|message| self.record(message))
            .collect();
        let failures = match self.callee.work(event).await {
            Ok(answer) if self.reports_failures => answer.batch_item_failures,
            Ok(_) => Vec::new(),
            Err(reason) => {
                tracing::error!(function = self.callee.name(), ?reason, "the batch failed");
                return;
            }
        };
        match worked_off(&messages, &failures) {
            Some(done) => self.delete(done.into_iter()).await,
            None => {
                tracing::error!(
                    function = self.callee.name(),
                    ?failures,
                    "not of this batch: it failed as a whole"
                );
            }
        }
    }

    async fn delete(&self, done: impl Iterator<Item = &Message>) {
        let mut entries: Vec<_> = done
            .enumerate()
            .filter_map(|(index, message)| {
                let entry = DeleteMessageBatchRequestEntry::builder().id(index.to_string());
                entry.receipt_handle(message.receipt_handle()?).build().ok()
            })
            .collect();
        for _ in 0..DELETE_TRIES {
            if entries.is_empty() {
                return;
            }
            let delete = self
                .client
                .delete_message_batch()
                .queue_url(&self.queue_url);
            match delete.set_entries(Some(entries.clone())).send().await {
                Ok(deleted) => {
                    entries.retain(|entry| {
                        deleted
                            .failed()
                            .iter()
                            .any(|failed| failed.id() == entry.id())
                    });
                }
                Err(error) => {
                    tracing::warn!(queue = self.queue, %error, "messages could not be deleted");
                }
            }
        }
        // They become visible again, and are worked on twice: what workers have to bear anyway.
        tracing::warn!(
            queue = self.queue,
            messages = entries.len(),
            "messages that are done stay in the queue"
        );
    }

    fn record(&self, message: &Message) -> SqsMessage {
        let mut record = SqsMessage::default();
        record.message_id.clone_from(&message.message_id);
        record.receipt_handle.clone_from(&message.receipt_handle);
        record.body.clone_from(&message.body);
        record.md5_of_body.clone_from(&message.md5_of_body);
        record
            .md5_of_message_attributes
            .clone_from(&message.md5_of_message_attributes);
        let attributes = message.attributes.iter().flatten();
        record.attributes = attributes
            .map(|(name, value)| (name.as_str().to_owned(), value.clone()))
            .collect();
        record.event_source = Some("aws:sqs".to_owned());
        record.event_source_arn = Some(format!("arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{}", self.queue));
        record.aws_region = Some(REGION.to_owned());
        record
    }
}

/// The messages of a batch that did not fail. `None` where a failure is of no message of the batch:
/// Lambda then takes all of them for failed, and deletes none.
fn worked_off<'a>(
    messages: &'a [Message],
    failures: &[BatchItemFailure],
) -> Option<Vec<&'a Message>> {
    let has_failed = |message: &&Message| {
        failures
            .iter()
            .any(|failure| message.message_id() == Some(failure.item_identifier.as_str()))
    };
    let (failed, done): (Vec<_>, Vec<_>) = messages.iter().partition(has_failed);
    let named: BTreeSet<&str> = failures
        .iter()
        .map(|failure| failure.item_identifier.as_str())
        .collect();
    (failed.len() == named.len()).then_some(done)
}

/// An SQS client that acts as an environment's role, and the endpoint it calls.
pub(crate) fn client(environment: &Environment) -> (Client, String) {
    let variable = |name: &str| environment.variables.get(name).cloned().unwrap_or_default();
    let endpoint = variable("AWS_ENDPOINT_URL_SQS");
    let credentials = Credentials::new(
        variable("AWS_ACCESS_KEY_ID"),
        variable("AWS_SECRET_ACCESS_KEY"),
        None,
        None,
        "local",
    );
    let config = aws_sdk_sqs::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(REGION))
        .credentials_provider(credentials)
        .endpoint_url(&endpoint)
        .http_client(Builder::new().build_http())
        .build();
    (Client::from_conf(config), endpoint)
}

/// Counts the batches that functions are processing. Clones share one count.
///
/// SQS delivers a message more than once, so a batch can be running still when another delivery of
/// its messages has deleted them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningBatches(Arc<AtomicU64>);

impl RunningBatches {
    /// Counts a batch until the guard is dropped.
    fn begin(&self) -> RunningBatch {
        self.0.fetch_add(1, Ordering::SeqCst);
        RunningBatch(self.clone())
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

struct RunningBatch(RunningBatches);

impl Drop for RunningBatch {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Messages of queues, counted together, and the batches of them that are running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// To be received now.
    pub visible: u64,
    /// Received, and neither deleted nor visible again.
    pub in_flight: u64,
    /// Kept back.
    pub delayed: u64,
    /// Batches that functions are processing, of messages that are in flight or deleted.
    pub running_batches: u64,
}

impl Messages {
    /// Returns whether nothing is to be done at this moment of the stack's clock.
    pub fn are_quiet(self) -> bool {
        Messages { delayed: 0, ..self } == Messages::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_an_unknown_message_fails_the_batch() {
        let messages = ["a", "b", "c"].map(|id| Message::builder().message_id(id).build());
        let done = |failed: &[&str]| {
            let failures = failed.iter().map(|id| {
                let mut failure = BatchItemFailure::default();
                failure.item_identifier = (*id).to_owned();
                failure
            });
            let done = worked_off(&messages, &failures.collect::<Vec<_>>())?;
            Some(
                done.iter()
                    .filter_map(|message| message.message_id())
                    .collect::<String>(),
            )
        };
        for (failed, expected) in [
            (&[][..], Some("abc")),
            (&["b"], Some("ac")),
            (&["b", "b"], Some("ac")),
            (&["a", "b", "c"], Some("")),
            (&["b", "unknown"], None),
            (&[""], None),
        ] {
            assert_eq!(done(failed).as_deref(), expected, "{failed:?}");
        }
    }
}
