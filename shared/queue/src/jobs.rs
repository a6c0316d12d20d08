//! Jobs as they are sent: ids and times, no records.

use domain::{
    env::Timestamp,
    id::{FileId, FolderId, Revision, SpaceId},
};
use serde::{Deserialize, Serialize};

use crate::Job;

/// Milliseconds in a minute.
const MINUTE_MS: i64 = 60_000;

/// Deletes the remains of a deleted space, folder or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum PurgeJob {
    /// Records and objects of a space.
    Space {
        space_id: SpaceId,
        /// The pass of this job.
        pass: PurgePass,
        /// Time right before the tombstone of the space is written.
        requested_at: Timestamp,
    },
    /// Contents of a folder.
    Folder {
        /// The space of the folder.
        space_id: SpaceId,
        folder_id: FolderId,
        /// Time right before the folder is marked as deleted.
        requested_at: Timestamp,
    },
    /// Objects of a file.
    File {
        /// The space of the file.
        space_id: SpaceId,
        file_id: FileId,
        /// Time right before the record is deleted.
        requested_at: Timestamp,
    },
    /// The objects of a replacement of a file's bytes that the file does not have afterwards.
    Replacement {
        /// The space of the file.
        space_id: SpaceId,
        file_id: FileId,
        /// The replaced revision, and the one that is to replace it.
        revisions: [Revision; 2],
        /// Time before the new bytes are stored.
        requested_at: Timestamp,
    },
}

impl Job for PurgeJob {
    fn space_id(&self) -> Option<SpaceId> {
        let (PurgeJob::Space { space_id, .. }
        | PurgeJob::Folder { space_id, .. }
        | PurgeJob::File { space_id, .. }
        | PurgeJob::Replacement { space_id, .. }) = self;
        Some(*space_id)
    }
}

/// Checks a presigned upload that its client may not have confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmCheck {
    /// The space of the file.
    pub space_id: SpaceId,
    pub file_id: FileId,
    /// Whether the upload replaces the bytes of a file, instead of being one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_replacement: bool,
    /// Time from which the file is checked.
    pub due_at: Timestamp,
}

impl Job for ConfirmCheck {
    fn space_id(&self) -> Option<SpaceId> {
        Some(self.space_id)
    }
}

/// A pass over a deleted space. There are three, because requests that were authorized before the
/// deletion may still write after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PurgePass {
    /// Right after the deletion.
    First,
    /// After all requests that were in progress have ended.
    Second,
    /// After the last presigned URL has expired.
    Last,
}

impl PurgePass {
    /// All passes, in order.
    pub const ALL: [PurgePass; 3] = [PurgePass::First, PurgePass::Second, PurgePass::Last];

    /// Returns the time from the deletion to the start of the pass, in milliseconds.
    pub fn after_ms(self) -> i64 {
        match self {
            PurgePass::First => 0,
            PurgePass::Second => 15 * MINUTE_MS,
            PurgePass::Last => 75 * MINUTE_MS,
        }
    }
}
