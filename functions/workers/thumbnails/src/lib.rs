//! Worker `thumbnails`: reads the metadata of uploaded files, and creates thumbnails and eager variants.
//!
//! Invariants:
//! - A job is sent before its file becomes active, and waits for it. A file that never becomes active is
//!   ignored.
//! - A job can run twice and stop anywhere: variants have the same ids in each run, following jobs are
//!   sent before the results are recorded, and results are recorded once.
//! - A file that cannot be decoded is recorded as failed. It fails no job, so it is not tried again.

mod image;
mod metadata;
mod tags;
mod variants;

use domain::{
    File, ProcessedMedia, ResourceType, ServiceError, StorageMeta, Tag, UploadRules, WebhookEvent,
};
use renditions::Renditions;
use runtime::{ConfigurationError, FunctionContext, Settings};
use tenant::{
    AnnouncedFile, BlurhashJob, DelayedJob, Queue, Scoped, ThumbnailsJob, UploadedFiles, WebhookJob,
};
use worker::{BatchHandler, JobContext, JobError, Worker};

/// Bytes of a mebibyte.
const MIB: u64 = 1 << 20;

struct Thumbnails {
    files: UploadedFiles,
    renditions: Renditions,
    jobs: Queue<ThumbnailsJob>,
    blurhashes: Queue<BlurhashJob>,
    webhooks: Queue<WebhookJob>,
}

/// Results of processing a file.
#[derive(Default)]
struct Processed {
    media: ProcessedMedia,
    /// Whether the blurhash can be computed from the stored placeholder.
    has_placeholder: bool,
    /// Tags that describe the content.
    tags: Vec<Tag>,
}

impl Processed {
    /// Returns metadata without variants.
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
        let mut processed = Processed::of(meta);
        processed.media.failure = Some(failure);
        processed
    }
}

/// Returns the function's handler.
pub fn handler(context: &FunctionContext) -> Result<BatchHandler, ConfigurationError> {
    let mut settings = Settings::of(context);
    let files = UploadedFiles::new(settings.table(), settings.bucket());
    let rendering_mib = settings.number("RENDERING_MEMORY_MIB");
    let jobs = settings.queue("THUMBNAILS_QUEUE_URL");
    let blurhashes = settings.queue("BLURHASH_QUEUE_URL");
    let webhooks = settings.queue("WEBHOOK_QUEUE_URL");
    settings.finish()?;

    let renditions = Renditions::new(
        files.tenants().clone(),
        files.bucket().clone(),
        rendering_mib.saturating_mul(MIB),
    );
    let worker = Thumbnails {
        files,
        renditions,
        jobs,
        blurhashes,
        webhooks,
    };
    let env = context.env.clone();
    Ok(BatchHandler::of(worker, context.meter(), env))
}

impl Worker for Thumbnails {
    type Job = ThumbnailsJob;

    async fn work(&self, job: ThumbnailsJob, _context: &JobContext) -> Result<(), JobError> {
        telemetry::record_space(job.space_id);
        let found = self
            .files
            .announced(job.space_id, job.file_id, job.announced_at, |_| true)
            .await
            .map_err(JobError::new)?;

        match found {
            AnnouncedFile::Active(file) => self.process(*file).await.map_err(JobError::new),
            AnnouncedFile::NotYet(delay_seconds) => {
                let again = DelayedJob { job, delay_seconds };
                self.jobs.send(&[again]).await.map_err(JobError::new)
            }
            AnnouncedFile::Absent => Ok(()),
        }
    }
}

impl Thumbnails {
    /// Processes a file, unless that is done.
    async fn process(&self, found: Scoped<File>) -> Result<(), ServiceError> {
        let Scoped {
            space,
            record: file,
        } = found;
        if file.media.is_some() {
            return Ok(());
        }
        let rules = self.files.rules(&file).await?;
        let Some(processed) = self.read(&file, &rules).await? else {
            return Ok(());
        };

        let now = space.env().now();
        if let (true, Some(revision)) = (processed.has_placeholder, file.revision) {
            let job = BlurhashJob {
                space_id: file.space_id,
                file_id: file.id,
                revision,
                announced_at: now,
            };
            self.blurhashes.send(&[DelayedJob::immediate(job)]).await?;
        }
        if let Some(event) =
            event_of(&processed).filter(|event| rules.notifications.includes(*event))
        {
            let job = WebhookJob::Event {
                space_id: file.space_id,
                file_id: file.id,
                event,
                announced_at: now,
            };
            self.webhooks.send(&[DelayedJob::immediate(job)]).await?;
        }

        let record = |file: &mut File| {
            if file.media.is_some() {
                return;
            }
            file.media = Some(processed.media.clone());
            if rules.metadata.auto_tagging {
                tags::add(&mut file.tags, &processed.tags);
            }
        };
        space.record_processing(file, record).await.map(drop)
    }

    /// Reads the metadata of a file and creates its variants; `None` if the file was deleted.
    async fn read(
        &self,
        file: &File,
        rules: &UploadRules,
    ) -> Result<Option<Processed>, ServiceError> {
        if file.resource_type == ResourceType::Image {
            self.process_image(file, rules).await
        } else {
            self.read_metadata(file).await
        }
    }
}

/// Returns the event that announces the result; `None` if the blurhash is still to be computed.
fn event_of(processed: &Processed) -> Option<WebhookEvent> {
    if processed.media.failure.is_some() {
        Some(WebhookEvent::Failed)
    } else if processed.has_placeholder {
        None
    } else {
        Some(WebhookEvent::Processed)
    }
}
