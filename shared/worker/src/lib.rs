//! The SQS edge: a batch of messages in, the ids of those to be delivered again out.
//!
//! Invariant: one message's failure, error or panic, never fails or hides another's, and the answer
//! always has the shape of a partial batch response; any other shape would make SQS delete the
//! whole batch.

mod context;

use std::{any::Any, future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc};

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use domain::{Env, error_chain};
use futures::FutureExt;
use serde::de::DeserializeOwned;
use telemetry::{Meter, Outcome};
use tokio::time::Instant;

pub use context::JobContext;

/// A queue's worker: what it does with one job.
pub trait Worker: Send + Sync + 'static {
    /// The payload of one message: ids and a revision.
    type Job: DeserializeOwned + Send;

    /// Does the job. It must be safe to do twice: SQS may deliver any message again.
    fn work(
        &self,
        job: Self::Job,
        context: &JobContext,
    ) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// Why a job was not done. Its message is delivered again, until its queue's redrive policy puts it
/// aside.
#[derive(Debug, thiserror::Error)]
#[error("to be retried: {0}")]
pub struct Failure(#[source] Box<dyn std::error::Error + Send + Sync>);

impl Failure {
    /// Returns the failure with this cause.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
        Failure(cause.into())
    }
}

/// A worker as its Lambda runs it: a whole batch in, the failed ones out.
#[derive(Clone)]
pub struct Batch(Arc<dyn Fn(SqsEvent, Instant) -> Answer + Send + Sync>);

type Answer = Pin<Box<dyn Future<Output = SqsBatchResponse> + Send>>;

impl Batch {
    /// The batches of one worker, measured by this meter. The worker takes time and randomness from
    /// these sources.
    pub fn of<W: Worker>(worker: W, meter: Meter, env: Env) -> Batch {
        let worker = Arc::new(worker);
        Batch(Arc::new(move |event, deadline| {
            let worker = worker.clone();
            let meter = meter.clone();
            let context = JobContext {
                env: env.clone(),
                deadline,
            };
            Box::pin(async move { run(&*worker, &meter, event, &context).await })
        }))
    }

    /// Works through a batch, message by message, in order. At the deadline the platform cuts the
    /// invocation off; jobs that are larger than one page stop before, but each does at least a
    /// page.
    pub async fn handle(&self, event: SqsEvent, deadline: Instant) -> SqsBatchResponse {
        (self.0)(event, deadline).await
    }
}

async fn run<W: Worker>(
    worker: &W,
    meter: &Meter,
    event: SqsEvent,
    context: &JobContext,
) -> SqsBatchResponse {
    let mut response = SqsBatchResponse::default();
    for message in event.records {
        // An empty identifier fails the whole batch ("Handling errors for an SQS event source in
        // Lambda" in the AWS Lambda developer guide), so a message without one, which SQS does not
        // deliver, is dropped.
        let Some(id) = message.message_id.clone().filter(|id| !id.is_empty()) else {
            tracing::error!("a message without an id is dropped");
            continue;
        };
        let task = meter.job(&id);
        let outcome = task.run(work(worker, &message, context)).await;
        task.end(&outcome);

        if !matches!(outcome, Outcome::Done) {
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = id;
            response.batch_item_failures.push(failure);
        }
    }
    response
}

async fn work<W: Worker>(worker: &W, message: &SqsMessage, context: &JobContext) -> Outcome {
    // A body that is not a job today is none tomorrow; the dead-letter queue keeps it for a person
    // to look at.
    let Ok(job) = serde_json::from_str(message.body.as_deref().unwrap_or_default()) else {
        tracing::error!("the message is not a job of this worker");
        return Outcome::Failed;
    };
    match AssertUnwindSafe(worker.work(job, context))
        .catch_unwind()
        .await
    {
        Ok(Ok(())) => Outcome::Done,
        Ok(Err(failure)) => {
            tracing::warn!(error = error_chain(&failure), "job failed");
            Outcome::Failed
        }
        Err(panic) => {
            tracing::error!(panic = panic_message(&*panic), "job panicked");
            Outcome::Failed
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use std::{sync::Mutex, time::Duration};

    use domain::{Clock, Random, Timestamp};

    use super::*;

    /// 2023-11-14T22:13:20Z.
    const NOW_MS: i64 = 1_700_000_000_000;

    struct Stopped;
    impl Clock for Stopped {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(NOW_MS)
        }
    }
    impl Random for Stopped {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn event<'a>(bodies: impl IntoIterator<Item = &'a str>) -> SqsEvent {
        let records = bodies.into_iter().enumerate().map(|(index, body)| {
            let mut message = SqsMessage::default();
            message.message_id = Some(index.to_string());
            message.body = Some(body.to_owned());
            message
        });
        let mut event = SqsEvent::default();
        event.records = records.collect();
        event
    }

    async fn failed(worker: impl Worker, event: SqsEvent) -> Vec<String> {
        let env = Env::new(Arc::new(Stopped), Arc::new(Stopped));
        let meter = Meter::new("worker", "Larder", true, env.clone());
        let deadline = Instant::now() + TIMEOUT;
        let answer = Batch::of(worker, meter, env).handle(event, deadline).await;
        answer
            .batch_item_failures
            .into_iter()
            .map(|failure| failure.item_identifier)
            .collect()
    }

    /// Time of an invocation.
    const TIMEOUT: Duration = Duration::from_mins(2);

    struct Picky;
    impl Worker for Picky {
        type Job = String;
        async fn work(&self, job: String, _: &JobContext) -> Result<(), Failure> {
            match job.as_str() {
                "retry" => Err(Failure::new("not yet")),
                "panic" => panic!("on purpose"),
                _ => Ok(()),
            }
        }
    }

    #[tokio::test]
    async fn each_message_fails_alone() {
        let bodies = ["\"fine\"", "\"retry\"", "\"panic\"", "not json", "\"fine\""];
        assert_eq!(failed(Picky, event(bodies)).await, ["1", "2", "3"]);
    }

    #[tokio::test]
    async fn message_without_an_id_is_dropped_and_fails_no_other() {
        let mut event = event(["\"retry\"", "\"retry\"", "\"retry\""]);
        event.records[0].message_id = None;
        event.records[1].message_id = Some(String::new());
        assert_eq!(failed(Picky, event).await, ["2"]);
    }

    /// A log that a test reads.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    struct Broken;
    impl Worker for Broken {
        type Job = u32;
        async fn work(&self, _: u32, _: &JobContext) -> Result<(), Failure> {
            let error =
                domain::ServiceError::unavailable(domain::ServiceError::internal("no capacity"));
            Err(Failure::new(error))
        }
    }

    #[tokio::test]
    async fn failed_job_is_logged_with_all_its_causes() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .finish();
        let guard = tracing::subscriber::set_default(subscriber);

        assert_eq!(failed(Broken, event(["1"])).await, ["0"]);

        drop(guard);
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let causes = "The service is busy. Please try again: Server error: no capacity";
        assert!(log.contains(causes), "{log}");
        assert!(log.contains("message_id=\"0\""), "{log}");
    }

    #[tokio::test(start_paused = true)]
    async fn time_left_ends_with_the_invocation() {
        let now = Instant::now();
        let env = Env::new(Arc::new(Stopped), Arc::new(Stopped));
        let left = |deadline| {
            JobContext {
                env: env.clone(),
                deadline,
            }
            .time_left()
        };
        assert_eq!(left(now + TIMEOUT), TIMEOUT);
        tokio::time::advance(TIMEOUT).await;
        assert_eq!(left(now + TIMEOUT), Duration::ZERO);
        assert_eq!(
            left(now),
            Duration::ZERO,
            "a deadline in the past leaves no time"
        );
    }
}
