//! Counts of messages for pages and tests.

use super::{emulator::SqsEmulator, queue_store::MessageCounts};

/// Counts messages without logged calls. Clones share the queues.
#[derive(Clone)]
pub struct MessageCounter(SqsEmulator);

impl MessageCounter {
    pub(crate) fn new(sqs: SqsEmulator) -> MessageCounter {
        MessageCounter(sqs)
    }

    /// Counts the messages of a queue. `None` if the queue cannot be read.
    pub async fn count(&self, queue: &str) -> Option<MessageCounts> {
        self.0.count(queue).await
    }
}
