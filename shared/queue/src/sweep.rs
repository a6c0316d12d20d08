//! The sweep's jobs: the schedule sends one that says nothing, and a round that is not done goes
//! round with its place.

use domain::{FileId, Revision, SpaceId, Timestamp};
use serde::{Deserialize, Serialize};

/// Remove objects that no record speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepJob {
    /// The round that goes on; without one, a round begins.
    #[serde(default)]
    pub round: Option<SweepRound>,
}

/// A round through all spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepRound {
    /// Objects that were stored until then were judged before.
    pub checked_until: Timestamp,
    /// Objects that were stored until then are judged in this round.
    pub until: Timestamp,
    /// Where it goes on; without one, at the first space.
    pub after: Option<SweepPosition>,
}

/// An original that was looked at. What is behind it has not been yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepPosition {
    /// The space.
    pub space_id: SpaceId,
    /// The file.
    pub file_id: FileId,
    /// The object of that file.
    pub revision: Revision,
}

impl SweepPosition {
    /// The place behind all originals of a space.
    pub fn end_of(space_id: SpaceId) -> SweepPosition {
        SweepPosition {
            space_id,
            file_id: FileId::MAX,
            revision: Revision::MAX,
        }
    }

    /// Whether the space has no original behind this place.
    pub fn is_end_of_space(&self) -> bool {
        *self == SweepPosition::end_of(self.space_id)
    }
}
