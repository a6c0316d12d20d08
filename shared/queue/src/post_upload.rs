//! Jobs that follow an upload. They are sent before the record is written, so their workers wait for
//! the record for a while.

use domain::{FileId, Revision, SpaceId, Timestamp, WebhookEvent};
use serde::{Deserialize, Serialize};

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
}
