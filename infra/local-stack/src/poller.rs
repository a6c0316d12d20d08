//! Polls a queue and invokes its worker, as a Lambda event source mapping does.
//!
//! - A batch is the result of one receive: there is no batching window.
//! - Messages are deleted after a successful invocation. Failed messages become visible again,
//!   after the timeout that the function has set or else that of the queue, until the redrive
//!   policy moves them to the dead-letter queue.
//! - A chain of messages that a function sends to its own queue is stopped after 16 invocations,
//!   unless the template allows recursive loops.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsEvent, SqsMessage};
use aws_sdk_sqs::types::{DeleteMessageBatchRequestEntry, Message, MessageSystemAttributeName};
use emulators::{ACCOUNT_ID, REGION};
use runtime::context::FunctionContext;
use sam_template::Trigger;
use tokio::task::JoinSet;

use crate::{
    function::LocalFunction,
    messages::RunningBatches,
    recursion::RecursionGuard,
    sqs_client::SqsClient,
    stopping::{STOP_DEADLINE, Stopping},
};

/// Maximum number of messages of one receive.
const RECEIVED_AT_ONCE: u32 = 10;
/// Duration of a long poll, in seconds.
const WAIT_SECONDS: i32 = 20;
/// Maximum number of concurrent batches if the template does not specify it.
const DEFAULT_CONCURRENCY: u32 = 5;
/// Maximum attempts to delete a batch. Entries that failed are retried.
const DELETE_TRIES: usize = 5;
/// Delay after a failed receive.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);

/// Role, limits and counters of a [`Poller`].
pub(crate) struct PollerOptions {
    /// Context with the credentials of the function's role.
    pub(crate) context: FunctionContext,
    pub(crate) recursion: RecursionGuard,
    pub(crate) running: RunningBatches,
}

#[derive(Clone)]
pub(crate) struct Poller {
    sqs: SqsClient,
    queue: String,
    queue_url: String,
    batch_size: u32,
    function: Arc<LocalFunction>,
    recursion: RecursionGuard,
    running: RunningBatches,
}

impl Poller {
    /// Creates a poller that invokes `function`.
    pub(crate) fn new(
        trigger: &Trigger,
        function: Arc<LocalFunction>,
        options: PollerOptions,
    ) -> Poller {
        let sqs = SqsClient::new(&options.context);
        let queue_url = sqs.queue_url(&trigger.queue);

        Poller {
            sqs,
            queue: trigger.queue.clone(),
            queue_url,
            batch_size: trigger.batch_size.clamp(1, RECEIVED_AT_ONCE),
            function,
            recursion: options.recursion,
            running: options.running,
        }
    }

    /// Polls until the stack stops. Batches in progress have [`STOP_DEADLINE`] to finish.
    pub(crate) async fn run(self, concurrency: Option<u32>, mut stopping: Stopping) {
        let max_batches = concurrency.unwrap_or(DEFAULT_CONCURRENCY) as usize;
        let mut working = JoinSet::new();
        loop {
            while working.try_join_next().is_some() {}
            let next = async {
                while working.len() >= max_batches {
                    working.join_next().await;
                }
                self.receive().await
            };
            let messages = tokio::select! {
                messages = next => messages,
                _ = stopping.changed() => break,
            };
            if !messages.is_empty() {
                let poller = self.clone();
                let running = self.running.begin();
                working.spawn(async move {
                    poller.process(messages).await;
                    drop(running);
                });
            }
        }

        // Dropping the set aborts the remaining batches. Their messages are received again after
        // the next start.
        let finished = async { while working.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(STOP_DEADLINE, finished).await;
    }

    async fn receive(&self) -> Vec<Message> {
        let received = self
            .sqs
            .client
            .receive_message()
            .queue_url(&self.queue_url)
            .max_number_of_messages(i32::try_from(self.batch_size).unwrap_or(1))
            .wait_time_seconds(WAIT_SECONDS)
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .send()
            .await;

        match received {
            Ok(received) => received.messages.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(queue = self.queue, %error, "messages could not be received");
                tokio::time::sleep(FAILURE_PAUSE).await;
                Vec::new()
            }
        }
    }

    async fn process(&self, received: Vec<Message>) {
        let split = self.recursion.split(received);
        self.delete(self.recursion.discard(&split.stopped).await.into_iter())
            .await;
        let messages = split.invoking;
        if messages.is_empty() {
            return;
        }

        let mut event = SqsEvent::default();
        event.records = messages
            .iter()
            .map(|message| self.record(message))
            .collect();
        let failures = match self.function.invoke_batch(event).await {
            Ok(response) => response.batch_item_failures,
            Err(reason) => {
                tracing::error!(function = self.function.name(), ?reason, "the batch failed");
                return;
            }
        };
        match succeeded(&messages, &failures) {
            Some(done) => self.delete(done.into_iter()).await,
            None => {
                tracing::error!(
                    function = self.function.name(),
                    ?failures,
                    "the function reported failures of unknown messages, so the whole batch failed"
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
                .sqs
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

        // They become visible again and are processed twice, which workers must tolerate anyway.
        tracing::warn!(
            queue = self.queue,
            messages = entries.len(),
            "processed messages could not be deleted"
        );
    }

    fn record(&self, message: &Message) -> SqsMessage {
        let mut record = SqsMessage::default();
        record.message_id.clone_from(&message.message_id);
        record.receipt_handle.clone_from(&message.receipt_handle);
        record.body.clone_from(&message.body);
        record.md5_of_body.clone_from(&message.md5_of_body);
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

/// Returns the messages of a batch that did not fail. Returns `None` if a failure names no message
/// of the batch: Lambda then treats the whole batch as failed.
fn succeeded<'a>(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_of_unknown_message_fails_batch() {
        let messages = ["a", "b", "c"].map(|id| Message::builder().message_id(id).build());
        let done = |failed: &[&str]| {
            let failures = failed.iter().map(|id| {
                let mut failure = BatchItemFailure::default();
                failure.item_identifier = (*id).to_owned();
                failure
            });
            let done = succeeded(&messages, &failures.collect::<Vec<_>>())?;
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
