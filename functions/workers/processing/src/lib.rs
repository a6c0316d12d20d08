//! Worker `processing`: reads the metadata of uploaded files, and creates their eager renditions.
//!
//! Invariants:
//! - A job is sent before its file becomes active or gets other bytes, and waits for it. A file
//!   that never becomes active is ignored, and so are bytes that others have replaced: no result is
//!   recorded for others than those that were read.
//! - A job can run twice and stop anywhere: renditions have the same ids in each run, the event of
//!   the result is announced before, and all results are recorded by one write, once.
//! - The rules are those of the activation, which the job contains.
//! - Without eager renditions, nothing is stored in S3: the placeholder of the blurhash is only in
//!   memory. The other thumbnails that the API lists are rendered by delivery.
//! - A file that cannot be decoded is recorded as failed. It fails no job, so it is not tried
//!   again.
//! - A file that may kill the function, by its memory or time, is recorded as failed too: from a
//!   number of receives on, its job decodes nothing.

mod eager;
mod effort;
mod image;
mod metadata;
mod placeholder;
mod tags;

use std::time::Duration;

use domain::{
    errors::ServiceError,
    files::{File, ProcessedMedia, ResourceType, StorageMeta},
    settings::WebhookEvent,
    uploads::ProcessingRules,
};
use renditions::{MemoryLimits, Renditions};
use runtime::context::{ConfigurationError, FunctionContext, Settings};
use space_store::{
    jobs::{ProcessingJob, Queue, WebhookJob},
    spaces::Scoped,
    uploads::ProcessedFiles,
};
use worker::{BatchHandler, JobContext, JobError, Worker};

use crate::effort::Effort;

/// Why a file has failed whose job was received too often.
const TOO_MANY_ATTEMPTS: &str =
    "The file could not be processed in several attempts. It may need too much memory or time.";

/// Maximum time that a job waits for other renderings in the process before its image is planned,
/// and again before it is rendered. Lambda runs one job per process, so only the local stack waits.
const MAX_MEMORY_WAIT: Duration = Duration::from_secs(25);

struct Processing {
    files: ProcessedFiles,
    renditions: Renditions,
    jobs: Queue<ProcessingJob>,
    webhooks: Queue<WebhookJob>,
}

/// Results of processing a file.
#[derive(Default)]
struct Processed {
    media: ProcessedMedia,
    /// Name of the most frequent color, of a decoded image.
    color: Option<&'static str>,
}

impl Processed {
    /// Returns metadata without eager renditions.
    fn of(meta: StorageMeta) -> Processed {
        Processed {
            media: ProcessedMedia {
                meta,
                ..ProcessedMedia::default()
            },
            ..Processed::default()
        }
    }

    /// Returns the metadata of a file that cannot be processed because of `error`.
    fn failed(meta: StorageMeta, error: ServiceError) -> Processed {
        let mut messages = error.field_errors.into_messages().into_values().flatten();
        let failure = messages
            .next()
            .unwrap_or_else(|| error.message.clone().into_owned());
        Processed::with_failure(meta, failure)
    }

    /// Returns the metadata of a file that is not tried again.
    fn failed_after_attempts(meta: StorageMeta) -> Processed {
        Processed::with_failure(meta, TOO_MANY_ATTEMPTS.to_owned())
    }

    fn with_failure(meta: StorageMeta, failure: String) -> Processed {
        let mut processed = Processed::of(meta);
        processed.media.failure = Some(failure);
        processed
    }
}

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let mut settings = Settings::of(context);
    let files = ProcessedFiles::new(settings.table(), settings.bucket());
    let rendering_mebibytes = settings.number("RENDERING_MEMORY_MIB");
    let decoders = settings.decoders();
    let jobs = settings.queue("PROCESSING_QUEUE_URL");
    let webhooks = settings.queue("WEBHOOKS_QUEUE_URL");
    settings.finish()?;

    let renditions = Renditions::new(
        files.tenants().clone(),
        files.bucket().clone(),
        MemoryLimits::of_mebibytes(rendering_mebibytes, MAX_MEMORY_WAIT),
        decoders,
    );
    let worker = Processing {
        files,
        renditions,
        jobs: jobs.clone(),
        webhooks,
    };
    Ok(context.batch_handler(worker, jobs))
}

impl Worker for Processing {
    type Job = ProcessingJob;

    async fn work(&self, job: ProcessingJob, context: &JobContext) -> Result<(), JobError> {
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

impl Processing {
    /// Processes the file of a job once it is active.
    async fn process_announced(
        &self,
        job: &ProcessingJob,
        context: &JobContext,
    ) -> Result<(), ServiceError> {
        match self.files.announced(job, &self.jobs).await? {
            Some(file) => self.process(file, job, context).await,
            None => Ok(()),
        }
    }

    /// Processes a file, unless that is done.
    async fn process(
        &self,
        found: Scoped<File>,
        job: &ProcessingJob,
        context: &JobContext,
    ) -> Result<(), ServiceError> {
        if found.record.media.is_some() {
            return Ok(());
        }

        let rules = &job.rules;
        let effort = Effort::of(job, context);
        effort.log(&found.record, context);
        // Boxed to keep the future of the job small.
        let reading = Box::pin(self.read(&found.record, rules, effort));
        let Some(processed) = reading.await? else {
            return Ok(());
        };
        let (event, endpoint) = if processed.media.failure.is_some() {
            (WebhookEvent::Failed, &rules.failed_endpoint)
        } else {
            (WebhookEvent::Processed, &rules.processed_endpoint)
        };
        let announced = found
            .space
            .webhooks()
            .announce(event, endpoint.clone(), &self.webhooks)
            .await?;

        let revision = found.record.revision;
        let record = |file: &mut File| {
            if file.media.is_some() || file.revision != revision {
                return;
            }
            file.media = Some(processed.media.clone());
            if rules.auto_tagging && file.resource_type == ResourceType::Image {
                let tags = tags::of_image(&processed.media.meta, processed.color);
                tags::add(&mut file.tags, &tags);
            }
        };
        found
            .space
            .files()
            .record_processing(found.record, announced, record)
            .await
    }

    /// Reads the metadata of a file and creates its eager renditions; `None` if the file was
    /// deleted.
    async fn read(
        &self,
        file: &File,
        rules: &ProcessingRules,
        effort: Effort,
    ) -> Result<Option<Processed>, ServiceError> {
        match (effort, file.resource_type) {
            (Effort::Full | Effort::Headers, ResourceType::Image) => {
                self.process_image(file, rules, effort).await
            }
            (Effort::Full, _) => self.read_metadata(file).await,
            _ => Ok(Some(Processed::failed_after_attempts(
                StorageMeta::default(),
            ))),
        }
    }
}
