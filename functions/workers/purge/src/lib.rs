//! Worker `purge`: removes records and objects of deleted spaces, folders and files.
//!
//! SQS delays a job by 15 minutes at most, and a large space may need more time than an
//! invocation has, so an unfinished job is sent again. Lambda stops such a chain after about 16
//! jobs ("Use Lambda recursive loop detection to prevent infinite loops" in the Lambda developer
//! guide), so the template sets `RecursiveLoop: Allow`.

use runtime::context::{ConfigurationError, FunctionContext, Settings};
use space_store::jobs::{
    DelayedJob, Job as _, JobLimits, MAX_DELAY_SECONDS, Purge, PurgeJob, PurgeOutcome, Queue,
};
use worker::{BatchHandler, JobContext, JobError, Worker};

struct PurgeWorker {
    purge: Purge,
    queue: Queue<PurgeJob>,
}

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    handler_with_limits(context, JobLimits::default())
}

/// Returns the function's handler with other than the default limits.
pub fn handler_with_limits(
    context: &FunctionContext,
    limits: JobLimits,
) -> Result<BatchHandler, ConfigurationError> {
    let mut settings = Settings::of(context);
    let queue = settings.queue("PURGE_QUEUE_URL");
    let purge = Purge::new(settings.table(), settings.bucket(), queue.clone(), limits);
    settings.finish()?;

    let worker = PurgeWorker {
        purge,
        queue: queue.clone(),
    };
    Ok(context.batch_handler(worker, queue))
}

impl Worker for PurgeWorker {
    type Job = PurgeJob;

    async fn work(&self, job: PurgeJob, context: &JobContext) -> Result<(), JobError> {
        if let Some(space_id) = job.space_id() {
            telemetry::record_space(space_id);
        }

        let left = || context.time_left();
        let outcome = self.purge.work(&job, &left).await.map_err(JobError::new)?;

        let PurgeOutcome::Continue(seconds) = outcome else {
            return Ok(());
        };
        let delay_seconds = i32::try_from(seconds)
            .unwrap_or(MAX_DELAY_SECONDS)
            .min(MAX_DELAY_SECONDS);
        let delayed = DelayedJob { job, delay_seconds };
        let sent = self.queue.send(&[delayed]).await;
        sent.map_err(JobError::new)
    }
}
