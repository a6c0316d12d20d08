//! Removes what is left of deleted spaces and files.
//!
//! SQS keeps a message back for 15 minutes at most, and a worker has less time than a large space may need: a job that is
//! not done goes round, as a message of its own.

use runtime::{ConfigurationError, Environment, Settings};
use tenant::{DELAY_SECONDS, Purge, PurgeJob, Purged, Queue};
use worker::{Batch, Delivery, Failure, Worker};

struct PurgeWorker {
    purge: Purge,
    queue: Queue<PurgeJob>,
}

/// The function's batches.
pub async fn batch(environment: Environment) -> Result<Batch, ConfigurationError> {
    let mut settings = Settings::of(&environment.variables);
    let purge = Purge::read(&mut settings);
    let queue = Queue::new(runtime::sqs(&mut settings), settings.text("PURGE_QUEUE_URL"));
    settings.finish()?;
    Ok(Batch::of(PurgeWorker { purge, queue }, environment.sources))
}

impl Worker for PurgeWorker {
    type Job = PurgeJob;

    async fn work(&self, job: PurgeJob, delivery: &Delivery) -> Result<(), Failure> {
        let purged =
            self.purge.work(&job, delivery.sources.now()).await.map_err(|fault| Failure::Retry(fault.into()))?;
        let Purged::Again(seconds) = purged else { return Ok(()) };
        let delay = i32::try_from(seconds).unwrap_or(DELAY_SECONDS).min(DELAY_SECONDS);
        self.queue.send(&[(job, delay)]).await.map_err(|error| Failure::Retry(error.into()))
    }
}
