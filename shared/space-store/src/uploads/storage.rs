//! Storage of uploads: the bucket, and the queues of the jobs that follow an upload.
//!
//! Invariants:
//! - Files become active only after their jobs were sent, which [`Announced`] proves. So no crash
//!   loses a job, but a job may find no record; its worker waits for it.
//! - The transaction that activates a file also creates the webhook messages of its events. So an
//!   event is sent if the file became active, even if it is deleted at once. A worker can see a
//!   message between the commit and a rollback of its file, and then sends the event of a file that
//!   is not stored.

use bucket::Bucket;
use domain::{
    env::Timestamp,
    errors::ServiceError,
    files::File,
    id::{FileId, Revision},
    settings::WebhookEvent,
    uploads::{ProcessingRules, UploadRules},
    webhooks::{AnnouncedWebhook, WebhookMessage},
};
use futures::future;
use queue::{DelayedJob, MAX_DELAY_SECONDS, ProcessingJob, PurgeJob, Queue, WebhookJob};
use tracing::instrument;

use crate::{
    objects::FileBucket,
    spaces::SpaceScope,
    webhooks::{event_job, webhook_message},
};

/// The bucket of files, and the queues of the jobs that follow an upload.
#[derive(Clone, Debug)]
pub struct UploadStorage {
    pub(crate) bucket: FileBucket,
    processing: Queue<ProcessingJob>,
    webhooks: Queue<WebhookJob>,
    purge: Queue<PurgeJob>,
}

/// Proof that the jobs of files were sent, with the webhooks to create together with the records.
#[derive(Debug)]
pub struct Announced {
    webhooks: Vec<FileWebhook>,
    /// The current maximum of the upload config of a pending file, if it has one.
    pub(crate) max_uploads_per_hour: Option<u64>,
}

#[derive(Clone, Debug)]
struct FileWebhook {
    file_id: FileId,
    announced: AnnouncedWebhook,
}

impl Announced {
    /// Returns the webhook messages of the announced events of files, as these versions of them
    /// show.
    pub(crate) fn webhook_messages(
        &self,
        files: &[File],
        now: Timestamp,
    ) -> Result<Vec<WebhookMessage>, ServiceError> {
        let events = files.iter().flat_map(|file| {
            let own = self.webhooks.iter().filter(|one| one.file_id == file.id);
            own.map(move |one| webhook_message(&one.announced, file, now))
        });
        events.collect()
    }
}

impl UploadStorage {
    pub fn new(
        bucket: Bucket,
        processing: Queue<ProcessingJob>,
        webhooks: Queue<WebhookJob>,
        purge: Queue<PurgeJob>,
    ) -> UploadStorage {
        UploadStorage {
            bucket: FileBucket::new(bucket),
            processing,
            webhooks,
            purge,
        }
    }

    /// Sends the job that deletes the objects of a replacement which the file does not have
    /// afterwards. It precedes the storage of the new bytes, so no crash leaves any.
    #[instrument(skip_all)]
    pub(crate) async fn announce_replacement(
        &self,
        file: &File,
        revision: Revision,
        now: Timestamp,
    ) -> Result<(), ServiceError> {
        let replaced = file
            .revision
            .ok_or_else(|| ServiceError::internal("the replaced file has no bytes"))?;
        let job = PurgeJob::Replacement {
            space_id: file.space_id,
            file_id: file.id,
            revisions: [replaced, revision],
            requested_at: now,
        };
        let delay_seconds = MAX_DELAY_SECONDS;
        Ok(self
            .purge
            .send(&[DelayedJob { job, delay_seconds }])
            .await?)
    }

    /// Sends the jobs of up to ten files that are about to become active, or to get other bytes, by
    /// these rules: their processing, unless the record contains its results, and the webhooks of
    /// what the record will show, if the space or the rules have a URL.
    #[instrument(skip_all)]
    pub(crate) async fn announce(
        &self,
        space: &SpaceScope,
        files: &[File],
        rules: &UploadRules,
    ) -> Result<Announced, ServiceError> {
        let announced_at = space.now();
        let processing_rules = ProcessingRules::of(rules, space.record());
        let processing: Vec<DelayedJob<ProcessingJob>> = files
            .iter()
            .filter(|file| file.media.is_none())
            .map(|file| {
                DelayedJob::immediate(ProcessingJob {
                    space_id: file.space_id,
                    file_id: file.id,
                    revision: file.revision,
                    announced_at,
                    rules: processing_rules.clone(),
                })
            })
            .collect();

        let announce = |file: &File, event| {
            let endpoint = space
                .record()
                .webhook_receiver(event, &rules.notifications)?;
            Some(FileWebhook {
                file_id: file.id,
                announced: AnnouncedWebhook::new(event, endpoint, space.env()),
            })
        };
        let uploaded: Vec<FileWebhook> = files
            .iter()
            .filter_map(|file| announce(file, file.content_event()))
            .collect();
        let processed: Vec<FileWebhook> = files
            .iter()
            .filter(|file| file.media.is_some())
            .filter_map(|file| announce(file, WebhookEvent::Processed))
            .collect();

        let jobs = |webhooks: &[FileWebhook]| -> Vec<_> {
            let jobs = webhooks.iter();
            jobs.map(|one| event_job(&one.announced, space.record(), announced_at))
                .collect()
        };
        let uploaded_jobs = jobs(&uploaded);
        let processed_jobs = jobs(&processed);

        let sent = future::join3(
            self.processing.send(&processing),
            self.webhooks.send(&uploaded_jobs),
            self.webhooks.send(&processed_jobs),
        );
        // Boxed to keep the futures of requests small.
        let (processing, uploads, results) = Box::pin(sent).await;
        processing.and(uploads).and(results)?;
        Ok(Announced {
            webhooks: [uploaded, processed].concat(),
            max_uploads_per_hour: None,
        })
    }
}
