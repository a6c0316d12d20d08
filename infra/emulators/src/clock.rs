//! Where the emulators take their time from, so that a test can hold it still.
//!
//! Invariant: nothing else in this crate asks the system for the time, but what s3s and dynoxide do
//! by themselves.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::sync::watch;

/// A source of time that can be waited for.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;

    /// Completes once [`Clock::now_ms`] is at least `at_ms`; at once where that has passed.
    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The machine's own time.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that asks the system for the time"
        )]
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        millis(since_epoch)
    }

    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            // In a loop: the timer is monotonic, while the system's time may have been set back
            // meanwhile.
            loop {
                let left_ms = at_ms.saturating_sub(SystemClock.now_ms());
                let Ok(left_ms @ 1..) = u64::try_from(left_ms) else {
                    return;
                };
                tokio::time::sleep(Duration::from_millis(left_ms)).await;
            }
        })
    }
}

/// Time that stands still until it is advanced. Clones share it.
#[derive(Clone, Debug)]
pub struct ManualClock {
    now_ms: Arc<watch::Sender<i64>>,
}

impl ManualClock {
    /// A clock that shows `now_ms`, in milliseconds since the Unix epoch.
    pub fn starting_at(now_ms: i64) -> ManualClock {
        ManualClock {
            now_ms: Arc::new(watch::Sender::new(now_ms)),
        }
    }

    /// Moves the time on and wakes whoever slept until then.
    pub fn advance(&self, by: Duration) {
        self.now_ms
            .send_modify(|now_ms| *now_ms = now_ms.saturating_add(millis(by)));
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        *self.now_ms.borrow()
    }

    fn sleep_until(&self, at_ms: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let clock = self.clone();
        Box::pin(async move {
            let mut now_ms = clock.now_ms.subscribe();
            // The clock held here is the sender, so the channel cannot be closed.
            let _ = now_ms.wait_for(|now_ms| *now_ms >= at_ms).await;
        })
    }
}

/// A duration in milliseconds, at most the largest that a clock can show.
fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sleeper_wakes_when_its_time_has_come_and_not_before() {
        let clock = ManualClock::starting_at(1_000);
        let mut sleeper = clock.sleep_until(1_500);
        let pending = futures::poll!(&mut sleeper).is_pending();
        clock.clone().advance(Duration::from_millis(499));
        let still_pending = futures::poll!(&mut sleeper).is_pending();
        clock.clone().advance(Duration::from_millis(1));
        sleeper.await;
        assert!(pending && still_pending);
        assert_eq!(clock.now_ms(), 1_500);
    }
}
