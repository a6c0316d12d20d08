//! Removes objects that no record speaks of, every day.
//!
//! A worker has less time than all spaces together may need: a round that is not done goes on with a message of its own.

use runtime::{ConfigurationError, Environment, Settings};
use tenant::{Queue, Sweep, SweepJob, Swept};
use worker::{Batch, Delivery, Failure, Worker};

struct SweepWorker {
    sweep: Sweep,
    queue: Queue<SweepJob>,
}

/// The function's batches.
pub async fn batch(environment: Environment) -> Result<Batch, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let sweep = Sweep::read(&mut settings);
    let queue = Queue::new(runtime::sqs(&mut settings), settings.text("SWEEP_QUEUE_URL"));
    settings.finish()?;
    Ok(Batch::of(SweepWorker { sweep, queue }, environment.sources))
}

impl Worker for SweepWorker {
    type Job = SweepJob;

    async fn work(&self, job: SweepJob, delivery: &Delivery) -> Result<(), Failure> {
        let now = delivery.sources.now();
        match self.sweep.pass(&job, now).await.map_err(|fault| Failure::Retry(fault.into()))? {
            Swept::Done => Ok(()),
            Swept::Again(job) => self.queue.send(&[(job, 0)]).await.map_err(|error| Failure::Retry(error.into())),
        }
    }
}
