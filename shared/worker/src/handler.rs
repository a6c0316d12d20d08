//! Runs the jobs of a batch, and reports the failed ones.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc, time::Duration};

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use domain::{env::Env, errors::error_chain};
use futures::FutureExt;
use serde::de::DeserializeOwned;
use telemetry::{FailedJob, FailureReason, Meter, TaskOutcome};
use tokio::time::Instant;

use crate::{JobContext, JobError, ServedQueue, redelivery::delay_seconds};

/// Attribute with the number of receives of a message ("Using Lambda with Amazon SQS" in the AWS
/// Lambda developer guide).
const RECEIVE_COUNT: &str = "ApproximateReceiveCount";

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

/// What a handler needs besides its worker.
#[derive(Clone)]
pub struct BatchSettings {
    /// The queue that the worker serves.
    pub queue: Arc<dyn ServedQueue>,
    pub meter: Meter,
    /// Clock and random source.
    pub env: Env,
}

/// Handles the batches of a worker of any type.
#[derive(Clone)]
pub struct BatchHandler(Arc<dyn Fn(SqsEvent, Instant) -> BatchFuture + Send + Sync>);

type BatchFuture = Pin<Box<dyn Future<Output = SqsBatchResponse> + Send>>;

impl BatchHandler {
    /// Returns the handler of a worker.
    pub fn of<W: Worker>(worker: W, settings: BatchSettings) -> BatchHandler {
        let worker = Arc::new(worker);
        BatchHandler(Arc::new(move |event, deadline| {
            let batch = Batch {
                worker: Arc::clone(&worker),
                settings: settings.clone(),
                deadline,
            };
            Box::pin(async move { batch.run(event).await })
        }))
    }

    /// Runs the jobs of a batch one after the other. Lambda ends the invocation at the deadline:
    /// jobs of many pages stop before it, after one page at least.
    pub async fn handle(&self, event: SqsEvent, deadline: Instant) -> SqsBatchResponse {
        (self.0)(event, deadline).await
    }
}

/// A batch that is being handled.
struct Batch<W> {
    worker: Arc<W>,
    settings: BatchSettings,
    deadline: Instant,
}

impl<W: Worker> Batch<W> {
    async fn run(&self, event: SqsEvent) -> SqsBatchResponse {
        let mut response = SqsBatchResponse::default();
        for message in event.records {
            // An empty identifier fails the whole batch ("Handling errors for an SQS event source
            // in Lambda" in the AWS Lambda developer guide), so a message without one, which SQS
            // does not deliver, is dropped.
            let Some(id) = message.message_id.clone().filter(|id| !id.is_empty()) else {
                tracing::error!("a message without an id was dropped");
                continue;
            };

            let task = self.settings.meter.job(&id);
            let outcome = task.run(self.run_message(&message)).await;
            task.end(&outcome);

            if !matches!(outcome, TaskOutcome::Completed) {
                let mut failure = BatchItemFailure::default();
                failure.item_identifier = id;
                response.batch_item_failures.push(failure);
            }
        }
        response
    }

    async fn run_message(&self, message: &SqsMessage) -> TaskOutcome {
        let context = JobContext {
            env: self.settings.env.clone(),
            receive_count: receive_count(message),
            deadline: self.deadline,
        };

        match self.run_job(message, &context).await {
            Ok(()) => TaskOutcome::Completed,
            Err(Failed { reason, pause }) => {
                self.hide(message, pause, &context).await;
                let receive_count = context.receive_count;
                TaskOutcome::Failed(FailedJob {
                    reason,
                    receive_count,
                })
            }
        }
    }

    async fn run_job(&self, message: &SqsMessage, context: &JobContext) -> Result<(), Failed> {
        // A body that cannot be parsed fails every time, and ends up in the dead-letter queue,
        // unless a version of this function that can parse it is deployed in the meantime.
        let Ok(job) = serde_json::from_str(message.body.as_deref().unwrap_or_default()) else {
            return Err(Failed::without_pause(FailureReason::InvalidMessage));
        };

        let result = AssertUnwindSafe(self.worker.work(job, context))
            .catch_unwind()
            .await;
        match result {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                let reason = FailureReason::Error(error_chain(&error));
                let pause = error.pause;
                Err(Failed { reason, pause })
            }
            Err(panic) => {
                let message = panic_message(&*panic).to_owned();
                Err(Failed::without_pause(FailureReason::Panic(message)))
            }
        }
    }

    /// Hides the message of a failed job until its next try. After a failure of that, the message
    /// is received again after the visibility timeout of the queue.
    async fn hide(&self, message: &SqsMessage, pause: Duration, context: &JobContext) {
        let Some(receipt_handle) = message.receipt_handle.as_deref() else {
            return;
        };

        let seconds = delay_seconds(context.receive_count, pause, &context.env);
        if let Err(error) = self.settings.queue.hide(receipt_handle, seconds).await {
            let error = error_chain(&error);
            tracing::warn!(error, seconds, "the delay of a failed message was not set");
        }
    }
}

/// A job that failed.
struct Failed {
    reason: FailureReason,
    /// Minimum time until the next try.
    pause: Duration,
}

impl Failed {
    /// Returns a failure without a minimum time until the next try.
    fn without_pause(reason: FailureReason) -> Failed {
        Failed {
            reason,
            pause: Duration::ZERO,
        }
    }
}

/// Returns how often a message was received, including this time.
fn receive_count(message: &SqsMessage) -> u32 {
    let count = message.attributes.get(RECEIVE_COUNT);
    count.and_then(|count| count.parse().ok()).unwrap_or(1)
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("")
}
