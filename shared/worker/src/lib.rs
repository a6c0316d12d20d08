//! The SQS edge: a batch of messages in, the ids of those to be delivered again out.
//!
//! Invariant: one message's failure, error or panic, never fails or hides another's, and the answer always has the
//! shape of a partial batch response; any other shape would make SQS delete the whole batch.

mod delivery;

use std::{any::Any, future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc};

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use domain::{Sources, error_chain};
use futures::FutureExt;
use serde::de::DeserializeOwned;
use telemetry::{Outcome, Task};
use tokio::time::Instant;

pub use delivery::Delivery;

/// A queue's worker: what it does with one job.
pub trait Worker: Send + Sync + 'static {
    /// The payload of one message: ids and a revision.
    type Job: DeserializeOwned + Send;

    /// Does the job. It must be safe to do twice: SQS may deliver any message again.
    fn work(&self, job: Self::Job, delivery: &Delivery) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// Why a job was not done, and what becomes of its message.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The message is delivered again, until its queue's redrive policy puts it aside.
    #[error("to be retried: {0}")]
    Retry(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Another try could not help: the message is dropped.
    #[error("given up: {0}")]
    GiveUp(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A worker as its Lambda runs it: a whole batch in, the failed ones out.
#[derive(Clone)]
pub struct Batch(Arc<dyn Fn(SqsEvent, Instant) -> Answer + Send + Sync>);

type Answer = Pin<Box<dyn Future<Output = SqsBatchResponse> + Send>>;

impl Batch {
    /// The batches of one worker, the function of this name, which takes time and randomness from these sources.
    pub fn of<W: Worker>(worker: W, function: &str, sources: Sources) -> Batch {
        let worker = Arc::new(worker);
        let function: Arc<str> = function.into();
        Batch(Arc::new(move |event, deadline| {
            let worker = worker.clone();
            let function = function.clone();
            let sources = sources.clone();
            Box::pin(async move { run(&*worker, &function, event, &sources, deadline).await })
        }))
    }

    /// Works through a batch, message by message, in order. At the deadline the platform cuts the invocation off; jobs
    /// that are larger than one page stop before, but each does at least a page.
    pub async fn handle(&self, event: SqsEvent, deadline: Instant) -> SqsBatchResponse {
        (self.0)(event, deadline).await
    }
}

async fn run<W: Worker>(
    worker: &W,
    function: &str,
    event: SqsEvent,
    sources: &Sources,
    deadline: Instant,
) -> SqsBatchResponse {
    let mut response = SqsBatchResponse::default();
    for message in event.records {
        let id = message.message_id.clone().unwrap_or_default();
        let task = Task::job(function, &id);
        let delivery = Delivery { sources: sources.clone(), deadline };
        let outcome = task.run(work(worker, &message, &delivery)).await;
        task.end(if matches!(outcome, JobOutcome::Done) { Outcome::Done } else { Outcome::Failed }, sources.now());

        if let JobOutcome::ToBeRetried = outcome {
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = id;
            response.batch_item_failures.push(failure);
        }
    }
    response
}

/// What became of a job.
enum JobOutcome {
    Done,
    /// Its message is deleted all the same.
    GivenUp,
    ToBeRetried,
}

async fn work<W: Worker>(worker: &W, message: &SqsMessage, delivery: &Delivery) -> JobOutcome {
    // A body that is not a job today is none tomorrow; the dead-letter queue keeps it for a person to look at.
    let Ok(job) = serde_json::from_str(message.body.as_deref().unwrap_or_default()) else {
        tracing::error!("the message is not a job of this worker");
        return JobOutcome::ToBeRetried;
    };
    match AssertUnwindSafe(worker.work(job, delivery)).catch_unwind().await {
        Ok(Ok(())) => JobOutcome::Done,
        Ok(Err(failure @ Failure::Retry(_))) => {
            tracing::warn!(error = error_chain(&failure), "job failed");
            JobOutcome::ToBeRetried
        }
        Ok(Err(failure @ Failure::GiveUp(_))) => {
            tracing::error!(error = error_chain(&failure), "job failed");
            JobOutcome::GivenUp
        }
        Err(panic) => {
            tracing::error!(panic = panic_message(&*panic), "job panicked");
            JobOutcome::ToBeRetried
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("")
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
        let sources = Sources::new(Arc::new(Stopped), Arc::new(Stopped));
        let deadline = Instant::now() + TIMEOUT;
        let answer = Batch::of(worker, "worker", sources).handle(event, deadline).await;
        answer.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect()
    }

    /// Time of an invocation.
    const TIMEOUT: Duration = Duration::from_mins(2);

    struct Picky;
    impl Worker for Picky {
        type Job = String;
        async fn work(&self, job: String, _: &Delivery) -> Result<(), Failure> {
            match job.as_str() {
                "retry" => Err(Failure::Retry("not yet".into())),
                "give up" => Err(Failure::GiveUp("never".into())),
                "panic" => panic!("on purpose"),
                _ => Ok(()),
            }
        }
    }

    #[tokio::test]
    async fn each_message_fails_alone() {
        let bodies = ["\"fine\"", "\"retry\"", "\"panic\"", "\"give up\"", "not json", "\"fine\""];
        assert_eq!(failed(Picky, event(bodies)).await, ["1", "2", "4"]);
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
        async fn work(&self, _: u32, _: &Delivery) -> Result<(), Failure> {
            let fault = domain::Fault::unavailable(domain::Fault::internal("no capacity"));
            Err(Failure::Retry(fault.into()))
        }
    }

    #[tokio::test]
    async fn failed_job_is_logged_with_all_its_causes() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        let guard = tracing::subscriber::set_default(subscriber);

        assert_eq!(failed(Broken, event(["1"])).await, ["0"]);

        drop(guard);
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let causes = "The service is busy. Please try again.: Server error.: no capacity";
        assert!(log.contains(causes), "{log}");
        assert!(log.contains("message_id=\"0\""), "{log}");
    }

    #[tokio::test(start_paused = true)]
    async fn time_left_ends_with_the_invocation() {
        let now = Instant::now();
        let sources = Sources::new(Arc::new(Stopped), Arc::new(Stopped));
        let left = |deadline| Delivery { sources: sources.clone(), deadline }.time_left();
        assert_eq!(left(now + TIMEOUT), TIMEOUT);
        tokio::time::advance(TIMEOUT).await;
        assert_eq!(left(now + TIMEOUT), Duration::ZERO);
        assert_eq!(left(now), Duration::ZERO, "a deadline in the past leaves no time");
    }
}
