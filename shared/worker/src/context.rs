//! What a worker knows beside its job.

use std::time::Duration;

use domain::Env;
use tokio::time::Instant;

/// The circumstances of one job.
pub struct JobContext {
    /// Time and randomness.
    pub env: Env,
    /// When the invocation is cut off, by the monotonic clock.
    pub(crate) deadline: Instant,
}

impl JobContext {
    /// Returns the time until the invocation is cut off; zero if the platform does not tell.
    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}
