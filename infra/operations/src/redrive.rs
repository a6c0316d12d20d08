//! `redrive`: sends dead letters back to their source queue.
//!
//! Invariant: a message is deleted only after its copy was sent. If the tool stops in between, the job
//! runs twice, which every job tolerates.

use std::io::Write;

use aws_sdk_sqs::types::{DeleteMessageBatchRequestEntry, Message, MessageSystemAttributeName};

use crate::{
    OperationError,
    queues::{DeadLetterQueue, Source, Stack},
};

/// Maximum number of messages of a batch.
const BATCH: usize = 10;
/// Duration of a long poll, in seconds.
const WAIT_SECONDS: i32 = 1;
/// Time in which no other receiver gets the messages of a batch, in seconds: enough to send them.
const HIDDEN_SECONDS: i32 = 120;
/// Maximum number of attempts to delete messages that were sent.
const DELETE_TRIES: usize = 5;

/// Moves messages from one queue to another.
struct Redrive<'a> {
    stack: &'a Stack,
    from: &'a DeadLetterQueue,
    to: &'a Source,
    /// Number of messages that were sent.
    sent: usize,
    /// Number of them that could not be deleted.
    kept: usize,
}

/// Sends the messages that the queue has at the start back to its source queue, and prints their number.
/// Messages that fail again meanwhile stay in the queue.
pub(crate) async fn redrive(
    stack: &Stack,
    queue: &str,
    output: &mut impl Write,
) -> Result<(), OperationError> {
    let queue = stack.dead_letter_queue(queue).await?;
    let [source] = queue.sources.as_slice() else {
        return Err(OperationError::SeveralSources(queue.name));
    };
    let mut redrive = Redrive {
        stack,
        from: &queue,
        to: source,
        sent: 0,
        kept: 0,
    };
    let result = redrive.run().await;

    let Redrive { sent, kept, .. } = redrive;
    if let Err(cause) = result {
        return Err(OperationError::Interrupted {
            redriven: sent,
            cause: Box::new(cause),
        });
    }
    writeln!(
        output,
        "{sent} of about {} messages sent back to {}",
        queue.messages, source.name
    )?;
    if kept > 0 {
        writeln!(
            output,
            "{kept} of them could not be deleted, and are still in {}",
            queue.name
        )?;
    }
    Ok(())
}

impl Redrive<'_> {
    async fn run(&mut self) -> Result<(), OperationError> {
        while self.sent < self.from.messages {
            let remaining = self.from.messages - self.sent;
            let messages = self.receive(remaining.min(BATCH)).await?;
            if messages.is_empty() {
                return Ok(());
            }

            let mut done = Vec::new();
            let mut failure = None;
            for message in messages {
                if let Err(error) = self.send(&message).await {
                    failure = Some(error);
                    break;
                }
                done.push(message);
            }
            self.sent += done.len();
            self.delete(&done).await;
            if let Some(error) = failure {
                return Err(error);
            }
        }
        Ok(())
    }

    async fn receive(&self, count: usize) -> Result<Vec<Message>, OperationError> {
        let received = self
            .stack
            .client
            .receive_message()
            .queue_url(&self.from.url)
            .max_number_of_messages(i32::try_from(count).unwrap_or(1))
            .visibility_timeout(HIDDEN_SECONDS)
            .wait_time_seconds(WAIT_SECONDS)
            .message_attribute_names("All")
            .message_system_attribute_names(MessageSystemAttributeName::MessageGroupId)
            .send()
            .await
            .map_err(OperationError::sqs("ReceiveMessage"))?;
        Ok(received.messages.unwrap_or_default())
    }

    /// Sends the body, the attributes and the message group of a message to the source queue. The group
    /// keeps the queue fair between spaces ("Amazon SQS fair queues" in the SQS Developer Guide); a
    /// receive returns the group of the sender ("`ReceiveMessage`" in the SQS API Reference).
    async fn send(&self, message: &Message) -> Result<(), OperationError> {
        let system_attributes = message.attributes.as_ref();
        let group_id = system_attributes
            .and_then(|attributes| attributes.get(&MessageSystemAttributeName::MessageGroupId));

        self.stack
            .client
            .send_message()
            .queue_url(&self.to.url)
            .set_message_body(message.body.clone())
            .set_message_attributes(message.message_attributes.clone())
            .set_message_group_id(group_id.cloned())
            .send()
            .await
            .map(drop)
            .map_err(OperationError::sqs("SendMessage"))
    }

    /// Deletes messages that were sent. Counts the ones that remain.
    async fn delete(&mut self, done: &[Message]) {
        let mut entries: Vec<_> = done
            .iter()
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
                .stack
                .client
                .delete_message_batch()
                .queue_url(&self.from.url)
                .set_entries(Some(entries.clone()));
            if let Ok(deleted) = delete.send().await {
                entries.retain(|entry| {
                    deleted
                        .failed()
                        .iter()
                        .any(|failed| failed.id() == entry.id())
                });
            }
        }
        self.kept += entries.len();
    }
}
