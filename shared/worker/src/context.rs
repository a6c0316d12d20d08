//! Context of a job.

use std::time::Duration;

use domain::Env;
use tokio::time::Instant;

use crate::LAST_FULL_RECEIVE;

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

    /// Whether the job was received so often that it may kill its process.
    pub fn may_kill_process(&self) -> bool {
        self.receive_count > LAST_FULL_RECEIVE
    }
}
