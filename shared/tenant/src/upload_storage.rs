//! Storage of uploads: the bucket, and the queues of the jobs that follow an upload.
//!
//! Invariant: files become active only after their jobs were sent, which [`Announced`] proves. So no
//! crash loses a job, but a job may find no record; its worker waits for it.

use bucket::Bucket;
use domain::{File, NotificationRules, ServiceError, WebhookEvent};
use futures::future;
use queue::{DelayedJob, Queue, ThumbnailsJob, WebhookJob};
use tracing::instrument;

use crate::{FileBucket, SpaceScope};

/// The bucket of files, and the queues of the jobs that follow an upload.
#[derive(Clone, Debug)]
pub struct UploadStorage {
    pub(crate) bucket: FileBucket,
    thumbnails: Queue<ThumbnailsJob>,
    webhooks: Queue<WebhookJob>,
}

/// Proof that the jobs of files were sent.
#[derive(Debug)]
pub struct Announced(());

impl UploadStorage {
    /// Creates the storage.
    pub fn new(
        bucket: Bucket,
        thumbnails: Queue<ThumbnailsJob>,
        webhooks: Queue<WebhookJob>,
    ) -> UploadStorage {
        UploadStorage {
            bucket: FileBucket::new(bucket),
            thumbnails,
            webhooks,
        }
    }

    /// Sends the jobs of up to ten files that are about to become active: their processing, unless the
    /// record contains its results, and the webhooks of what the record will show. These are sent if the
    /// space or the rules of the upload config have a URL.
    #[instrument(skip_all)]
    pub(crate) async fn announce(
        &self,
        space: &SpaceScope,
        files: &[File],
        notifications: &NotificationRules,
    ) -> Result<Announced, ServiceError> {
        let announced_at = space.now();
        let has_receiver = |event| {
            let receiver = space.record().webhook_receiver(event, notifications);
            receiver.is_some()
        };
        let has_upload_event = has_receiver(WebhookEvent::Uploaded);

        let processing: Vec<DelayedJob<ThumbnailsJob>> = files
            .iter()
            .filter(|file| file.media.is_none())
            .map(|file| {
                DelayedJob::immediate(ThumbnailsJob {
                    space_id: file.space_id,
                    file_id: file.id,
                    announced_at,
                    has_upload_event,
                })
            })
            .collect();
        let event_job = |file: &File, event| {
            DelayedJob::immediate(WebhookJob::Event {
                space_id: file.space_id,
                file_id: file.id,
                event,
                announced_at,
            })
        };
        let uploaded: Vec<DelayedJob<WebhookJob>> = files
            .iter()
            .filter(|_| has_upload_event)
            .map(|file| event_job(file, WebhookEvent::Uploaded))
            .collect();
        let processed: Vec<DelayedJob<WebhookJob>> = files
            .iter()
            .filter(|file| file.media.is_some() && has_receiver(WebhookEvent::Processed))
            .map(|file| event_job(file, WebhookEvent::Processed))
            .collect();

        let sent = future::join3(
            self.thumbnails.send(&processing),
            self.webhooks.send(&uploaded),
            self.webhooks.send(&processed),
        );
        // Boxed to keep the futures of requests small.
        let (processing, uploaded, processed) = Box::pin(sent).await;
        processing.and(uploaded).and(processed)?;
        Ok(Announced(()))
    }
}
