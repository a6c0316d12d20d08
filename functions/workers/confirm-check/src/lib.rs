//! Worker `confirm-check`: confirms or removes presigned uploads that their client did not confirm.
//!
//! Invariants:
//! - If the staged object exists and is valid, the file becomes active. Otherwise record and object
//!   are removed.
//! - A pending upload of a disabled space is removed, even if its object exists. So is one that was
//!   declared with a signed URL whose key is no longer valid, and an unsigned one whose hourly
//!   quota is exhausted: it could wait for the next hour only at the expense of the clients of that
//!   hour. So is one that replaces the bytes of a file that was deleted, or that was replaced
//!   since it was declared: older bytes never follow newer ones.
//! - It confirms like `POST /upload/confirm/:fileId`, which copies the staged object and validates
//!   the copy. Both may run concurrently with each other and with uploads to the same URL.
//! - SQS delays a job by 15 minutes at most, so the file of a check that is not due is read every
//!   15 minutes, and the check is sent again only while the file is pending. A file that is
//!   confirmed within 15 minutes takes one receive. By then its record exists, since the request
//!   that creates it gives up sooner. Lambda stops such a chain after about 16 jobs ("Use Lambda
//!   recursive loop detection to prevent infinite loops" in the Lambda developer guide), so the
//!   template sets `RecursiveLoop: Allow`.

use domain::{
    env::Timestamp,
    errors::ServiceError,
    files::{Decoders, File},
};
use intake::{
    ConfirmOutcome::{Activation, NotUploaded},
    confirm,
};
use runtime::context::{ConfigurationError, FunctionContext, Settings};
use space_store::{
    jobs::{ConfirmCheck, DelayedJob, MAX_DELAY_SECONDS, Queue},
    spaces::Scoped,
    uploads::{ActivationOutcome, PendingRecord, PendingUploads, UploadStorage},
};
use worker::{BatchHandler, JobContext, JobError, Worker};

/// Milliseconds in a second.
const MS_PER_SECOND: u64 = 1_000;

struct ConfirmChecker {
    uploads: PendingUploads,
    decoders: Decoders,
    queue: Queue<ConfirmCheck>,
}

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let mut settings = Settings::of(context);
    let storage = UploadStorage::new(
        settings.bucket(),
        settings.queue("PROCESSING_QUEUE_URL"),
        settings.queue("WEBHOOKS_QUEUE_URL"),
        settings.queue("PURGE_QUEUE_URL"),
    );
    let uploads = PendingUploads::new(settings.table(), storage);
    let queue = settings.queue("CONFIRM_CHECK_QUEUE_URL");
    let decoders = settings.decoders();
    settings.finish()?;

    let checker = ConfirmChecker {
        uploads,
        decoders,
        queue: queue.clone(),
    };
    Ok(context.batch_handler(checker, queue))
}

impl Worker for ConfirmChecker {
    type Job = ConfirmCheck;

    async fn work(&self, check: ConfirmCheck, context: &JobContext) -> Result<(), JobError> {
        telemetry::record_space(check.space_id);

        let pending = self.uploads.pending(&check).await;
        let Some(pending) = pending.map_err(JobError::new)? else {
            return Ok(());
        };
        if let Some(delay_seconds) = delay_until(check.due_at, context.env.now()) {
            let job = DelayedJob {
                job: check,
                delay_seconds,
            };
            let sent = self.queue.send(&[job]).await;
            return sent.map_err(JobError::new);
        }
        // Boxed to keep the future of the job small.
        let confirming = Box::pin(self.confirm_or_discard(pending));
        confirming.await.map_err(JobError::new)
    }
}

impl ConfirmChecker {
    async fn confirm_or_discard(&self, pending: Scoped<File>) -> Result<(), ServiceError> {
        let Scoped {
            space,
            record: file,
        } = pending;
        let record = PendingRecord::of(file, &space).await?;
        let pending = space.uploads(&self.uploads.storage).pending(&record);
        let is_permitted =
            space.record().enabled && !record.is_outdated() && pending.has_signing_key().await?;
        if !is_permitted {
            return pending.discard().await.map(|_| ());
        }

        match confirm(pending, self.decoders).await? {
            Activation(ActivationOutcome::Active(_)) => return Ok(()),
            NotUploaded
            | Activation(
                ActivationOutcome::Deleted
                | ActivationOutcome::OverQuota(_)
                | ActivationOutcome::Rejected(_),
            ) => {}
            Activation(ActivationOutcome::NameTaken { .. }) => {
                tracing::info!(file_id = %record.file.id, "the file name was taken before confirmation");
            }
        }
        pending.discard().await.map(|_| ())
    }
}

/// Returns the delay of the next job of a check, in seconds; `None` if the check is due.
fn delay_until(due_at: Timestamp, now: Timestamp) -> Option<i32> {
    let left_ms = u64::try_from(due_at.ms() - now.ms())
        .ok()
        .filter(|ms| *ms > 0)?;
    let left_seconds = i32::try_from(left_ms.div_ceil(MS_PER_SECOND));
    Some(left_seconds.map_or(MAX_DELAY_SECONDS, |seconds| seconds.min(MAX_DELAY_SECONDS)))
}
