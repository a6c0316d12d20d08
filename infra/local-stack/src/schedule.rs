//! Sends the messages of EventBridge rules, by the clock of the stack.
//!
//! - The first message is sent one period after the start of the stack: earlier times are not
//!   stored.
//! - Times that passed while the stack was suspended are skipped.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use emulators::AsyncClock;
use runtime::context::FunctionContext;
use sam_template::Schedule;

use crate::{sqs_client::SqsClient, stopping::Stopping};

/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;
/// Delay after a failed send.
const FAILURE_PAUSE: Duration = Duration::from_millis(200);

/// Next send times of all schedules.
pub(crate) struct Schedules {
    clock: Arc<dyn AsyncClock>,
    next_ms: Vec<Arc<AtomicI64>>,
}

/// Sends the messages of one schedule.
pub(crate) struct ScheduleSender {
    sqs: SqsClient,
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

    /// Adds a schedule. `context` must be allowed to send to its queue.
    pub(crate) fn begin(
        &mut self,
        schedule: &Schedule,
        context: &FunctionContext,
    ) -> ScheduleSender {
        let sqs = SqsClient::new(context);
        let first_ms = self.clock.now_ms() + period_ms(schedule);
        let next_ms = Arc::new(AtomicI64::new(first_ms));
        self.next_ms.push(Arc::clone(&next_ms));
        let queue_url = sqs.queue_url(&schedule.queue);

        ScheduleSender {
            sqs,
            queue_url,
            schedule: schedule.clone(),
            clock: Arc::clone(&self.clock),
            next_ms,
        }
    }

    /// Returns whether a message is due and not sent yet.
    pub(crate) fn are_due(&self) -> bool {
        let now_ms = self.clock.now_ms();
        self.next_ms
            .iter()
            .any(|next_ms| next_ms.load(Ordering::Acquire) <= now_ms)
    }
}

impl ScheduleSender {
    /// Sends messages until the stack stops.
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
                .sqs
                .client
                .send_message()
                .queue_url(&self.queue_url)
                .message_body(&self.schedule.message);

            match message.send().await {
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(rule = self.schedule.rule, %error, "a scheduled message could not be sent");
                }
            }

            tokio::time::sleep(FAILURE_PAUSE).await;
        }
    }
}

fn period_ms(schedule: &Schedule) -> i64 {
    i64::from(schedule.period_seconds) * MS_PER_SECOND
}

/// Returns the next send time after `now_ms`.
fn following_ms(due_ms: i64, period_ms: i64, now_ms: i64) -> i64 {
    let periods = (now_ms - due_ms).max(0) / period_ms + 1;
    due_ms + periods * period_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missed_times_are_skipped() {
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
