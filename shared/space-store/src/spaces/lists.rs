//! The lists of a space. With a space key, a list does not wait for the record of the space.

use domain::{errors::ServiceError, id::SpaceId, keys::Role};
use table::Table;

use super::{Caller, SpaceScope, Tenants};

/// The lists of one space.
#[derive(Clone, Debug)]
pub struct SpaceLists {
    pub(crate) table: Table,
    pub(crate) space: SpaceId,
}

impl Tenants {
    /// Returns the lists of the own space of a space key; `None` for an account key. Fails with 403
    /// if the role of the key is below `min`. The space may be deleted, so a list must not be
    /// returned without the [`SpaceScope`].
    pub fn own_lists(
        &self,
        caller: &Caller,
        min: Role,
    ) -> Result<Option<SpaceLists>, ServiceError> {
        caller.require_in_own_space(min)?;
        Ok(caller.space_role().map(|own| SpaceLists {
            table: self.table.clone(),
            space: own.space_id,
        }))
    }
}

impl SpaceLists {
    /// Returns the lists of a space.
    pub fn of(space: &SpaceScope) -> SpaceLists {
        SpaceLists {
            table: space.table.clone(),
            space: space.record.id,
        }
    }

    /// Returns the id of the space.
    pub fn space_id(&self) -> SpaceId {
        self.space
    }
}
