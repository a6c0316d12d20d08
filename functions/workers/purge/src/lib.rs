//! Removes what is left of deleted spaces and files.
//!
//! SQS delays a message by 15 minutes at most, and an invocation has less time than a large space
//! may need: a job that is not done continues with a new message. Lambda would stop such a chain
//! after about 16 messages ("Use Lambda recursive loop detection to prevent infinite loops" in the
//! Lambda developer guide), so the template sets `RecursiveLoop: Allow`.

use runtime::{ConfigurationError, Environment, Settings};
use tenant::{DELAY_MAX_SECONDS, JobLimits, JobTime, Purge, PurgeJob, PurgeOutcome, Queue};
use worker::{Batch, Failure, JobContext, Worker};

struct PurgeWorker {
    purge: Purge,
    queue: Queue<PurgeJob>,
    limits: JobLimits,
}

/// The function's batches.
pub fn batch(environment: &Environment) -> Result<Batch, ConfigurationError> {
    batch_with(environment, JobLimits::default())
}

/// The function's batches, with other limits than the default ones.
pub fn batch_with(
    environment: &Environment,
    limits: JobLimits,
) -> Result<Batch, ConfigurationError> {
    let mut settings = Settings::of(environment);
    let purge = Purge::new(settings.table(), settings.bucket(), limits);
    let queue = settings.queue("PURGE_QUEUE_URL");
    settings.finish()?;
    Ok(Batch::of(
        PurgeWorker {
            purge,
            queue,
            limits,
        },
        environment.meter(),
        environment.env.clone(),
    ))
}

impl Worker for PurgeWorker {
    type Job = PurgeJob;

    async fn work(&self, job: PurgeJob, context: &JobContext) -> Result<(), Failure> {
        let (PurgeJob::Space { space_id, .. } | PurgeJob::File { space_id, .. }) = job;
        telemetry::record_space(space_id);

        let time = JobTime {
            left: &|| context.time_left(),
            reserve: self.limits.reserve,
        };
        let purged = self.purge.work(&job, &time).await.map_err(Failure::new)?;

        let PurgeOutcome::Continue(seconds) = purged else {
            return Ok(());
        };
        let delay = i32::try_from(seconds)
            .unwrap_or(DELAY_MAX_SECONDS)
            .min(DELAY_MAX_SECONDS);
        self.queue.send(&[(job, delay)]).await.map_err(Failure::new)
    }
}
