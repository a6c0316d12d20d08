//! Background jobs that delete what is no longer used, with their page sizes and time limits, and
//! the types of all jobs. What the others do is in `uploads` and `webhooks`.

mod folder_purge;
mod purge;
mod sweep;

pub use purge::{Purge, PurgeOutcome};
pub use queue::{
    ConfirmCheck, DelayedJob, Job, MAX_DELAY_SECONDS, ProcessingJob, PurgeJob, PurgePass, Queue,
    SweepJob, WebhookJob, recheck_delay_seconds,
};
pub use sweep::{Sweep, SweepOutcome};

use std::time::Duration;

use bucket::MAX_LISTED_OBJECTS;

/// Page sizes of a background job, and the time that it reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLimits {
    /// Maximum records of a page.
    pub records_per_page: u16,
    /// Maximum objects of a page.
    pub objects_per_page: u16,
    /// Time that must be left to begin another page. With less, the job stops and sends another one
    /// to continue.
    pub reserve: Duration,
}

impl Default for JobLimits {
    fn default() -> JobLimits {
        JobLimits {
            records_per_page: 100,
            objects_per_page: MAX_LISTED_OBJECTS,
            reserve: Duration::from_secs(30),
        }
    }
}

/// Returns the time until the invocation of a job ends.
pub type TimeLeft<'a> = dyn Fn() -> Duration + Send + Sync + 'a;

/// The time that a job may take.
pub(crate) struct JobTime<'a> {
    left: &'a TimeLeft<'a>,
    /// Time that must be left to begin another page.
    reserve: Duration,
}

impl JobTime<'_> {
    /// Returns whether another page may begin.
    pub(crate) fn allows_another_page(&self) -> bool {
        (self.left)() > self.reserve
    }
}
