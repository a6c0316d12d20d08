//! How much of its work a background job does at once.

use std::time::Duration;

use bucket::LIST_MAX;

/// Page sizes of a background job, and the time it leaves unused at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLimits {
    /// Most records of one page.
    pub records_per_page: u16,
    /// Most objects of one page.
    pub objects_per_page: u16,
    /// Time that is left for one more page when the job stops and sends a message to continue.
    pub reserve: Duration,
}

impl Default for JobLimits {
    fn default() -> JobLimits {
        JobLimits {
            records_per_page: 100,
            objects_per_page: LIST_MAX,
            reserve: Duration::from_secs(30),
        }
    }
}

/// The time of one job.
pub struct JobTime<'a> {
    /// Returns the time that is left.
    pub left: &'a (dyn Fn() -> Duration + Send + Sync),
    /// Time that has to be left to begin another page.
    pub reserve: Duration,
}

impl JobTime<'_> {
    /// Whether another page may begin.
    pub(crate) fn allows_another_page(&self) -> bool {
        (self.left)() > self.reserve
    }
}
