//! The queues: one kind of job each, sent now to be done a little later, at least once.
//!
//! Invariant: this is the only crate that writes messages; whoever reads one reads the type that is
//! written here.

mod jobs;
mod sweep;

pub use jobs::{ConfirmCheck, PurgeJob, PurgePass};
pub use sweep::{SweepJob, SweepPosition, SweepRound};

use std::{marker::PhantomData, time::Duration};

use aws_sdk_sqs::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    types::SendMessageBatchRequestEntry,
};
use domain::ServiceError;
use serde::Serialize;
use tracing::instrument;

/// Longest that SQS keeps a message back, in seconds: what has to wait longer goes round.
pub const DELAY_MAX_SECONDS: i32 = 900;
/// Most messages of one call.
const BATCH: usize = 10;
/// Tries of a call before what is left unsent fails the whole.
const TRIES: u32 = 5;
/// Pause before the second try, doubled for each further one.
const PAUSE: Duration = Duration::from_millis(20);
/// Refusals that no other try would change.
const LASTING: [&str; 4] = [
    "AccessDenied",
    "AccessDeniedException",
    "AWS.SimpleQueueService.NonExistentQueue",
    "QueueDoesNotExist",
];

/// The queue of one kind of job.
#[derive(Debug)]
pub struct Queue<Job> {
    client: Client,
    url: String,
    job: PhantomData<fn(Job)>,
}

impl<Job> Clone for Queue<Job> {
    fn clone(&self) -> Queue<Job> {
        Queue {
            client: self.client.clone(),
            url: self.url.clone(),
            job: PhantomData,
        }
    }
}

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The queue is overloaded or does not answer: another try may help. Some of the jobs may have
    /// been sent.
    #[error("the queue is busy: {0}")]
    Busy(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The call is wrong, or not allowed: another try would fail as well.
    #[error("the queue refused: {0}")]
    Refused(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<QueueError> for ServiceError {
    fn from(error: QueueError) -> ServiceError {
        match error {
            QueueError::Busy(_) => ServiceError::unavailable(error),
            QueueError::Refused(_) => ServiceError::internal(error),
        }
    }
}

impl<Job: Serialize> Queue<Job> {
    /// The queue at this address.
    pub fn new(client: Client, url: String) -> Queue<Job> {
        Queue {
            client,
            url,
            job: PhantomData,
        }
    }

    /// Sends jobs, at most ten, each kept back for so many seconds, up to [`DELAY_MAX_SECONDS`]. Where
    /// it fails, some may have been sent.
    #[instrument(skip_all, fields(jobs = jobs.len()))]
    pub async fn send(&self, jobs: &[(Job, i32)]) -> Result<(), QueueError> {
        debug_assert!(jobs.len() <= BATCH, "one call takes at most ten messages");
        let entry = |(index, (job, delay)): (usize, &(Job, i32))| {
            let body =
                serde_json::to_string(job).map_err(|error| QueueError::Refused(error.into()))?;
            let entry = SendMessageBatchRequestEntry::builder()
                .id(index.to_string())
                .message_body(body);
            entry
                .delay_seconds(*delay)
                .build()
                .map_err(|error| QueueError::Refused(error.into()))
        };
        let mut entries: Vec<_> = jobs
            .iter()
            .enumerate()
            .map(entry)
            .collect::<Result<_, QueueError>>()?;
        for attempt in 0..TRIES {
            if attempt > 0 {
                tokio::time::sleep(PAUSE * 2_u32.pow(attempt - 1)).await;
            }
            let request = self.client.send_message_batch().queue_url(&self.url);
            let answer = request
                .set_entries(Some(entries.clone()))
                .send()
                .await
                .map_err(from_sdk)?;
            if let Some(faulty) = answer.failed.iter().find(|failed| failed.sender_fault) {
                return Err(QueueError::Refused(faulty.code.clone().into()));
            }
            entries.retain(|entry| answer.failed.iter().any(|failed| failed.id == entry.id));
            if entries.is_empty() {
                return Ok(());
            }
        }
        Err(QueueError::Busy("some messages stayed unsent".into()))
    }
}

fn from_sdk<E, R>(error: SdkError<E, R>) -> QueueError
where
    E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
    R: std::fmt::Debug + Send + Sync + 'static,
{
    let lasts = match &error {
        SdkError::ServiceError(service) => service
            .err()
            .code()
            .is_some_and(|code| LASTING.contains(&code)),
        SdkError::ConstructionFailure(_) => true,
        _ => false,
    };
    if lasts {
        QueueError::Refused(error.into())
    } else {
        QueueError::Busy(error.into())
    }
}
