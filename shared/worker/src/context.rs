//! Context of a job.

use std::{future::Future, time::Duration};

use domain::{
    env::{Env, Timestamp},
    errors::ServiceError,
};
use tokio::time::Instant;

use crate::{JobError, LAST_FULL_RECEIVE, redelivery::MAX_RESTARTED_AGE_MS};

/// Clock, random source, deadline and receive count of one job.
pub struct JobContext {
    /// Clock and random source.
    pub env: Env,
    /// How often the message was received, including this time. SQS counts approximately.
    pub receive_count: u32,
    /// When Lambda ends the invocation, by the monotonic clock.
    pub(crate) deadline: Instant,
}

impl JobContext {
    /// Returns the time until Lambda ends the invocation; zero after the deadline.
    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Whether a job was received so often that it may kill its process.
    pub fn may_kill_process(&self, announced_at: Timestamp) -> bool {
        self.receive_count > LAST_FULL_RECEIVE && self.is_restarted(announced_at)
    }

    /// Returns the result of a job. If the job failed at its last full receive, returns that of
    /// `restart`, which sends it again as a new message: the receives of the old one would show
    /// later that the job may kill its process.
    pub async fn retry_or_restart<Restarting>(
        &self,
        processed: Result<(), ServiceError>,
        announced_at: Timestamp,
        restart: impl FnOnce(ServiceError) -> Restarting,
    ) -> Result<(), JobError>
    where
        Restarting: Future<Output = Result<(), ServiceError>>,
    {
        let result = match processed {
            Err(error) if self.must_restart(announced_at) => restart(error).await,
            result => result,
        };
        result.map_err(JobError::new)
    }

    /// Whether a job that fails must be sent again as a new message.
    pub(crate) fn must_restart(&self, announced_at: Timestamp) -> bool {
        self.receive_count == LAST_FULL_RECEIVE && self.is_restarted(announced_at)
    }

    /// Whether a job is young enough to be sent again as a new message.
    fn is_restarted(&self, announced_at: Timestamp) -> bool {
        self.env.now().ms() - announced_at.ms() < MAX_RESTARTED_AGE_MS
    }
}
