//! Errors of jobs.

use std::{error::Error as StdError, fmt, time::Duration};

/// Error of a job. SQS delivers its message again after a delay, up to the queue's
/// `maxReceiveCount`, and then moves it to the dead-letter queue.
#[derive(Debug)]
pub struct JobError {
    cause: Box<dyn StdError + Send + Sync>,
    /// Minimum time until the message is received again.
    pub(crate) pause: Duration,
}

impl JobError {
    /// Returns the error with this cause.
    pub fn new(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> JobError {
        JobError {
            cause: cause.into(),
            pause: Duration::ZERO,
        }
    }

    /// Returns the error of a job that cannot succeed before this time has passed.
    #[must_use]
    pub fn with_pause(self, pause: Duration) -> JobError {
        JobError { pause, ..self }
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(formatter)
    }
}

impl StdError for JobError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.source()
    }
}
