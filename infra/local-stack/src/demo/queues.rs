//! Depths of the queues.

use std::collections::BTreeSet;

use emulators::{MessageCounter, MessageCounts};
use sam_template::QueueSpec;
use serde::Serialize;

/// A queue that is not the dead-letter queue of another one.
struct WatchedQueue {
    name: String,
    dead_letter_queue: Option<String>,
}

/// Counts the messages of all queues.
pub(crate) struct WatchedQueues {
    queues: Vec<WatchedQueue>,
    counter: MessageCounter,
}

/// Number of messages of a queue by state.
#[derive(Serialize)]
pub(crate) struct QueueDepth {
    /// Physical name.
    name: String,
    /// Can be received now.
    visible: u64,
    /// Received, and neither deleted nor visible again.
    in_flight: u64,
    /// Sent with a delay that has not passed.
    delayed: u64,
    /// In the dead-letter queue. Null without one.
    dead_letters: Option<u64>,
}

/// Body of the response.
#[derive(Serialize)]
pub(crate) struct QueueDepths {
    queues: Vec<QueueDepth>,
}

impl WatchedQueues {
    pub(crate) fn new(queues: &[QueueSpec], counter: MessageCounter) -> WatchedQueues {
        let dead_letter_queues: BTreeSet<&String> = queues
            .iter()
            .filter_map(|queue| queue.redrive.as_ref())
            .map(|redrive| &redrive.dead_letter_queue)
            .collect();

        let watched = queues
            .iter()
            .filter(|queue| !dead_letter_queues.contains(&queue.name))
            .map(|queue| WatchedQueue {
                name: queue.name.clone(),
                dead_letter_queue: queue
                    .redrive
                    .as_ref()
                    .map(|redrive| redrive.dead_letter_queue.clone()),
            });

        WatchedQueues {
            queues: watched.collect(),
            counter,
        }
    }

    /// Counts the messages now. Omits queues that cannot be read.
    pub(crate) async fn depths(&self) -> QueueDepths {
        let mut queues = Vec::new();
        for queue in &self.queues {
            let Some(counts) = self.counter.count(&queue.name).await else {
                continue;
            };
            queues.push(QueueDepth {
                name: queue.name.clone(),
                visible: counts.visible,
                in_flight: counts.in_flight,
                delayed: counts.delayed,
                dead_letters: self.dead_letters(queue).await,
            });
        }
        QueueDepths { queues }
    }

    async fn dead_letters(&self, queue: &WatchedQueue) -> Option<u64> {
        let dead_letter_queue = queue.dead_letter_queue.as_ref()?;
        let MessageCounts {
            visible,
            in_flight,
            delayed,
        } = self.counter.count(dead_letter_queue).await?;
        Some(visible + in_flight + delayed)
    }
}
