//! Removes objects that no record speaks of, every day.
//!
//! An invocation has less time than all spaces together may need: a round that is not done
//! continues with a new message. Lambda would stop such a chain after about 16 messages ("Use
//! Lambda recursive loop detection to prevent infinite loops" in the Lambda developer guide), so
//! the template sets `RecursiveLoop: Allow`.

use runtime::{ConfigurationError, Environment, Settings};
use tenant::{JobLimits, JobTime, Queue, Sweep, SweepJob, SweepOutcome};
use worker::{Batch, Failure, JobContext, Worker};

struct SweepWorker {
    sweep: Sweep,
    queue: Queue<SweepJob>,
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
    let sweep = Sweep::new(settings.table(), settings.bucket(), limits);
    let queue = settings.queue("SWEEP_QUEUE_URL");
    settings.finish()?;
    Ok(Batch::of(
        SweepWorker {
            sweep,
            queue,
            limits,
        },
        environment.meter(),
        environment.env.clone(),
    ))
}

impl Worker for SweepWorker {
    type Job = SweepJob;

    async fn work(&self, job: SweepJob, context: &JobContext) -> Result<(), Failure> {
        let time = JobTime {
            left: &|| context.time_left(),
            reserve: self.limits.reserve,
        };

        match self.sweep.pass(&job, &time).await.map_err(Failure::new)? {
            SweepOutcome::Done => Ok(()),
            SweepOutcome::Continue(job) => self.queue.send(&[(job, 0)]).await.map_err(Failure::new),
        }
    }
}
