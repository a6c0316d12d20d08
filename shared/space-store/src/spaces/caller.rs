//! The authenticated caller of a request.

use domain::{
    errors::ServiceError,
    id::{SpaceId, UserId},
    keys::{KeyId, KeyOwner, KeyScope, Principal, Role},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    key_id: KeyId,
    scope: KeyScope,
}

/// The space of a space key, and the key's role there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceRole {
    pub space_id: SpaceId,
    pub role: Role,
}

impl Caller {
    pub(crate) fn new(key_id: KeyId, scope: KeyScope) -> Caller {
        Caller { key_id, scope }
    }

    /// Returns the id of the caller's key.
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Returns the principal that records name as their creator.
    pub fn principal(&self) -> Principal {
        match self.scope {
            KeyScope::Account { user_id } => Principal::User(user_id),
            KeyScope::Space { .. } => Principal::ApiKey(self.key_id),
        }
    }

    /// Returns the user or the space that owns the key.
    pub fn owner(&self) -> KeyOwner {
        self.scope.owner()
    }

    /// Returns the user of an account key; `None` for a space key.
    pub fn user(&self) -> Option<UserId> {
        match self.scope {
            KeyScope::Account { user_id } => Some(user_id),
            KeyScope::Space { .. } => None,
        }
    }

    /// Returns space and role of a space key; `None` for an account key.
    pub fn space_role(&self) -> Option<SpaceRole> {
        match self.scope {
            KeyScope::Account { .. } => None,
            KeyScope::Space { space_id, role } => Some(SpaceRole { space_id, role }),
        }
    }

    /// Fails with 403 if the role of a space key is below `min`, before it is known which space the
    /// request is for. Succeeds for an account key, whose role depends on the space.
    pub fn require_in_own_space(&self, min: Role) -> Result<(), ServiceError> {
        self.space_role()
            .map_or(Ok(()), |own| own.role.require(min))
    }
}
