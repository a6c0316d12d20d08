//! The injected clock of the emulators, which a test can stop.
//!
//! Invariant: no other module of this crate reads the system time. Of the dependencies, `s3s` and
//! `dynoxide` do.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::sync::watch;

/// A clock that can be waited for.
pub trait AsyncClock: Send + Sync + 'static {
    /// Returns the current time in milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;

    /// Waits until [`AsyncClock::now_ms`] is at least `at_ms`.
    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

#[derive(Clone, Copy, Debug, Default)]
pub struct AsyncSystemClock;

impl AsyncClock for AsyncSystemClock {
    fn now_ms(&self) -> i64 {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that asks the system for the time"
        )]
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        as_millis(since_epoch)
    }

    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            // In a loop: the timer is monotonic, but the system time may be set back meanwhile.
            loop {
                let remaining_ms = at_ms.saturating_sub(AsyncSystemClock.now_ms());
                let Ok(remaining_ms @ 1..) = u64::try_from(remaining_ms) else {
                    return;
                };
                tokio::time::sleep(Duration::from_millis(remaining_ms)).await;
            }
        })
    }
}

/// A clock that only moves when it is advanced. Clones share the time.
#[derive(Clone, Debug)]
pub struct ManualClock {
    now_ms: Arc<watch::Sender<i64>>,
}

impl ManualClock {
    /// Creates a clock at `now_ms`, in milliseconds since the Unix epoch.
    pub fn starting_at(now_ms: i64) -> ManualClock {
        ManualClock {
            now_ms: Arc::new(watch::Sender::new(now_ms)),
        }
    }

    /// Advances the time and wakes tasks whose sleep has ended.
    pub fn advance(&self, by: Duration) {
        self.now_ms
            .send_modify(|now_ms| *now_ms = now_ms.saturating_add(as_millis(by)));
    }
}

impl AsyncClock for ManualClock {
    fn now_ms(&self) -> i64 {
        *self.now_ms.borrow()
    }

    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let clock = self.clone();
        Box::pin(async move {
            let mut now_ms = clock.now_ms.subscribe();
            // `clock` holds the sender, so the channel cannot close.
            let _ = now_ms.wait_for(|now_ms| *now_ms >= at_ms).await;
        })
    }
}

/// Converts to milliseconds, at most `i64::MAX`.
fn as_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
