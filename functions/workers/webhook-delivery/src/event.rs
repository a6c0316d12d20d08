//! Events: they are announced before their record is written, so the worker waits for it.

use std::time::Duration;

use domain::Timestamp;
use tenant::{EventOutcome, FileEvent, MAX_ANNOUNCEMENT_AGE_MS, WebhookJob};
use worker::{JobContext, JobError};

use crate::WebhookWorker;

/// Reads of an event's records before its message is sent again.
const READS: u32 = 3;
/// Pause between these reads. A record is usually written within this time.
const READ_PAUSE: Duration = Duration::from_millis(150);
/// Minimum time until an event is checked again, in milliseconds. The time doubles with each check.
const MIN_RECHECK_MS: i64 = 1_000;
/// Number of the first attempt.
const FIRST: u32 = 1;

impl WebhookWorker {
    /// Makes the first attempt of an event. Sends its job again if the record of the event is not
    /// written yet, and drops it if the request that announced it has certainly ended.
    pub(crate) async fn send_event(
        &self,
        event: FileEvent,
        announced_at: Timestamp,
        job: WebhookJob,
        context: &JobContext,
    ) -> Result<(), JobError> {
        match self.await_event(&event).await? {
            EventOutcome::Delivery(found) => self.attempt(*found, FIRST, context).await,
            EventOutcome::Ignored => Ok(()),
            EventOutcome::NotYet => {
                let now = context.env.now();
                if let Some(due_at) = recheck_at(announced_at, now) {
                    return self.send_when_due(job, due_at, now).await;
                }
                tracing::info!(file_id = %event.file_id, "an announced event did not happen");
                Ok(())
            }
        }
    }

    /// Reads the records of an event, several times within a short time if they are not written yet.
    async fn await_event(&self, event: &FileEvent) -> Result<EventOutcome, JobError> {
        for _ in 1..READS {
            let outcome = self.webhooks.delivery_of(event).await;
            match outcome.map_err(JobError::new)? {
                EventOutcome::NotYet => tokio::time::sleep(READ_PAUSE).await,
                outcome => return Ok(outcome),
            }
        }
        let outcome = self.webhooks.delivery_of(event).await;
        outcome.map_err(JobError::new)
    }
}

/// Returns when to check an event again that was announced at a time; `None` if it is too old.
fn recheck_at(announced_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let age_ms = now.ms() - announced_at.ms();
    (age_ms < MAX_ANNOUNCEMENT_AGE_MS).then(|| now.plus_ms(age_ms.max(MIN_RECHECK_MS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_is_checked_in_growing_steps_until_it_is_too_old() {
        let announced_at = Timestamp::from_ms(1_000_000);
        let mut now = announced_at;
        let mut ages = Vec::new();
        while let Some(next) = recheck_at(announced_at, now) {
            now = next;
            ages.push((now.ms() - announced_at.ms()) / 1_000);
        }
        assert_eq!(ages, [1, 2, 4, 8, 16, 32, 64, 128]);
    }
}
