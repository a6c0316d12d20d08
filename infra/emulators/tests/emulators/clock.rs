//! A clock that tests move.

use std::{collections::BTreeSet, pin::Pin, sync::Arc, time::Duration};

use emulators::{AsyncClock, AsyncSystemClock, ManualClock};
use tokio::sync::watch;

use crate::support::EVENT_TIMEOUT;

/// A manual clock that records the sleeps of all tasks.
#[derive(Clone)]
pub(crate) struct TestClock {
    manual: ManualClock,
    /// End of every sleep that was ever started.
    sleeps_ms: Arc<watch::Sender<BTreeSet<i64>>>,
}

impl TestClock {
    pub(crate) fn new() -> TestClock {
        // S3 clients sign with the system time.
        let manual = ManualClock::starting_at(AsyncSystemClock.now_ms());
        TestClock {
            manual,
            sleeps_ms: Arc::default(),
        }
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.manual.advance(Duration::from_secs(seconds));
    }

    /// Waits until a task sleeps for this number of seconds from now.
    pub(crate) async fn wait_for_sleep(&self, seconds: i64) {
        let at_ms = self.manual.now_ms() + seconds * 1000;
        let mut sleeps = self.sleeps_ms.subscribe();
        tokio::time::timeout(
            EVENT_TIMEOUT,
            sleeps.wait_for(|sleeps| sleeps.contains(&at_ms)),
        )
        .await
        .unwrap()
        .unwrap();
    }
}

impl AsyncClock for TestClock {
    fn now_ms(&self) -> i64 {
        self.manual.now_ms()
    }

    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.sleeps_ms.send_modify(|sleeps| sleeps.extend([at_ms]));
        self.manual.sleep_until(at_ms)
    }
}
