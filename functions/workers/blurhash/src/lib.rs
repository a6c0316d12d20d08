//! Worker `blurhash`: computes the blurhash of an image from the small rendition that `thumbnails` stored.
//!
//! Invariants:
//! - A job is sent before the metadata of its file is recorded, and waits for it.
//! - A job can run twice and stop anywhere: the same rendition has the same blurhash, which is recorded
//!   once.
//! - The event `file.processed` is announced before the blurhash is recorded.

use bytes::Bytes;
use domain::{File, ServiceError, WebhookEvent};
use media::{MediaError, decode, probe};
use runtime::{ConfigurationError, FunctionContext, Settings};
use tenant::{BlurhashJob, DelayedJob, Queue, Scoped, UploadedFiles, WebhookJob};
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

    async fn work(&self, job: BlurhashJob, _context: &JobContext) -> Result<(), JobError> {
        telemetry::record_space(job.space_id);
        let is_ready = |file: &File| file.revision == Some(job.revision) && file.media.is_some();
        let found = self.files.announced(job, &self.jobs, is_ready).await;

        match found.map_err(JobError::new)? {
            Some(file) => self.process(file).await.map_err(JobError::new),
            None => Ok(()),
        }
    }
}

impl Blurhash {
    /// Computes and records the blurhash of a file, unless that is done.
    async fn process(&self, found: Scoped<File>) -> Result<(), ServiceError> {
        let Scoped {
            space,
            record: file,
        } = found;
        let is_done = |file: &File| {
            let media = file.media.as_ref();
            media.is_some_and(|media| media.meta.blurhash.is_some())
        };
        if is_done(&file) {
            return Ok(());
        }
        // If the file was deleted in the meantime, the next try does not find it.
        let placeholder = self.files.placeholder(&file).await?.ok_or_else(|| {
            ServiceError::internal("the rendition for the blurhash is not stored")
        })?;
        let blurhash = tokio::task::spawn_blocking(move || blurhash_of(&placeholder))
            .await
            .map_err(ServiceError::internal)?
            .map_err(ServiceError::internal)?;

        let rules = self.files.rules(&file).await?;
        if rules.notifications.includes(WebhookEvent::Processed) {
            let job = WebhookJob::Event {
                space_id: file.space_id,
                file_id: file.id,
                event: WebhookEvent::Processed,
                announced_at: space.env().now(),
            };
            self.webhooks.send(&[DelayedJob::immediate(job)]).await?;
        }

        let record = |file: &mut File| {
            if let Some(media) = &mut file.media {
                media.meta.blurhash = Some(blurhash.clone());
            }
        };
        space.record_processing(file, record).await.map(drop)
    }
}

fn blurhash_of(image: &Bytes) -> Result<String, MediaError> {
    let info = probe(image)?;
    let pixels = decode(image, &info)?;
    Ok(media::blurhash(&pixels))
}
