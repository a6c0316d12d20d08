//! Storage of uploads: the bucket, and the queues of the jobs that follow an upload.
//!
//! Invariant: files become active only after their jobs were sent, which [`Announced`] proves. So no
//! crash loses a job, but a job may find no record; its worker waits for it.

use bucket::Bucket;
use domain::{FileId, NotificationRules, ServiceError, WebhookEvent};
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

    /// Sends the jobs of up to ten files that are about to become active: their processing, and the
    /// webhook of the upload if the space or the rules of the upload config have a URL.
    #[instrument(skip_all)]
    pub(crate) async fn announce(
        &self,
        space: &SpaceScope,
        ids: impl Iterator<Item = FileId> + Clone,
        notifications: &NotificationRules,
    ) -> Result<Announced, ServiceError> {
        let space_id = space.record().id;
        let announced_at = space.now();
        let receiver = space
            .record()
            .webhook_receiver(WebhookEvent::Uploaded, notifications);
        let has_upload_event = receiver.is_some();
        let thumbnails: Vec<DelayedJob<ThumbnailsJob>> = ids
            .clone()
            .map(|file_id| {
                DelayedJob::immediate(ThumbnailsJob {
                    space_id,
                    file_id,
                    announced_at,
                    has_upload_event,
                })
            })
            .collect();
        let webhooks: Vec<DelayedJob<WebhookJob>> = ids
            .filter(|_| has_upload_event)
            .map(|file_id| {
                DelayedJob::immediate(WebhookJob::Event {
                    space_id,
                    file_id,
                    event: WebhookEvent::Uploaded,
                    announced_at,
                })
            })
            .collect();

        let sent = future::join(
            self.thumbnails.send(&thumbnails),
            self.webhooks.send(&webhooks),
        );
        // Boxed to keep the futures of requests small.
        let (thumbnails, webhooks) = Box::pin(sent).await;
        thumbnails.and(webhooks)?;
        Ok(Announced(()))
    }
}
