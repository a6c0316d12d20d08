//! Jobs that follow an upload. They are sent before the record is written, so their workers wait for
//! the record for up to two minutes.

use domain::{
    FileId, Revision, SpaceId, Timestamp, UploadConfigId, WebhookDeliveryId, WebhookEvent,
    WebhookFile,
};
use serde::{Deserialize, Serialize};

use crate::Job;

/// Time for which a worker waits for the record of an announced file, in milliseconds: far longer
/// than any request takes to write it.
pub const MAX_ANNOUNCEMENT_AGE_MS: i64 = 120_000;

/// Reads the metadata of a file and creates its thumbnails and eager variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThumbnailsJob {
    /// The space of the file.
    pub space_id: SpaceId,
    /// The file.
    pub file_id: FileId,
    /// Time right before the record is written.
    pub announced_at: Timestamp,
    /// Whether the webhook of the upload was announced too. If not, the worker announces it if a URL
    /// receives it by then.
    #[serde(default)]
    pub has_upload_event: bool,
}

impl Job for ThumbnailsJob {
    fn space_id(&self) -> Option<SpaceId> {
        Some(self.space_id)
    }
}

/// Computes the blurhash of a file from the rendition that is stored for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlurhashJob {
    /// The space of the file.
    pub space_id: SpaceId,
    /// The file.
    pub file_id: FileId,
    /// The revision of the file's bytes.
    pub revision: Revision,
    /// Time right before the metadata of the file is written.
    pub announced_at: Timestamp,
}

impl Job for BlurhashJob {
    fn space_id(&self) -> Option<SpaceId> {
        Some(self.space_id)
    }
}

/// Sends webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum WebhookJob {
    /// An event to create a delivery for.
    Event {
        /// The space of the file.
        space_id: SpaceId,
        /// The file.
        file_id: FileId,
        /// The event.
        event: WebhookEvent,
        /// Time right before the record is written that the event is about.
        announced_at: Timestamp,
    },
    /// A deletion to create a delivery for. It contains the file, whose record will not exist.
    Deleted {
        /// The upload config of the file.
        upload_config_id: UploadConfigId,
        /// The file.
        file: WebhookFile,
        /// Time right before the record is deleted.
        announced_at: Timestamp,
    },
    /// An attempt of a delivery.
    Attempt {
        /// The space of the delivery.
        space_id: SpaceId,
        /// The delivery.
        delivery_id: WebhookDeliveryId,
        /// Number of the attempt.
        number: u32,
        /// Time from which the attempt is made.
        due_at: Timestamp,
    },
    /// A delivery to begin a new series of attempts of, unless it was redelivered later. Dead letters
    /// have this form too, so that they can be sent back to the queue.
    Redeliver {
        /// The space of the delivery.
        space_id: SpaceId,
        /// The delivery.
        delivery_id: WebhookDeliveryId,
        /// Time of the request, or of the last failed attempt.
        requested_at: Timestamp,
        /// Why the last attempt failed, in a dead letter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
    },
}

impl Job for WebhookJob {
    fn space_id(&self) -> Option<SpaceId> {
        Some(match self {
            WebhookJob::Event { space_id, .. }
            | WebhookJob::Attempt { space_id, .. }
            | WebhookJob::Redeliver { space_id, .. } => *space_id,
            WebhookJob::Deleted { file, .. } => file.space_id,
        })
    }
}
