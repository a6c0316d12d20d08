//! States of pending files: the expected ones, and the stored ones.

use serde_json::Value;
use sha2::{Digest, Sha256};
use table::item_keys;
use tests::{Dump, text};

use crate::uploads::presign::PendingFile;

/// Size of every file, in bytes.
pub(crate) const LENGTH: usize = 25;

/// Content of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Right,
    Other,
    /// Rejected by every space.
    Program,
}

impl Content {
    pub(crate) fn bytes(self) -> &'static [u8] {
        let bytes: &[u8; LENGTH] = match self {
            Content::Right => b"these are the right bytes",
            Content::Other => b"other bytes, just as long",
            Content::Program => b"MZ\x90\0 runs on a desktop!!!",
        };
        bytes
    }

    #[track_caller]
    pub(crate) fn of(digest: &str) -> Content {
        let has_digest = |content: &Content| hex::encode(Sha256::digest(content.bytes())) == digest;
        let known = [Content::Right, Content::Other, Content::Program]
            .into_iter()
            .find(has_digest);
        known.unwrap_or_else(|| panic!("no file has the digest {digest}"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    Active(Content),
    Trashed(Content),
    Gone,
}
use State::{Active, Gone, Pending, Trashed};

/// State of a file, and the content that was last sent to its upload URL.
pub(crate) type FileState = (State, Option<Content>);

/// State of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpaceState {
    Enabled,
    Disabled,
    Deleted,
}

impl SpaceState {
    /// Returns the state of a space in a dump.
    pub(crate) fn of(dump: &Dump, space: &str) -> SpaceState {
        let key = item_keys::Key::space(space.parse().expect("a space id"));
        let record = dump.item(&key);
        let record = record.filter(|record| record["deleted_at"].is_null());

        match record.map(|record| record["enabled"].as_bool() == Some(true)) {
            Some(true) => SpaceState::Enabled,
            Some(false) => SpaceState::Disabled,
            None => SpaceState::Deleted,
        }
    }
}

/// A file that was created as pending.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) pending: PendingFile,
    pub(crate) space: String,
    pub(crate) presigned_ms: i64,
    pub(crate) state: FileState,
    /// States that the file may be in.
    pub(crate) possible: Vec<FileState>,
    /// Whether bytes may have been sent after the file was deleted.
    pub(crate) may_have_stale_bytes: bool,
}

impl File {
    pub(crate) fn new(space: String, pending: PendingFile, presigned_ms: i64) -> File {
        File {
            pending,
            space,
            presigned_ms,
            state: (Pending, None),
            possible: vec![(Pending, None)],
            may_have_stale_bytes: false,
        }
    }

    pub(crate) fn id(&self) -> &str {
        self.pending.id()
    }

    /// Expects a state after a request, or the one before it too if its effect is not certain.
    pub(crate) fn expect(&mut self, after: FileState, is_certain: bool) {
        self.possible = vec![after];
        if !is_certain {
            self.possible.push(self.state);
        }
    }

    /// Returns the state of the file in a dump.
    pub(crate) fn read_state(&self, dump: &Dump) -> FileState {
        let record = dump.file(&self.space, self.id());
        let content = |record: &Value| Content::of(&text(&record["checksum_sha256"]));
        let state = match record.map(|record| (record, record["status"].as_str())) {
            None => Gone,
            Some((_, Some("pending"))) => Pending,
            Some((record, Some("active"))) => Active(content(record)),
            Some((record, Some("trashed"))) => Trashed(content(record)),
            Some((_, other)) => panic!("{} is {other:?}", self.id()),
        };
        let staged = dump.objects.get(self.pending.object_key());

        (state, staged.map(|digest| Content::of(digest)))
    }
}
