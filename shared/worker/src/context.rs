//! Context of a job.

use std::time::Duration;

use domain::{Env, Timestamp};
use tokio::time::Instant;

use crate::{LAST_FULL_RECEIVE, redelivery::MAX_RESTARTED_AGE_MS};

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

    /// Whether a job that fails must be sent again as a new message. The receives of its message would
    /// otherwise show later that it may kill its process.
    pub fn must_restart(&self, announced_at: Timestamp) -> bool {
        self.receive_count == LAST_FULL_RECEIVE && self.is_restarted(announced_at)
    }

    /// Whether a job is young enough to be sent again as a new message.
    fn is_restarted(&self, announced_at: Timestamp) -> bool {
        self.env.now().ms() - announced_at.ms() < MAX_RESTARTED_AGE_MS
    }
}
