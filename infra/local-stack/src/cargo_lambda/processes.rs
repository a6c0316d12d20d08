//! Supervised processes that are stopped together.

use tokio::{sync::watch, task::JoinSet};

use crate::stopping::Stopping;

/// Tasks that each supervise a process.
pub(super) struct Processes {
    watches: JoinSet<()>,
    /// Stops the processes when it is dropped.
    stop: watch::Sender<()>,
}

impl Default for Processes {
    fn default() -> Processes {
        Processes {
            watches: JoinSet::new(),
            stop: watch::channel(()).0,
        }
    }
}

impl Processes {
    /// Adds a task that stops its process when it is notified.
    pub(super) fn watch<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        watch: impl FnOnce(Stopping) -> F,
    ) {
        self.watches.spawn(watch(self.stop.subscribe()));
    }

    /// Stops all processes and waits for their end.
    pub(super) async fn end(mut self) {
        drop(self.stop);
        while self.watches.join_next().await.is_some() {}
    }
}
