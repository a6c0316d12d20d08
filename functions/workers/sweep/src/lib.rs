//! Worker `sweep`: purges the trash, and removes objects without a record, once a day.
//!
//! Sweeping all spaces may take more time than an invocation has, so an unfinished job is sent
//! again. Lambda stops such a chain after about 16 jobs ("Use Lambda recursive loop detection to
//! prevent infinite loops" in the Lambda developer guide), so the template sets
//! `RecursiveLoop: Allow`.

use runtime::context::{ConfigurationError, FunctionContext, Settings};
use space_store::jobs::{DelayedJob, JobLimits, Queue, Sweep, SweepJob, SweepOutcome};
use worker::{BatchHandler, JobContext, JobError, Worker};

struct SweepWorker {
    sweep: Sweep,
    queue: Queue<SweepJob>,
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
    let purge = settings.queue("PURGE_QUEUE_URL");
    let sweep = Sweep::new(settings.table(), settings.bucket(), purge, limits);
    let queue = settings.queue("SWEEP_QUEUE_URL");
    settings.finish()?;

    let worker = SweepWorker {
        sweep,
        queue: queue.clone(),
    };
    Ok(context.batch_handler(worker, queue))
}

impl Worker for SweepWorker {
    type Job = SweepJob;

    async fn work(&self, job: SweepJob, context: &JobContext) -> Result<(), JobError> {
        let left = || context.time_left();
        let outcome = self.sweep.pass(&job, &left).await.map_err(JobError::new)?;

        let SweepOutcome::Continue(next) = outcome else {
            return Ok(());
        };
        let sent = self.queue.send(&[DelayedJob::immediate(next)]).await;
        sent.map_err(JobError::new)
    }
}
