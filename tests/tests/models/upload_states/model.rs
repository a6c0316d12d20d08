//! What is known of an announced file: by what was done, and by what is kept.

use serde_json::Value;
use sha2::{Digest, Sha256};
use tests::Dump;

/// Bytes of a file.
pub(crate) const LENGTH: usize = 25;

/// What is sent, or was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Right,
    Other,
    /// Refused by every space.
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
        let is_it = |content: &Content| hex::encode(Sha256::digest(content.bytes())) == digest;
        let known = [Content::Right, Content::Other, Content::Program]
            .into_iter()
            .find(is_it);
        known.unwrap_or_else(|| panic!("nobody has sent {digest}"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    Active(Content),
    Gone,
}
use State::{Active, Gone, Pending};

/// A file's state, and what was sent for it last.
pub(crate) type Seen = (State, Option<Content>);

/// Whether a space takes files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Enabled,
    Disabled,
    Deleted,
}

impl Standing {
    /// How a space is, by what is kept.
    pub(crate) fn of(dump: &Dump, space: &str) -> Standing {
        let record = dump
            .items
            .get(&(format!("SPACE#{space}"), "SPACE".to_owned()));
        let record = record.filter(|record| record["deleted_at"].is_null());

        match record.map(|record| record["enabled"].as_bool() == Some(true)) {
            Some(true) => Standing::Enabled,
            Some(false) => Standing::Disabled,
            None => Standing::Deleted,
        }
    }
}

/// An announced file, as it was seen last.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) id: String,
    pub(crate) space: String,
    pub(crate) url: String,
    pub(crate) presigned_ms: i64,
    pub(crate) seen: Seen,
    /// What it may be by now.
    pub(crate) outlook: Vec<Seen>,
    /// Whether something may have been sent for it when it was gone.
    pub(crate) may_have_stale_bytes: bool,
}

impl File {
    /// How it is now, by what is kept.
    pub(crate) fn look(&self, dump: &Dump) -> Seen {
        let record = dump
            .items
            .get(&(format!("SPACE#{}", self.space), format!("FILE#{}", self.id)));
        let state = match record.map(|record| record["status"].as_str()) {
            None => Gone,
            Some(Some("pending")) => Pending,
            Some(Some("active")) => Active(Content::of(
                record.map_or("", |record| text(record, "checksum_sha256")),
            )),
            Some(other) => panic!("{} is {other:?}", self.id),
        };
        let staged = dump
            .objects
            .get(&format!("staging/{}/{}", self.space, self.id));

        (state, staged.map(|digest| Content::of(digest)))
    }
}

/// A text of a record.
#[track_caller]
pub(crate) fn text<'a>(record: &'a Value, field: &str) -> &'a str {
    record[field]
        .as_str()
        .unwrap_or_else(|| panic!("no {field}: {record}"))
}
