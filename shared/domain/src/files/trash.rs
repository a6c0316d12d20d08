//! The trash of a space: files that were deleted, and can be restored until their time is over.
//!
//! Invariant: a file has a [`Trash`] exactly while its status is [`FileStatus::Trashed`].

use serde::{Deserialize, Serialize};

use crate::{
    env::Timestamp,
    files::File,
    folders::FolderRef,
    settings::{FileStatus, TrashDays},
};

/// Milliseconds in a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// When a file was moved to the trash, and how long it stays there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trash {
    /// Time of the deletion.
    pub at: Timestamp,
    /// Time from which the file is purged. Fixed at the deletion.
    pub purge_at: Timestamp,
    /// Whether the protection of the file was lower at the root than in its folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_weaker_at_root: bool,
}

impl Trash {
    /// Returns what a deletion at a time records in the file; `None` if it is final.
    pub fn begin(now: Timestamp, days: TrashDays) -> Option<Trash> {
        let kept_ms = i64::from(days.get()) * DAY_MS;
        (kept_ms > 0).then(|| Trash {
            at: now,
            purge_at: now.plus_ms(kept_ms),
            is_weaker_at_root: false,
        })
    }
}

impl File {
    /// Moves an active file to the trash.
    pub fn move_to_trash(&mut self, trash: Trash) {
        self.status = FileStatus::Trashed;
        self.trash = Some(trash);
        self.updated_at = trash.at;
    }

    /// Returns a file from the trash to a folder, or to the root.
    pub fn restore(&mut self, folder: Option<FolderRef>, now: Timestamp) {
        self.status = FileStatus::Active;
        self.trash = None;
        self.folder = folder;
        self.updated_at = now;
    }
}
