//! Counts messages in queues and batches in progress.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Counts the batches that functions are processing. Clones share one count.
///
/// SQS may deliver a message more than once, so a batch can be in progress after another delivery
/// has deleted its messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningBatches(Arc<AtomicU64>);

impl RunningBatches {
    /// Counts a batch until the guard is dropped.
    pub(crate) fn begin(&self) -> RunningBatch {
        self.0.fetch_add(1, Ordering::SeqCst);
        RunningBatch(self.clone())
    }

    /// Returns the number of batches in progress.
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Guard of a batch in progress.
pub(crate) struct RunningBatch(RunningBatches);

impl Drop for RunningBatch {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Number of messages in several queues, and of batches in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// Messages that can be received.
    pub visible: u64,
    /// Messages that were received and are neither deleted nor visible again.
    pub in_flight: u64,
    pub delayed: u64,
    /// Batches in progress, of messages that are in flight or deleted.
    pub running_batches: u64,
}

impl Messages {
    /// Returns whether nothing is in progress or can be received now.
    pub fn are_quiet(self) -> bool {
        Messages { delayed: 0, ..self } == Messages::default()
    }
}
