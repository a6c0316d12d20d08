//! Who a caller is: their key, and which space is meant where none is named.

use domain::{ApiKey, Role, ServiceError, SpaceId, UserId};

use crate::{Caller, SpaceScope, Tenants};

/// A caller's account.
#[derive(Clone, Debug)]
pub struct Account {
    /// The user of an account key.
    pub user: Option<UserId>,
    /// The key that they call with.
    pub key: ApiKey,
    /// What a space key may do.
    pub role: Option<Role>,
    /// The space that is meant where none is named: a space key's own, or the one that the user
    /// chose, where it is there.
    pub default_space_id: Option<SpaceId>,
}

impl Tenants {
    /// The caller's account.
    pub async fn account(&self, caller: &Caller) -> Result<Account, ServiceError> {
        if let Some((space, role)) = caller.own_space() {
            // A key goes with its space, also while its record is still there.
            let (space, key) = self.table.space_and_key(space, caller.key_id()).await?;
            let (space, key) = space.zip(key).ok_or_else(ServiceError::unauthenticated)?;
            return Ok(Account {
                user: None,
                key,
                role: Some(role),
                default_space_id: Some(space.id),
            });
        }
        let user = caller
            .user()
            .ok_or_else(|| ServiceError::internal("a key is neither a user's nor a space's"))?;
        let (record, key) = self.table.user_and_key(user, caller.key_id()).await?;
        let key =
            key.ok_or_else(|| ServiceError::internal("a key is missing among its owner's"))?;
        let chosen = record.and_then(|user| user.default_space_id);
        let default_space_id = match chosen {
            Some(id) => self.space(caller, id).await?.map(|space| space.record.id),
            None => None,
        };
        Ok(Account {
            user: Some(user),
            key,
            role: None,
            default_space_id,
        })
    }

    /// The space that is meant where the caller names none.
    pub async fn default_space(&self, caller: &Caller) -> Result<Option<SpaceScope>, ServiceError> {
        let id = match (caller.own_space(), caller.user()) {
            (Some((own, _)), _) => Some(own),
            (None, Some(user)) => self
                .table
                .user(user)
                .await?
                .and_then(|user| user.default_space_id),
            (None, None) => None,
        };
        match id {
            Some(id) => self.space(caller, id).await,
            None => Ok(None),
        }
    }

    /// Chooses the space that is meant where the user names none; `false` where it is none that
    /// they may know of.
    pub async fn set_default_space(
        &self,
        caller: &Caller,
        user: UserId,
        id: SpaceId,
    ) -> Result<bool, ServiceError> {
        let known = self.space(caller, id).await?.is_some();
        if known {
            self.table.set_default_space(user, id).await?;
        }
        Ok(known)
    }
}
