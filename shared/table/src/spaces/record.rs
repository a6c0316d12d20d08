//! Stored forms of a space: its record, the lookup of its id, and what belongs to it.
//!
//! Invariant: a deleted space reads as absent, although its record exists until it is purged.

use domain::{id::SpaceId, spaces::Space};
use serde::{Deserialize, Serialize};

/// Lookup item: the id of a folder or an upload config, or a handle → the id of its space.
#[derive(Serialize, Deserialize)]
pub(crate) struct SpaceLookup {
    pub(crate) space_id: SpaceId,
}

/// The item of a handle.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum HandleOwner {
    Space(SpaceLookup),
    Retired(#[expect(dead_code, reason = "the rendition carries the meaning")] RetiredHandle),
}

/// Marks the handle of a purged space, which no other space can take.
#[derive(Serialize, Deserialize)]
pub(crate) struct RetiredHandle {
    pub(crate) is_retired: bool,
}

impl HandleOwner {
    /// Returns the id of the space, unless it was purged.
    pub(crate) fn space_id(&self) -> Option<SpaceId> {
        match self {
            HandleOwner::Space(lookup) => Some(lookup.space_id),
            HandleOwner::Retired(_) => None,
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
    pub space: Option<Space>,
    pub record: Option<T>,
}
