//! Runs the jobs of a batch, and reports the failed ones.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc};

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use domain::{Env, error_chain};
use futures::FutureExt;
use serde::de::DeserializeOwned;
use telemetry::{Meter, TaskOutcome};
use tokio::time::Instant;

use crate::JobContext;

/// Processes the jobs of one queue.
pub trait Worker: Send + Sync + 'static {
    /// Payload of a message: ids and times.
    type Job: DeserializeOwned + Send;

    /// Runs a job. It must be idempotent: SQS may deliver a message more than once.
    fn work(
        &self,
        job: Self::Job,
        context: &JobContext,
    ) -> impl Future<Output = Result<(), JobError>> + Send;
}

/// Error of a job. SQS delivers its message again, up to the queue's `maxReceiveCount`, and then
/// moves it to the dead-letter queue.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct JobError(Box<dyn std::error::Error + Send + Sync>);

impl JobError {
    /// Returns the error with this cause.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> JobError {
        JobError(cause.into())
    }
}

/// Handles the batches of a worker of any type.
#[derive(Clone)]
pub struct BatchHandler(Arc<dyn Fn(SqsEvent, Instant) -> BatchFuture + Send + Sync>);

type BatchFuture = Pin<Box<dyn Future<Output = SqsBatchResponse> + Send>>;

impl BatchHandler {
    /// Returns the handler of a worker, whose jobs the meter measures.
    pub fn of<W: Worker>(worker: W, meter: Meter, env: Env) -> BatchHandler {
        let worker = Arc::new(worker);
        BatchHandler(Arc::new(move |event, deadline| {
            let worker = worker.clone();
            let meter = meter.clone();
            let context = JobContext {
                env: env.clone(),
                deadline,
            };
            Box::pin(async move { run_batch(&*worker, &meter, event, &context).await })
        }))
    }

    /// Runs the jobs of a batch one after the other. Lambda ends the invocation at the deadline:
    /// jobs of many pages stop before it, after one page at least.
    pub async fn handle(&self, event: SqsEvent, deadline: Instant) -> SqsBatchResponse {
        (self.0)(event, deadline).await
    }
}

async fn run_batch<W: Worker>(
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
            tracing::error!("a message without an id was dropped");
            continue;
        };

        let task = meter.job(&id);
        let outcome = task.run(run_job(worker, &message, context)).await;
        task.end(&outcome);

        if !matches!(outcome, TaskOutcome::Completed) {
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = id;
            response.batch_item_failures.push(failure);
        }
    }
    response
}

async fn run_job<W: Worker>(worker: &W, message: &SqsMessage, context: &JobContext) -> TaskOutcome {
    // A body that cannot be parsed fails every time, and ends up in the dead-letter queue.
    let Ok(job) = serde_json::from_str(message.body.as_deref().unwrap_or_default()) else {
        tracing::error!("the message body is not a job of this worker");
        return TaskOutcome::Failed;
    };

    let result = AssertUnwindSafe(worker.work(job, context))
        .catch_unwind()
        .await;
    match result {
        Ok(Ok(())) => TaskOutcome::Completed,
        Ok(Err(error)) => {
            tracing::warn!(error = error_chain(&error), "job failed");
            TaskOutcome::Failed
        }
        Err(panic) => {
            tracing::error!(panic = panic_message(&*panic), "job panicked");
            TaskOutcome::Failed
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

    use domain::{Clock, Random, ServiceError, Timestamp};

    use super::*;

    /// Time until the deadline of the tests' invocations.
    const TIMEOUT: Duration = Duration::from_mins(2);

    struct FixedClock;
    impl Clock for FixedClock {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(1_700_000_000_000)
        }
    }

    struct ZeroRandom;
    impl Random for ZeroRandom {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn env() -> Env {
        Env::new(Arc::new(FixedClock), Arc::new(ZeroRandom))
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

    /// Handles a batch, and returns the ids of the failed messages.
    async fn failed_ids(worker: impl Worker, event: SqsEvent) -> Vec<String> {
        let meter = Meter::new("worker", "Larder", true, env());
        let handler = BatchHandler::of(worker, meter, env());
        let response = handler.handle(event, Instant::now() + TIMEOUT).await;
        response
            .batch_item_failures
            .into_iter()
            .map(|failure| failure.item_identifier)
            .collect()
    }

    /// A worker whose jobs specify their outcome.
    struct ScriptedWorker;
    impl Worker for ScriptedWorker {
        type Job = String;

        async fn work(&self, job: String, _: &JobContext) -> Result<(), JobError> {
            match job.as_str() {
                "fail" => Err(JobError::new("failed")),
                "panic" => panic!("job of a test"),
                _ => Ok(()),
            }
        }
    }

    #[tokio::test]
    async fn failed_job_fails_no_other() {
        let event = event(["\"ok\"", "\"fail\"", "\"panic\"", "not json", "\"ok\""]);
        assert_eq!(failed_ids(ScriptedWorker, event).await, ["1", "2", "3"]);
    }

    #[tokio::test]
    async fn message_without_an_id_is_dropped() {
        let mut event = event(["\"fail\"", "\"fail\"", "\"fail\""]);
        event.records[0].message_id = None;
        event.records[1].message_id = Some(String::new());
        assert_eq!(failed_ids(ScriptedWorker, event).await, ["2"]);
    }

    /// A writer that keeps the log in memory.
    #[derive(Clone, Default)]
    struct LogBuffer(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// A worker whose jobs fail with a nested error.
    struct FailingWorker;
    impl Worker for FailingWorker {
        type Job = u32;

        async fn work(&self, _: u32, _: &JobContext) -> Result<(), JobError> {
            let cause = ServiceError::internal("no capacity");
            Err(JobError::new(ServiceError::unavailable(cause)))
        }
    }

    #[tokio::test]
    async fn failed_job_is_logged_with_its_causes() {
        let buffer = LogBuffer::default();
        let writer = buffer.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .finish();

        let guard = tracing::subscriber::set_default(subscriber);
        assert_eq!(failed_ids(FailingWorker, event(["1"])).await, ["0"]);
        drop(guard);

        let log = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        let causes = "The service is busy. Retry after the number of seconds in Retry-After: Server error: no capacity";
        assert!(log.contains(causes), "{log}");
        assert!(log.contains("message_id=\"0\""), "{log}");
    }

    #[tokio::test(start_paused = true)]
    async fn time_left_is_zero_after_the_deadline() {
        let started = Instant::now();
        let context = |deadline| JobContext {
            env: env(),
            deadline,
        };
        assert_eq!(context(started + TIMEOUT).time_left(), TIMEOUT);

        tokio::time::advance(TIMEOUT).await;
        assert_eq!(context(started + TIMEOUT).time_left(), Duration::ZERO);
        assert_eq!(context(started).time_left(), Duration::ZERO);
    }
}
