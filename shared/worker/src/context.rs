//! Context of a job.

use std::time::Duration;

use domain::Env;
use tokio::time::Instant;

/// Clock, random source and deadline of one job.
pub struct JobContext {
    /// Clock and random source.
    pub env: Env,
    /// When Lambda ends the invocation, by the monotonic clock.
    pub(crate) deadline: Instant,
}

impl JobContext {
    /// Returns the time until Lambda ends the invocation; zero after the deadline.
    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}
