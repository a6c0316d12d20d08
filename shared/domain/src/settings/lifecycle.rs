//! How spaces, folders and files begin and end: folder mode, statuses, locks and trash days.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;

/// Whether the storage path of a file contains its folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FolderMode {
    /// Storage paths contain no folders: moving a file keeps its URL.
    #[default]
    Dynamic,
    /// The folder path at the time of the upload is part of the file's URL.
    Fixed,
}

/// Lock that a deletion holds on a space or folder, which rejects new content meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteLock {
    /// Identifies the deletion that holds the lock.
    pub token: String,
    /// When the lock ends, even if its holder crashed.
    pub expires_at: Timestamp,
}

/// Whether the bytes of a file are available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// The file is declared; its bytes are not uploaded or not confirmed.
    Pending,
    /// The bytes are stored and comply with the rules.
    Active,
    /// The file was deleted, and can be restored until it is purged.
    Trashed,
}

/// For how many days a space keeps deleted files: 0 to 30. With 0, a deletion is final.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrashDays(u8);

impl TrashDays {
    /// Maximum number of days.
    pub const MAX: i64 = 30;

    /// Returns this number of days; `None` if it is negative or above [`TrashDays::MAX`].
    pub fn new(days: i64) -> Option<TrashDays> {
        let days = u8::try_from(days).ok();
        days.filter(|days| i64::from(*days) <= TrashDays::MAX)
            .map(TrashDays)
    }

    /// Returns the number of days.
    pub fn get(self) -> u8 {
        self.0
    }
}
