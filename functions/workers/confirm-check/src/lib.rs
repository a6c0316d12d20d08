//! Checks presigned uploads that were not confirmed: bytes that arrived and obey their
//! rules become active; else record and object are removed.
//!
//! Invariants:
//! - It confirms as `POST /upload/confirm/:fileId` does: it copies the staged bytes first and
//!   validates the copy, so either can run at any time of the other, and of further uploads to the
//!   same URL.
//! - The pending uploads of a disabled space are removed, even if their bytes have arrived.
//! - SQS delays a message by 15 minutes at most, so a check continues with a new message until its
//!   time. Lambda would stop such a chain after about 16 messages ("Use Lambda recursive loop
//!   detection to prevent infinite loops" in the Lambda developer guide), so the template sets
//!   `RecursiveLoop: Allow`.

use domain::{ErrorKind, ServiceError};
use ingest::{ConfirmOutcome, confirm};
use runtime::{ConfigurationError, Environment, Settings};
use tenant::{ConfirmCheck, DELAY_MAX_SECONDS, PendingUploads, Queue};
use worker::{Batch, Failure, JobContext, Worker};

/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;

struct ConfirmChecker {
    checks: PendingUploads,
    queue: Queue<ConfirmCheck>,
}

/// The function's batches.
pub fn batch(environment: &Environment) -> Result<Batch, ConfigurationError> {
    let mut settings = Settings::of(environment);
    let checks = PendingUploads::new(settings.table(), settings.bucket());
    let queue = settings.queue("CONFIRM_CHECK_QUEUE_URL");
    settings.finish()?;
    Ok(Batch::of(
        ConfirmChecker { checks, queue },
        environment.meter(),
        environment.env.clone(),
    ))
}

impl Worker for ConfirmChecker {
    type Job = ConfirmCheck;

    async fn work(&self, check: ConfirmCheck, context: &JobContext) -> Result<(), Failure> {
        telemetry::record_space(check.space_id);
        let left_ms = check.due_at.ms() - context.env.now().ms();
        if left_ms > 0 {
            let left_seconds = left_ms
                .unsigned_abs()
                .div_ceil(MS_PER_SECOND.unsigned_abs());
            let delay = i32::try_from(left_seconds)
                .unwrap_or(DELAY_MAX_SECONDS)
                .min(DELAY_MAX_SECONDS);
            return self
                .queue
                .send(&[(check, delay)])
                .await
                .map_err(Failure::new);
        }
        self.settle(&check).await.map_err(Failure::new)
    }
}

impl ConfirmChecker {
    /// Makes a file that is still pending active, or removes it.
    async fn settle(&self, check: &ConfirmCheck) -> Result<(), ServiceError> {
        let Some((space, file)) = self.checks.pending(check).await? else {
            return Ok(());
        };
        let assets = space.file_store(&self.checks.originals);
        if !space.record().enabled {
            return assets.discard(&file).await.map(|_| ());
        }

        match confirm(&assets, &file).await {
            Ok(ConfirmOutcome::Active(_) | ConfirmOutcome::Deleted) => return Ok(()),
            Ok(ConfirmOutcome::NotUploaded | ConfirmOutcome::Rejected(_)) => {}
            Err(error) if error.kind == ErrorKind::Conflict => {
                tracing::info!(file_id = %file.id, "the name of an upload was taken before it was confirmed");
            }
            Err(error) => return Err(error),
        }
        assets.discard(&file).await.map(|_| ())
    }
}
