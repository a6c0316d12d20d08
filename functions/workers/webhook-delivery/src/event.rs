//! Events: they are announced before their record is written, so the worker waits for it.

use std::time::Duration;

use domain::Timestamp;
use tenant::{DelayedJob, EventOutcome, FileEvent, WebhookJob, recheck_delay_seconds};
use worker::{JobContext, JobError};

use crate::WebhookWorker;

/// Reads of an event's records before its message is sent again.
const READS: u32 = 3;
/// Pause between these reads. A record is usually written within this time.
const READ_PAUSE: Duration = Duration::from_millis(150);
/// Number of the first attempt.
pub(crate) const FIRST: u32 = 1;

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
                if let Some(delay_seconds) = recheck_delay_seconds(announced_at, now) {
                    let again = DelayedJob { job, delay_seconds };
                    return self.queue.send(&[again]).await.map_err(JobError::new);
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
