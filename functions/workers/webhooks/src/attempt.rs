//! Attempts: claim, request, next job, record.

use domain::{
    env::Timestamp,
    webhooks::{
        WebhookAttempt, WebhookConclusion, WebhookFailure, WebhookMessage, WebhookSlotWait,
        WebhookStatus,
    },
};
use space_store::{
    jobs::{DelayedJob, WebhookJob},
    webhooks::{HostReaction, WebhookClaim, WebhookMessageInSpace},
};
use worker::{JobContext, JobError};

use crate::{WebhookWorker, event::FIRST};

/// Status with which an endpoint asks for no further webhooks.
const GONE: u16 = 410;
/// Cause of the dead letter of an attempt that has waited too long.
const NO_SLOT: &str = "no slot was free for the attempt";

/// An attempt that was made, and what follows it.
struct Concluded {
    attempt: WebhookAttempt,
    reaction: HostReaction,
    conclusion: WebhookConclusion,
}

impl Concluded {
    /// Logs the attempt with the host. The rest of the URL may contain a secret.
    fn log(&self, message: &WebhookMessage) {
        let WebhookAttempt {
            number,
            duration_ms,
            status_code,
            error,
            ..
        } = &self.attempt;
        let conclusion = self.conclusion;
        let webhook_message_id = message.id;
        let host = message.endpoint.url.host_and_port();
        tracing::info!(%webhook_message_id, host, number, duration_ms, status_code, error, ?conclusion, "attempted a webhook");
    }
}

impl WebhookWorker {
    /// Makes the attempt with a number if it is the next one of the message and due. A job of a
    /// later attempt makes the next one too: its worker stopped before it recorded the result.
    pub(crate) async fn attempt(
        &self,
        found: WebhookMessageInSpace,
        number: u32,
        context: &JobContext,
    ) -> Result<(), JobError> {
        let now = context.env.now();
        let message = &found.message;
        let is_outdated = number < message.next_number;
        let next_attempt_at = match message.next_attempt_at {
            Some(next) if !is_outdated && message.status == WebhookStatus::Pending => next,
            _ => return Ok(()),
        };

        if !found.space.enabled {
            return self.fail(message, WebhookFailure::SpaceDisabled, now).await;
        }
        if now < next_attempt_at {
            let next = next_job(message, message.next_number, next_attempt_at);
            return self.send_when_due(next, next_attempt_at, now).await;
        }
        if let Some(pause) = message.claim_left(now) {
            return Err(in_progress().with_pause(pause));
        }

        let is_first = message.next_number == FIRST && message.redelivered_at.is_none();
        let endpoint = if is_first {
            Some(message.endpoint.clone())
        } else {
            let current = self.webhooks.current_endpoint(&found).await;
            current.map_err(JobError::new)?
        };
        let Some(endpoint) = endpoint else {
            return self.fail(message, WebhookFailure::NoUrl, now).await;
        };
        let claim = self.webhooks.claim(message, endpoint).await;
        match claim.map_err(JobError::new)? {
            WebhookClaim::Claimed(claimed) => self.make_attempt(&found, *claimed, context).await,
            WebhookClaim::Changed => Err(in_progress()),
            WebhookClaim::NoSlot { not_before } => {
                let wait = WebhookSlotWait {
                    since: next_attempt_at,
                    not_before,
                };
                let Some(due_at) = wait.end(now, &context.env) else {
                    return self.give_up(message, now).await;
                };
                let again = next_job(message, message.next_number, due_at);
                self.send_when_due(again, due_at, now).await
            }
        }
    }

    /// Records that a message failed without an attempt.
    async fn fail(
        &self,
        message: &WebhookMessage,
        failure: WebhookFailure,
        now: Timestamp,
    ) -> Result<(), JobError> {
        let fail = |message: &mut WebhookMessage| message.fail(failure, now);
        let failed = self.webhooks.change(message, fail).await;
        failed.map(|_| ()).map_err(JobError::new)
    }

    /// Fails a message whose attempt has waited too long for a slot, as its last attempt would.
    async fn give_up(&self, message: &WebhookMessage, now: Timestamp) -> Result<(), JobError> {
        tracing::info!(webhook_message_id = %message.id, "a webhook has waited too long");
        let cause = NO_SLOT.to_owned();
        self.send_dead_letter(message, cause, now).await?;
        let exhausted = WebhookFailure::AttemptsExhausted;
        self.fail(message, exhausted, now).await
    }

    /// Begins a new series of attempts, unless a request that is as late or later began one.
    pub(crate) async fn redeliver(
        &self,
        mut found: WebhookMessageInSpace,
        requested_at: Timestamp,
        context: &JobContext,
    ) -> Result<(), JobError> {
        let is_begun = found
            .message
            .redelivered_at
            .is_some_and(|last| requested_at <= last);
        if !is_begun {
            if let Some(pause) = found.message.claim_left(context.env.now()) {
                return Err(in_progress().with_pause(pause));
            }
            let now = context.env.now();
            let new_series = |message: &mut WebhookMessage| message.begin_series(requested_at, now);
            let begun = self.webhooks.change(&found.message, new_series).await;
            found.message = begun.map_err(JobError::new)?.ok_or_else(in_progress)?;
        }

        let number = found.message.next_number;
        self.attempt(found, number, context).await
    }

    /// Makes a claimed attempt. What follows is sent before it is recorded: a stop in between
    /// repeats the attempt instead of losing the message.
    async fn make_attempt(
        &self,
        found: &WebhookMessageInSpace,
        claimed: WebhookMessage,
        context: &JobContext,
    ) -> Result<(), JobError> {
        let concluded = self.request_and_conclude(found, &claimed, context).await?;
        concluded.log(&claimed);
        let now = context.env.now();
        match concluded.conclusion {
            WebhookConclusion::RetryAt(due_at) => {
                let next = next_job(&claimed, claimed.next_number + 1, due_at);
                self.send_when_due(next, due_at, now).await?;
            }
            WebhookConclusion::Failed(WebhookFailure::AttemptsExhausted) => {
                let cause = concluded.attempt.describe_failure();
                self.send_dead_letter(&claimed, cause, now).await?;
            }
            WebhookConclusion::Failed(_) | WebhookConclusion::Delivered => {}
        }

        let Concluded {
            attempt,
            reaction,
            conclusion,
        } = concluded;
        let conclude = |message: &mut WebhookMessage| {
            message.conclude(attempt, conclusion, now);
        };
        let recorded = self.webhooks.conclude(&claimed, reaction, conclude).await;
        if !recorded.map_err(JobError::new)? {
            tracing::warn!(webhook_message_id = %claimed.id, "the webhook message changed during an attempt");
        }
        Ok(())
    }

    async fn request_and_conclude(
        &self,
        found: &WebhookMessageInSpace,
        claimed: &WebhookMessage,
        context: &JobContext,
    ) -> Result<Concluded, JobError> {
        let sent = self.request(&found.space, claimed, context).await?;
        let now = context.env.now();
        let retry_after = sent.retry_after.map(|retry_after| retry_after.moment(now));

        let conclusion = if sent.attempt.is_success() {
            WebhookConclusion::Delivered
        } else if sent.attempt.status_code == Some(GONE) {
            WebhookConclusion::Failed(WebhookFailure::Gone)
        } else {
            claimed.retry_at(retry_after, now, &context.env).map_or(
                WebhookConclusion::Failed(WebhookFailure::AttemptsExhausted),
                WebhookConclusion::RetryAt,
            )
        };

        Ok(Concluded {
            attempt: sent.attempt,
            reaction: sent.reaction,
            conclusion,
        })
    }

    /// Sends a job to the dead-letter queue for a message whose attempts are exhausted. If an
    /// operator moves the job back, a new series begins.
    async fn send_dead_letter(
        &self,
        message: &WebhookMessage,
        cause: String,
        now: Timestamp,
    ) -> Result<(), JobError> {
        let job = WebhookJob::Redeliver {
            space_id: message.space_id,
            webhook_message_id: message.id,
            requested_at: now,
            cause: Some(cause),
        };
        let sent = self.dead_letters.send(&[DelayedJob::immediate(job)]).await;
        sent.map_err(JobError::new)
    }
}

fn next_job(message: &WebhookMessage, number: u32, due_at: Timestamp) -> WebhookJob {
    WebhookJob::Attempt {
        space_id: message.space_id,
        webhook_message_id: message.id,
        number,
        due_at,
    }
}

/// Returns the error of a job whose attempt another invocation is making. The job is received
/// again, after that invocation has recorded its result or its claim has expired.
fn in_progress() -> JobError {
    JobError::new("another invocation is making this attempt")
}
