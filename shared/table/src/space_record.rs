//! Stored forms of a space: its record, the record by handle, and what belongs to it.
//!
//! Invariant: a deleted space reads as absent, although its record exists until it is purged.

use domain::{Space, SpaceId};
use serde::{Deserialize, Serialize};

/// Lookup item: the id of a folder or an upload config → the id of its space.
#[derive(Serialize, Deserialize)]
pub(crate) struct SpaceLookup {
    pub(crate) space_id: SpaceId,
}

/// The item of a handle.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum ByHandle {
    Space(Box<Space>),
    Retired(#[expect(dead_code, reason = "the variant carries the meaning")] RetiredHandle),
}

/// Marks the handle of a purged space, which no other space can take.
#[derive(Serialize, Deserialize)]
pub(crate) struct RetiredHandle {
    pub(crate) is_retired: bool,
}

impl ByHandle {
    /// Returns the space, unless it was deleted.
    pub(crate) fn space(self) -> Option<Space> {
        match self {
            ByHandle::Space(space) => existing(Some(*space)),
            ByHandle::Retired(_) => None,
        }
    }
}

/// Returns the space, unless it was deleted.
pub(crate) fn existing(space: Option<Space>) -> Option<Space> {
    space.filter(|space| space.deleted_at.is_none())
}

/// A space and one of its records, read together. Each is `None` if it does not exist.
#[derive(Clone, Debug)]
pub struct WithSpace<T> {
    /// The space.
    pub space: Option<Space>,
    /// The record.
    pub record: Option<T>,
}
