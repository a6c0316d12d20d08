//! Jobs of the sweep. The schedule sends an empty job, and a round that is not complete sends one
//! with its position.

use domain::{
    env::Timestamp,
    id::{FileId, Revision, SpaceId},
    renditions::Retention,
};
use serde::{Deserialize, Serialize};

use crate::Job;

/// Deletes objects that are no longer used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepJob {
    /// The round to continue; `None` to start a new one.
    #[serde(default)]
    pub round: Option<SweepRound>,
}

impl Job for SweepJob {
    fn space_id(&self) -> Option<SpaceId> {
        None
    }
}

/// A round through all spaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepRound {
    /// Objects that were stored up to this time were checked in earlier rounds.
    pub checked_until: Timestamp,
    /// Objects that were stored up to this time are checked in this round.
    pub until: Timestamp,
    /// Position to continue after; `None` to start at the first space.
    pub after: Option<SweepPosition>,
}

/// The position of an original in a round, by space, file and revision, or of a rendition, which
/// follow all originals of their space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepPosition {
    pub space_id: SpaceId,
    pub file_id: FileId,
    /// The revision of the file's bytes.
    pub revision: Revision,
    /// The rendition; `None` for an original.
    #[serde(default)]
    pub rendition: Option<RenditionPosition>,
}

/// The position of a rendition in the lists of a space: first the permanent ones, then the expiring
/// ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenditionPosition {
    pub retention: Retention,
    /// Position in the list, empty before the first rendition.
    pub after: String,
}

impl RenditionPosition {
    /// Position before the first rendition of a space.
    pub const START: RenditionPosition = RenditionPosition {
        retention: Retention::Permanent,
        after: String::new(),
    };

    /// Returns the start of the next list; `None` after the last one.
    pub fn next_list(&self) -> Option<RenditionPosition> {
        (self.retention == Retention::Permanent).then(|| RenditionPosition {
            retention: Retention::Expiring,
            after: String::new(),
        })
    }
}

impl SweepPosition {
    /// Returns the position after all originals and renditions of a space.
    pub fn end_of(space_id: SpaceId) -> SweepPosition {
        SweepPosition {
            space_id,
            file_id: FileId::MAX,
            revision: Revision::MAX,
            rendition: None,
        }
    }

    /// Returns the position of a rendition.
    pub fn of_rendition(space_id: SpaceId, rendition: RenditionPosition) -> SweepPosition {
        SweepPosition {
            rendition: Some(rendition),
            ..SweepPosition::end_of(space_id)
        }
    }

    /// Returns whether neither an original nor a rendition of the space follows.
    pub fn is_end_of_space(&self) -> bool {
        *self == SweepPosition::end_of(self.space_id)
    }
}
