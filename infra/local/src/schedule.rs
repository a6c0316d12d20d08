//! Messages that rules send time and again, by the stack's clock: first one period after the
//! stack's start, since when they were sent before is not kept. A time that was slept through is
//! left out.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use aws_sdk_sqs::Client;
use emulators::{ACCOUNT_ID, AsyncClock};
use runtime::Environment;
use template::Schedule;

use crate::{server::Stopping, trigger::client};

/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;
/// How long to wait after SQS did not take a message.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);

/// When each schedule sends its next message.
pub(crate) struct Schedules {
    clock: Arc<dyn AsyncClock>,
    next_ms: Vec<Arc<AtomicI64>>,
}

/// What sends one schedule's messages.
pub(crate) struct Sender {
    client: Client,
    queue_url: String,
    schedule: Schedule,
    clock: Arc<dyn AsyncClock>,
    next_ms: Arc<AtomicI64>,
}

impl Schedules {
    pub(crate) fn new(clock: Arc<dyn AsyncClock>) -> Schedules {
        Schedules {
            clock,
            next_ms: Vec::new(),
        }
    }

    /// Begins a schedule, with the environment of whoever sends its messages.
    pub(crate) fn begin(&mut self, schedule: &Schedule, environment: &Environment) -> Sender {
        let (client, endpoint) = client(environment);
        let first_ms = self.clock.now_ms() + period_ms(schedule);
        let next_ms = Arc::new(AtomicI64::new(first_ms));
        self.next_ms.push(Arc::clone(&next_ms));
        let queue_url = format!("{endpoint}/{ACCOUNT_ID}/{}", schedule.queue);
        Sender {
            client,
            queue_url,
            schedule: schedule.clone(),
            clock: Arc::clone(&self.clock),
            next_ms,
        }
    }

    /// Whether a message is due that has not been sent.
    pub(crate) fn are_due(&self) -> bool {
        let now_ms = self.clock.now_ms();
        self.next_ms
            .iter()
            .any(|next_ms| next_ms.load(Ordering::Acquire) <= now_ms)
    }
}

impl Sender {
    /// Sends until the stack stops.
    pub(crate) async fn run(self, mut stopping: Stopping) {
        loop {
            let due_ms = self.next_ms.load(Ordering::Acquire);
            let sent = async {
                self.clock.sleep_until(due_ms).await;
                self.send().await;
            };
            tokio::select! {
                () = sent => {}
                _ = stopping.changed() => return,
            }
            self.next_ms.store(
                following_ms(due_ms, period_ms(&self.schedule), self.clock.now_ms()),
                Ordering::Release,
            );
        }
    }

    async fn send(&self) {
        loop {
            let message = self
                .client
                .send_message()
                .queue_url(&self.queue_url)
                .message_body(&self.schedule.message);
            match message.send().await {
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(rule = self.schedule.rule, %error, "the queue does not take a message");
                }
            }
            tokio::time::sleep(FAILURE_PAUSE).await;
        }
    }
}

fn period_ms(schedule: &Schedule) -> i64 {
    i64::from(schedule.period_seconds) * MS_PER_SECOND
}

/// The first of a schedule's times that is yet to come.
fn following_ms(due_ms: i64, period_ms: i64, now_ms: i64) -> i64 {
    let periods = (now_ms - due_ms).max(0) / period_ms + 1;
    due_ms + periods * period_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_were_slept_through_are_left_out() {
        for (due_ms, now_ms, expected) in [
            (100, 100, 110),
            (100, 109, 110),
            (100, 110, 120),
            (100, 1_234, 1_240),
            (100, 90, 110),
        ] {
            assert_eq!(following_ms(due_ms, 10, now_ms), expected, "at {now_ms}");
        }
    }
}
