//! The queue of a worker function.

use queue::{Job, Queue};
use worker::{JobError, RedeliveryFuture, ServedQueue};

/// A queue as the handler of its worker uses it.
pub(crate) struct JobQueue<J>(pub(crate) Queue<J>);

impl<J: Job + 'static> ServedQueue for JobQueue<J> {
    fn hide<'a>(&'a self, receipt_handle: &'a str, seconds: i32) -> RedeliveryFuture<'a> {
        Box::pin(async move {
            let hidden = self.0.hide(receipt_handle, seconds).await;
            hidden.map_err(JobError::new)
        })
    }
}
