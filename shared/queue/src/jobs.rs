//! What is written into messages: ids and moments, never a record.

use domain::{FileId, SpaceId, Timestamp};
use serde::{Deserialize, Serialize};

/// Milliseconds in a minute.
const MINUTE_MS: i64 = 60_000;

/// Remove what is left of something that was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum PurgeJob {
    /// Of a space.
    Space {
        /// The space.
        space_id: SpaceId,
        /// Which time it is.
        pass: PurgePass,
        /// When the deletion was announced, right before the space was marked as deleted.
        requested_at: Timestamp,
    },
    /// Of a file: its bytes.
    File {
        /// Its space.
        space_id: SpaceId,
        /// The file.
        file_id: FileId,
        /// When the deletion was announced, right before the record was removed.
        requested_at: Timestamp,
    },
}

/// See what became of a presigned upload that nobody may have confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmCheck {
    /// The space.
    pub space_id: SpaceId,
    /// The file.
    pub file_id: FileId,
    /// When the client has had long enough.
    pub due_at: Timestamp,
}

/// A space is purged three times, since what was authorized before its deletion may still arrive
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PurgePass {
    /// At once.
    First,
    /// After every request that was at work has ended.
    Second,
    /// After the last presigned address has expired.
    Last,
}

impl PurgePass {
    /// Every pass, in order.
    pub const ALL: [PurgePass; 3] = [PurgePass::First, PurgePass::Second, PurgePass::Last];

    /// How long after the deletion it begins, in milliseconds.
    pub fn after_ms(self) -> i64 {
        match self {
            PurgePass::First => 0,
            PurgePass::Second => 15 * MINUTE_MS,
            PurgePass::Last => 75 * MINUTE_MS,
        }
    }
}
