//! Sends jobs to SQS queues: one type of job per queue, delivered at least once.
//!
//! Invariants:
//! - Workers deserialize the same types that are serialized here.
//! - The messages of one space have its id as their message group. While one space has many
//!   messages in flight, SQS delivers those of other spaces first ("Amazon SQS fair queues" in the
//!   Amazon SQS developer guide).

mod jobs;
mod post_upload;
mod sweep;

pub use jobs::{ConfirmCheck, PurgeJob, PurgePass};
pub use post_upload::{ProcessingJob, WebhookJob, recheck_delay_seconds};
pub use sweep::{RenditionPosition, SweepJob, SweepPosition, SweepRound};

use std::{error::Error as StdError, fmt, marker::PhantomData, time::Duration};

use aws_sdk_sqs::{
    Client,
    config::retry::RetryConfig,
    error::{ProvideErrorMetadata, SdkError},
    types::SendMessageBatchRequestEntry,
};
use domain::{errors::ServiceError, id::SpaceId};
use serde::Serialize;
use telemetry::aws_cause;
use tracing::instrument;

/// Maximum delay of a message in SQS, in seconds. A job that is due later is sent again.
pub const MAX_DELAY_SECONDS: i32 = 900;
/// Maximum messages of one call.
const MAX_BATCH: usize = 10;
/// Maximum tries to send a batch while SQS temporarily rejects some of its messages.
const MAX_TRIES: u32 = 5;
/// Pause before the second try. It doubles with every further try.
const INITIAL_BACKOFF: Duration = Duration::from_millis(20);
/// Error codes that are not retryable.
const PERMANENT: [&str; 4] = [
    "AccessDenied",
    "AccessDeniedException",
    "AWS.SimpleQueueService.NonExistentQueue",
    "QueueDoesNotExist",
];

/// Payload of a message.
pub trait Job: Serialize {
    /// Returns the space that the job belongs to.
    fn space_id(&self) -> Option<SpaceId>;
}

/// A queue of one type of job.
#[derive(Debug)]
pub struct Queue<J> {
    client: Client,
    url: String,
    job: PhantomData<fn(J)>,
}

impl<J> Clone for Queue<J> {
    fn clone(&self) -> Queue<J> {
        Queue {
            client: self.client.clone(),
            url: self.url.clone(),
            job: PhantomData,
        }
    }
}

/// A job to send.
#[derive(Clone, Copy, Debug)]
pub struct DelayedJob<J> {
    pub job: J,
    /// Time until the job can be received, in seconds, at most [`MAX_DELAY_SECONDS`].
    pub delay_seconds: i32,
}

impl<J> DelayedJob<J> {
    /// Returns a job that can be received at once.
    pub fn immediate(job: J) -> DelayedJob<J> {
        DelayedJob {
            job,
            delay_seconds: 0,
        }
    }
}

/// A failed call to SQS. Some of the jobs may have been sent.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// SQS is overloaded or does not respond. Retryable.
    #[error("the queue is busy: {0}")]
    Busy(#[source] Box<dyn StdError + Send + Sync>),
    /// The call is invalid or not permitted. Permanent.
    #[error("the queue rejected the call: {0}")]
    Rejected(#[source] Box<dyn StdError + Send + Sync>),
}

impl QueueError {
    fn rejected(why: impl Into<Box<dyn StdError + Send + Sync>>) -> QueueError {
        QueueError::Rejected(why.into())
    }

    fn from_sdk<E, R>(error: SdkError<E, R>) -> QueueError
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
        R: fmt::Debug + Send + Sync + 'static,
    {
        let is_permanent = match &error {
            SdkError::ServiceError(service) => service
                .err()
                .code()
                .is_some_and(|code| PERMANENT.contains(&code)),
            SdkError::ConstructionFailure(_) => true,
            _ => false,
        };
        if is_permanent {
            QueueError::Rejected(aws_cause(error))
        } else {
            QueueError::Busy(aws_cause(error))
        }
    }
}

impl From<QueueError> for ServiceError {
    fn from(error: QueueError) -> ServiceError {
        match error {
            QueueError::Busy(_) => ServiceError::unavailable(error),
            QueueError::Rejected(_) => ServiceError::internal(error),
        }
    }
}

impl<J: Job> Queue<J> {
    /// Creates the client of a queue with this URL.
    pub fn new(client: Client, url: String) -> Queue<J> {
        Queue {
            client,
            url,
            job: PhantomData,
        }
    }

    /// Sends up to ten jobs, with no call if there are none. After an error, some of them may have
    /// been sent. Fails with [`QueueError::Rejected`] for more jobs.
    #[instrument(skip_all, fields(jobs = jobs.len()))]
    pub async fn send(&self, jobs: &[DelayedJob<J>]) -> Result<(), QueueError> {
        if jobs.len() > MAX_BATCH {
            let count = jobs.len();
            let why = format!("{count} jobs for a call that sends {MAX_BATCH} at most");
            return Err(QueueError::rejected(why));
        }
        let mut unsent: Vec<SendMessageBatchRequestEntry> = jobs
            .iter()
            .enumerate()
            .map(|(index, job)| entry(index, job))
            .collect::<Result<_, QueueError>>()?;
        if unsent.is_empty() {
            return Ok(());
        }

        for attempt in 0..MAX_TRIES {
            if attempt > 0 {
                tokio::time::sleep(INITIAL_BACKOFF * 2_u32.pow(attempt - 1)).await;
            }

            let response = self
                .client
                .send_message_batch()
                .queue_url(&self.url)
                .set_entries(Some(unsent.clone()))
                .send()
                .await
                .map_err(QueueError::from_sdk)?;
            if let Some(invalid) = response.failed.iter().find(|failed| failed.sender_fault) {
                return Err(QueueError::rejected(invalid.code.clone()));
            }
            unsent.retain(|entry| response.failed.iter().any(|failed| failed.id == entry.id));
            if unsent.is_empty() {
                return Ok(());
            }
        }
        Err(QueueError::Busy(
            "some messages are still unsent after the last retry".into(),
        ))
    }

    /// Hides a received message for a time from now on, after which it is received again. Fails if
    /// the message is not in flight.
    ///
    /// Makes one attempt: it follows a failure, and a message that is not hidden is received again
    /// by the visibility timeout of the queue.
    #[instrument(skip_all, fields(seconds))]
    pub async fn hide(&self, receipt_handle: &str, seconds: i32) -> Result<(), QueueError> {
        let once = aws_sdk_sqs::config::Builder::new().retry_config(RetryConfig::disabled());
        self.client
            .change_message_visibility()
            .queue_url(&self.url)
            .receipt_handle(receipt_handle)
            .visibility_timeout(seconds)
            .customize()
            .config_override(once)
            .send()
            .await
            .map_err(QueueError::from_sdk)?;
        Ok(())
    }
}

/// Returns a job as an entry of a batch, with its index as id.
fn entry<J: Job>(
    index: usize,
    job: &DelayedJob<J>,
) -> Result<SendMessageBatchRequestEntry, QueueError> {
    let body = serde_json::to_string(&job.job).map_err(QueueError::rejected)?;
    SendMessageBatchRequestEntry::builder()
        .id(index.to_string())
        .message_body(body)
        .delay_seconds(job.delay_seconds)
        .set_message_group_id(job.job.space_id().map(|space| space.to_string()))
        .build()
        .map_err(QueueError::rejected)
}

#[cfg(test)]
mod tests {
    use domain::{env::Timestamp, id::FileId};

    use super::*;

    #[test]
    fn messages_of_one_space_are_a_group() {
        let check = ConfirmCheck {
            space_id: SpaceId::MAX,
            file_id: FileId::MIN,
            is_replacement: false,
            due_at: Timestamp::from_ms(0),
        };
        let of_space = entry(0, &DelayedJob::immediate(check)).expect("an entry");
        let of_all = entry(1, &DelayedJob::immediate(SweepJob::default())).expect("an entry");

        let group = SpaceId::MAX.to_string();
        assert_eq!(of_space.message_group_id(), Some(group.as_str()));
        assert_eq!(of_all.message_group_id(), None);
    }

    #[tokio::test]
    async fn too_many_jobs_for_one_call_are_rejected() {
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(aws_sdk_sqs::config::BehaviorVersion::latest())
            .build();
        let queue = Queue::new(Client::from_conf(config), "http://127.0.0.1:1".to_owned());
        let jobs = vec![DelayedJob::immediate(SweepJob::default()); MAX_BATCH + 1];

        let error = queue.send(&jobs).await.expect_err("too many jobs");
        assert_eq!(
            error.to_string(),
            "the queue rejected the call: 11 jobs for a call that sends 10 at most"
        );
    }
}
