//! The SQS edge: a batch of messages in, the ids of those to be delivered again out.
//!
//! Invariant: one message's failure, error or panic, never fails or hides another's, and the answer always has the
//! shape of a partial batch response; any other shape would make SQS delete the whole batch.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc};

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use futures::FutureExt;
use serde::de::DeserializeOwned;

/// A queue's worker: what it does with one job.
pub trait Worker: Send + Sync + 'static {
    /// The payload of one message: ids and a revision.
    type Job: DeserializeOwned + Send;

    /// Does the job. It must be safe to do twice: SQS may deliver any message again.
    fn work(&self, job: Self::Job) -> impl Future<Output = Result<(), Failure>> + Send;
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
pub struct Batch(Arc<dyn Fn(SqsEvent) -> Answer + Send + Sync>);

type Answer = Pin<Box<dyn Future<Output = SqsBatchResponse> + Send>>;

impl Batch {
    /// The batches of one worker.
    pub fn of<W: Worker>(worker: W) -> Batch {
        let worker = Arc::new(worker);
        Batch(Arc::new(move |event| {
            let worker = worker.clone();
            Box::pin(async move { run(&*worker, event).await })
        }))
    }

    /// Works through a batch, message by message, in order.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        (self.0)(event).await
    }
}

async fn run<W: Worker>(worker: &W, event: SqsEvent) -> SqsBatchResponse {
    let mut response = SqsBatchResponse::default();
    for message in event.records {
        let id = message.message_id.clone().unwrap_or_default();
        if !is_done(worker, &id, message).await {
            let mut failure = BatchItemFailure::default();
            failure.item_identifier = id;
            response.batch_item_failures.push(failure);
        }
    }
    response
}

/// Whether the message may be deleted.
async fn is_done<W: Worker>(worker: &W, id: &str, message: SqsMessage) -> bool {
    // A body that is not a job today is none tomorrow; the dead-letter queue keeps it for a person to look at.
    let Ok(job) = serde_json::from_str(message.body.as_deref().unwrap_or_default()) else {
        tracing::error!(message_id = id, "the message is not a job of this worker");
        return false;
    };
    match AssertUnwindSafe(worker.work(job)).catch_unwind().await {
        Ok(Ok(())) => true,
        Ok(Err(failure @ Failure::Retry(_))) => {
            tracing::warn!(message_id = id, error = %failure, "job failed");
            false
        }
        Ok(Err(failure @ Failure::GiveUp(_))) => {
            tracing::error!(message_id = id, error = %failure, "job failed");
            true
        }
        Err(panic) => {
            tracing::error!(message_id = id, panic = panic_message(&*panic), "job panicked");
            false
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Picky;
    impl Worker for Picky {
        type Job = String;
        async fn work(&self, job: String) -> Result<(), Failure> {
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
        let records = bodies.iter().enumerate().map(|(index, body)| {
            let mut message = SqsMessage::default();
            message.message_id = Some(index.to_string());
            message.body = Some((*body).to_owned());
            message
        });
        let mut event = SqsEvent::default();
        event.records = records.collect();

        let answer = Batch::of(Picky).handle(event).await;
        let failed: Vec<&str> =
            answer.batch_item_failures.iter().map(|failure| failure.item_identifier.as_str()).collect();
        assert_eq!(failed, ["1", "2", "4"]);
    }
}
