//! Worker `blurhash`: computes the blurhash of an image from the small rendition that `thumbnails` stored.
//!
//! Invariants:
//! - A job is sent before the metadata of its file is recorded, and waits for it.
//! - A job can run twice and stop anywhere: the same rendition has the same blurhash, which is recorded
//!   once.
//! - The event `file.processed` is announced before the blurhash is recorded.
//! - If the blurhash cannot be computed, or its job was received so often that it may kill its process, the
//!   file has none. It is not tried again, and `file.processed` is announced all the same.

use bytes::Bytes;
use domain::{File, ProcessedMedia, ServiceError, WebhookEvent};
use media::{MediaError, decode, probe};
use runtime::{ConfigurationError, FunctionContext, Settings};
use tenant::{BlurhashJob, Queue, Scoped, UploadedFiles, WebhookJob};
use worker::{BatchHandler, JobContext, JobError, Worker};

struct Blurhash {
    files: UploadedFiles,
    jobs: Queue<BlurhashJob>,
    webhooks: Queue<WebhookJob>,
}

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let mut settings = Settings::of(context);
    let files = UploadedFiles::new(settings.table(), settings.bucket());
    let jobs = settings.queue("BLURHASH_QUEUE_URL");
    let webhooks = settings.queue("WEBHOOK_QUEUE_URL");
    settings.finish()?;

    let worker = Blurhash {
        files,
        jobs: jobs.clone(),
        webhooks,
    };
    Ok(context.batch_handler(worker, jobs))
}

impl Worker for Blurhash {
    type Job = BlurhashJob;

    async fn work(&self, job: BlurhashJob, context: &JobContext) -> Result<(), JobError> {
        telemetry::record_space(job.space_id);
        let announced_at = job.announced_at;
        let processed = self.process_announced(&job, context).await;
        let restart =
            |error: ServiceError| async move { self.files.restart(job, &self.jobs, &error).await };
        context
            .retry_or_restart(processed, announced_at, restart)
            .await
    }
}

impl Blurhash {
    /// Processes the file of a job once its metadata is recorded.
    async fn process_announced(
        &self,
        job: &BlurhashJob,
        context: &JobContext,
    ) -> Result<(), ServiceError> {
        let is_ready = |file: &File| file.revision == Some(job.revision) && file.media.is_some();
        match self.files.announced(job, &self.jobs, is_ready).await? {
            Some(file) => self.process(file, job, context).await,
            None => Ok(()),
        }
    }

    /// Computes and records the blurhash of a file, unless that is done.
    async fn process(
        &self,
        found: Scoped<File>,
        job: &BlurhashJob,
        context: &JobContext,
    ) -> Result<(), ServiceError> {
        let file = &found.record;
        let media = file.media.as_ref();
        if media.is_some_and(ProcessedMedia::is_blurhash_settled) {
            return Ok(());
        }

        let blurhash = if context.may_kill_process(job.announced_at) {
            None
        } else {
            self.compute(file).await?
        };
        if blurhash.is_none() {
            let receive_count = context.receive_count;
            tracing::warn!(file_id = %file.id, receive_count, "the file gets no blurhash");
        }

        let endpoint = job.processed_endpoint.clone();
        let announced = found
            .space
            .announce_event(WebhookEvent::Processed, endpoint, &self.webhooks)
            .await?;
        let record = |file: &mut File| {
            let Some(media) = &mut file.media else {
                return;
            };
            if media.is_blurhash_settled() {
                return;
            }
            media.meta.blurhash.clone_from(&blurhash);
            media.lacks_blurhash = blurhash.is_none();
        };
        found
            .space
            .record_processing(found.record, announced, record)
            .await
    }

    /// Returns the blurhash of a file; `None` if its rendition cannot be decoded, which would be so each
    /// time.
    async fn compute(&self, file: &File) -> Result<Option<String>, ServiceError> {
        // If the file was deleted in the meantime, the next try does not find it.
        let placeholder = self.files.placeholder(file).await?.ok_or_else(|| {
            ServiceError::internal("the rendition for the blurhash is not stored")
        })?;

        let computed = telemetry::spawn_blocking(move || blurhash_of(&placeholder)).await;
        match computed {
            Ok(Ok(blurhash)) => Ok(Some(blurhash)),
            Ok(Err(error)) => {
                tracing::error!(%error, "the rendition for the blurhash cannot be decoded");
                Ok(None)
            }
            Err(error) if error.is_panic() => Ok(None),
            Err(error) => Err(ServiceError::internal(error)),
        }
    }
}

fn blurhash_of(image: &Bytes) -> Result<String, MediaError> {
    let info = probe(image)?;
    let pixels = decode(image, &info)?;
    Ok(media::blurhash(&pixels))
}
