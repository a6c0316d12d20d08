//! Jobs of the sweep. The schedule sends an empty job, and a round that is not complete sends one
//! with its position.

use domain::{FileId, Revision, SpaceId, Timestamp};
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

/// The position of an original in a round, by space, file and revision, or of a variant, which follow all
/// originals of their space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepPosition {
    /// The space.
    pub space_id: SpaceId,
    /// The file.
    pub file_id: FileId,
    /// The revision of the file's bytes.
    pub revision: Revision,
    /// Position of the variant in the list of the space, empty before the first one; `None` for an
    /// original.
    #[serde(default)]
    pub variant: Option<String>,
}

impl SweepPosition {
    /// Returns the position after all originals and variants of a space.
    pub fn end_of(space_id: SpaceId) -> SweepPosition {
        SweepPosition {
            space_id,
            file_id: FileId::MAX,
            revision: Revision::MAX,
            variant: None,
        }
    }

    /// Returns the position of a variant; an empty one precedes the first variant of the space.
    pub fn of_variant(space_id: SpaceId, variant: String) -> SweepPosition {
        SweepPosition {
            variant: Some(variant),
            ..SweepPosition::end_of(space_id)
        }
    }

    /// Returns whether neither an original nor a variant of the space follows.
    pub fn is_end_of_space(&self) -> bool {
        *self == SweepPosition::end_of(self.space_id)
    }
}
