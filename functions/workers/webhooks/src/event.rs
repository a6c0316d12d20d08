//! Events: they are announced before the transaction that creates their webhook message, so the
//! worker waits for it.

use std::time::Duration;

use domain::{
    env::Timestamp,
    id::{SpaceId, WebhookMessageId},
};
use space_store::{
    jobs::{DelayedJob, WebhookJob, recheck_delay_seconds},
    webhooks::WebhookMessageInSpace,
};
use worker::{JobContext, JobError};

use crate::WebhookWorker;

/// Reads of an event's message before its job is sent again.
const READS: u32 = 3;
/// Pause between these reads. A message is usually written within this time.
const READ_PAUSE: Duration = Duration::from_millis(150);
/// Number of the first attempt.
pub(crate) const FIRST: u32 = 1;

impl WebhookWorker {
    /// Makes the first attempt of an event. Sends its job again if the event has not happened yet,
    /// and drops it if the request that announced it has certainly ended.
    pub(crate) async fn send_event(
        &self,
        space_id: SpaceId,
        id: WebhookMessageId,
        announced_at: Timestamp,
        context: &JobContext,
    ) -> Result<(), JobError> {
        if let Some(found) = self.await_message(space_id, id).await? {
            return self.attempt(found, FIRST, context).await;
        }

        let now = context.env.now();
        let Some(delay_seconds) = recheck_delay_seconds(announced_at, now) else {
            tracing::info!(webhook_message_id = %id, "an announced event did not happen");
            return Ok(());
        };
        let job = WebhookJob::Event {
            space_id,
            webhook_message_id: id,
            announced_at,
        };
        let again = DelayedJob { job, delay_seconds };
        self.queue.send(&[again]).await.map_err(JobError::new)
    }

    /// Reads the message of an event, several times within a short time if it is not written yet.
    async fn await_message(
        &self,
        space_id: SpaceId,
        id: WebhookMessageId,
    ) -> Result<Option<WebhookMessageInSpace>, JobError> {
        for read in 0..READS {
            if read > 0 {
                tokio::time::sleep(READ_PAUSE).await;
            }
            if let Some(found) = self.message(space_id, id).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
