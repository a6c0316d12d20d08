//! The handle to all queues.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

use super::{
    error::SqsError,
    queue_store::{MessageCounts, QueueStore},
};
use crate::{clock::AsyncClock, error::EmulatorStartError, net::ShutdownSignal};

/// The queues. Clones share them.
#[derive(Clone)]
pub(crate) struct SqsEmulator {
    pub(super) store: Arc<QueueStore>,
    pub(super) clock: Arc<dyn AsyncClock>,
    /// Notifies long polls of new messages, by queue.
    arrivals: Arc<Mutex<HashMap<String, Arc<Notify>>>>,
    pub(super) shutdown: ShutdownSignal,
}

impl SqsEmulator {
    /// Opens or creates the database.
    pub(crate) fn open(
        path: &Path,
        clock: Arc<dyn AsyncClock>,
        shutdown: ShutdownSignal,
    ) -> Result<SqsEmulator, EmulatorStartError> {
        let store = QueueStore::open(path, clock.now_ms())
            .map_err(|error| EmulatorStartError::damaged(path, &error))?;
        Ok(SqsEmulator {
            store: Arc::new(store),
            clock,
            arrivals: Arc::default(),
            shutdown,
        })
    }

    /// Creates a queue, or replaces the attributes of an existing one.
    pub(crate) fn ensure(&self, queue: &sam_template::QueueSpec) {
        self.store.ensure_queue(queue);
    }

    /// Removes messages that are older than the retention period of their queue. Blocks.
    pub(crate) fn remove_expired(&self) -> rusqlite::Result<()> {
        self.store.remove_expired(self.clock.now_ms())
    }

    /// Counts the messages of a queue. `None` if the queue cannot be read.
    pub(crate) async fn count(&self, queue: &str) -> Option<MessageCounts> {
        let queue = queue.to_owned();
        self.blocking(move |store, now_ms| store.count(&queue, now_ms))
            .await
            .ok()
    }

    /// Runs blocking work with the store and the current time, off the async threads.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&QueueStore, i64) -> Result<T, SqsError> + Send + 'static,
    ) -> Result<T, SqsError> {
        let store = Arc::clone(&self.store);
        let now_ms = self.clock.now_ms();
        match crate::spawn_blocking(move || work(&store, now_ms)).await {
            Ok(result) => result,
            Err(error) => Err(SqsError::internal(&error)),
        }
    }

    /// Returns what notifies long polls of new messages in a queue.
    pub(super) fn arrivals(&self, queue: &str) -> Arc<Notify> {
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(arrivals.entry(queue.to_owned()).or_default())
    }
}
