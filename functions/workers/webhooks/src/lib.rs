//! Worker `webhooks`: makes the attempts of webhook messages, which the transactions of events
//! create.
//!
//! Invariants:
//! - An event has one message, which its transaction creates. All attempts share its id and body.
//! - An attempt is claimed on the record before it is made, so two jobs of one attempt do not both
//!   make it. The claim of a worker that stopped expires, and its job is received again.
//! - A space has at most three attempts at a time, two of them to one host, and a host has three.
//!   Others are sent again with a delay instead of occupying the worker, and their message fails
//!   after 18 hours. After five timeouts of a host in a row, the circuit of the space to it is
//!   open: one attempt per minute is made until it responds.
//! - The job of the next attempt is sent before the result of an attempt is recorded. So wherever
//!   the worker stops, a job is left that repeats the attempt or makes the next. A job whose number
//!   is below that of the record's next attempt is outdated, so superfluous jobs end.
//! - SQS delays a job by 15 minutes at most, so an attempt that is not due is sent again. Lambda
//!   stops such a chain after about 16 jobs ("Use Lambda recursive loop detection to prevent
//!   infinite loops" in the Lambda developer guide), so the template sets `RecursiveLoop: Allow`.

mod attempt;
mod event;
mod request;

use std::{sync::Arc, time::Duration};

use domain::{
    env::Timestamp,
    id::{SpaceId, WebhookMessageId},
    webhooks::WebhookStatus,
};
use runtime::{
    aws::LazyMasterSecret,
    context::{ConfigurationError, FunctionContext, Settings},
};
use safe_http::{Network, Outbound, OutboundSettings, SystemNetwork};
use space_store::{
    jobs::{DelayedJob, Job, MAX_DELAY_SECONDS, Queue, WebhookJob},
    webhooks::{WebhookMessageInSpace, Webhooks},
};
use worker::{BatchHandler, JobContext, JobError, Worker};

/// Maximum time of an attempt, from the resolution of the name to the status of the response.
const DEADLINE: Duration = Duration::from_secs(5);

/// How attempts reach endpoints.
pub struct SendOptions {
    /// Maximum time of an attempt.
    pub deadline: Duration,
    /// Resolver and sockets.
    pub network: Arc<dyn Network>,
}

impl Default for SendOptions {
    fn default() -> SendOptions {
        SendOptions {
            deadline: DEADLINE,
            network: Arc::new(SystemNetwork),
        }
    }
}

pub(crate) struct WebhookWorker {
    pub(crate) webhooks: Webhooks,
    pub(crate) queue: Queue<WebhookJob>,
    pub(crate) dead_letters: Queue<WebhookJob>,
    pub(crate) master_secret: LazyMasterSecret,
    pub(crate) outbound: Outbound,
    pub(crate) deadline: Duration,
}

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    handler_with(context, SendOptions::default())
}

/// Returns the function's handler with another way to reach endpoints.
pub fn handler_with(
    context: &FunctionContext,
    options: SendOptions,
) -> Result<BatchHandler, ConfigurationError> {
    let mut settings = Settings::of(context);
    let outbound = OutboundSettings {
        url_policy: settings.url_policy(),
        ..OutboundSettings::default()
    };
    let queue = settings.queue("WEBHOOKS_QUEUE_URL");
    let worker = WebhookWorker {
        webhooks: Webhooks::new(settings.table()),
        queue: queue.clone(),
        dead_letters: settings.queue("WEBHOOKS_DEAD_LETTERS_URL"),
        master_secret: settings.master_secret(),
        outbound: Outbound::new(outbound).with_network(options.network),
        deadline: options.deadline,
    };
    settings.finish()?;

    Ok(context.batch_handler(worker, queue))
}

impl Worker for WebhookWorker {
    type Job = WebhookJob;

    async fn work(&self, job: WebhookJob, context: &JobContext) -> Result<(), JobError> {
        if let Some(space_id) = job.space_id() {
            telemetry::record_space(space_id);
        }

        match job.clone() {
            WebhookJob::Event {
                space_id,
                webhook_message_id,
                announced_at,
            } => {
                self.send_event(space_id, webhook_message_id, announced_at, context)
                    .await
            }
            WebhookJob::Attempt {
                space_id,
                webhook_message_id,
                number,
                due_at,
            } => {
                let now = context.env.now();
                if now < due_at {
                    return self.send_when_due(job, due_at, now).await;
                }
                match self.message(space_id, webhook_message_id).await? {
                    Some(found) => self.attempt(found, number, context).await,
                    None => Ok(()),
                }
            }
            WebhookJob::Redeliver {
                space_id,
                webhook_message_id,
                requested_at,
                cause,
            } => match self.message(space_id, webhook_message_id).await? {
                // A worker that stopped after it sent a dead letter repeats its attempt, which may
                // succeed.
                Some(found) if cause.is_some() && is_delivered(&found) => Ok(()),
                Some(found) => self.redeliver(found, requested_at, context).await,
                None => Ok(()),
            },
        }
    }
}

fn is_delivered(found: &WebhookMessageInSpace) -> bool {
    found.message.status == WebhookStatus::Delivered
}

impl WebhookWorker {
    async fn message(
        &self,
        space_id: SpaceId,
        id: WebhookMessageId,
    ) -> Result<Option<WebhookMessageInSpace>, JobError> {
        let found = self.webhooks.message(space_id, id).await;
        found.map_err(JobError::new)
    }

    /// Sends a job that can be received at a later time, or as late as SQS permits.
    pub(crate) async fn send_when_due(
        &self,
        job: WebhookJob,
        due_at: Timestamp,
        now: Timestamp,
    ) -> Result<(), JobError> {
        let delay_seconds = if now < due_at {
            i32::try_from(due_at.seconds_after(now)).unwrap_or(MAX_DELAY_SECONDS)
        } else {
            0
        };
        let delayed = DelayedJob {
            job,
            delay_seconds: delay_seconds.min(MAX_DELAY_SECONDS),
        };
        self.queue.send(&[delayed]).await.map_err(JobError::new)
    }
}
