//! Workers whose queues are not polled until they are resumed.

use tokio::sync::watch;

use crate::stopping::Stopping;

/// Functions, by binary name, whose queues are polled only after [`PausedWorkers::resume`].
pub(crate) struct PausedWorkers {
    binaries: &'static [&'static str],
    is_resumed: watch::Sender<bool>,
}

impl PausedWorkers {
    pub(crate) fn new(binaries: &'static [&'static str]) -> PausedWorkers {
        PausedWorkers {
            binaries,
            is_resumed: watch::Sender::new(false),
        }
    }

    /// Whether the queue of a function is not polled now.
    pub(crate) fn contains(&self, binary: &str) -> bool {
        self.binaries.contains(&binary) && !*self.is_resumed.borrow()
    }

    pub(crate) fn resume(&self) {
        self.is_resumed.send_replace(true);
    }

    /// Returns a future that runs `work` once the workers are resumed, unless the stack stops
    /// first.
    pub(crate) fn after_resume(
        &self,
        work: impl Future<Output = ()> + Send + 'static,
        mut stopping: Stopping,
    ) -> impl Future<Output = ()> + Send + 'static {
        let mut is_resumed = self.is_resumed.subscribe();
        async move {
            tokio::select! {
                resumed = is_resumed.wait_for(|is_resumed| *is_resumed) => {
                    if resumed.is_err() {
                        return;
                    }
                }
                _ = stopping.changed() => return,
            }
            work.await;
        }
    }
}
