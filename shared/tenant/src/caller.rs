//! Who makes a request, told by their key.

use domain::{KeyId, KeyOwner, KeyScope, Principal, Role, SpaceId, UserId};

/// An authenticated caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    key_id: KeyId,
    scope: KeyScope,
}

impl Caller {
    pub(crate) fn new(key_id: KeyId, scope: KeyScope) -> Caller {
        Caller { key_id, scope }
    }

    /// Number of the key.
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Whom the key speaks for.
    pub fn principal(&self) -> Principal {
        match self.scope {
            KeyScope::Account { user_id } => Principal::User(user_id),
            KeyScope::Space { .. } => Principal::ApiKey(self.key_id),
        }
    }

    /// Whose the key is.
    pub fn owner(&self) -> KeyOwner {
        self.scope.owner()
    }

    /// The user of an account key.
    pub fn user(&self) -> Option<UserId> {
        match self.scope {
            KeyScope::Account { user_id } => Some(user_id),
            KeyScope::Space { .. } => None,
        }
    }

    /// The one space of a space key, and what the key may do there.
    pub fn own_space(&self) -> Option<(SpaceId, Role)> {
        match self.scope {
            KeyScope::Account { .. } => None,
            KeyScope::Space { space_id, role } => Some((space_id, role)),
        }
    }
}
