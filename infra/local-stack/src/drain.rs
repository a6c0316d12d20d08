//! Waits for the queues of a stack.

use std::time::Duration;

use emulators::MessageCounts;

use crate::{local_stack::LocalStack, messages::Messages};

/// Maximum time to wait.
const DRAIN_DEADLINE: Duration = Duration::from_secs(20);
/// Delay between two counts.
const DRAIN_PAUSE: Duration = Duration::from_millis(20);

/// The expected number of messages was not reached in time.
#[derive(Debug, thiserror::Error)]
#[error("the queues did not reach the expected state: {0}")]
pub struct NotDrained(String);

impl LocalStack {
    /// Waits until no queue with a trigger holds a message, no batch is in progress, and no
    /// scheduled message is due. Queues of paused workers do not count.
    pub async fn drained(&self) -> Result<(), NotDrained> {
        self.until(|messages| messages == Messages::default())
            .await
            .map(drop)
    }

    /// Waits until `is_wanted` holds for the messages in all queues with a trigger, including due
    /// scheduled messages. Returns these counts.
    pub async fn until(
        &self,
        is_wanted: impl Fn(Messages) -> bool,
    ) -> Result<Messages, NotDrained> {
        let mut seen = None;
        let watch = async {
            loop {
                // Before the queues are counted: a message sent in between may or may not be
                // counted.
                let is_complete = !self.schedules.are_due();
                seen = self.messages().await;
                if let Some(messages) = seen.filter(|messages| is_complete && is_wanted(*messages))
                {
                    // The queues are counted one after the other. A job that sends to a queue that
                    // was counted already, and ends before its own queue is counted, is visible in
                    // the next count only.
                    let recounted = self.messages().await;
                    if recounted == seen {
                        return messages;
                    }
                }
                tokio::time::sleep(DRAIN_PAUSE).await;
            }
        };

        tokio::time::timeout(DRAIN_DEADLINE, watch)
            .await
            .map_err(|_| NotDrained(format!("{seen:?}")))
    }

    /// Counts the messages in all queues with a trigger. `None` if a queue cannot be counted.
    async fn messages(&self) -> Option<Messages> {
        let mut total = Messages::default();
        for trigger in &self.template.triggers {
            if self.is_paused(trigger) {
                continue;
            }

            let MessageCounts {
                visible,
                in_flight,
                delayed,
            } = self.emulators.message_counts(&trigger.queue).await?;
            total.visible += visible;
            total.in_flight += in_flight;
            total.delayed += delayed;
        }

        // Counted after the queues: once a message is deleted, its other receives have begun.
        total.running_batches = self.running_batches.count();
        Some(total)
    }
}
