//! The account of a caller: its keys, and its default space.

use domain::{
    errors::ServiceError,
    id::{SpaceId, UserId},
    keys::{ApiKey, KeyOwner, KeyScope, Role},
    requests::{Page, PageRequest},
};

use super::Keys;
use crate::spaces::{Caller, SpaceRole, SpaceScope, Tenants};

#[derive(Clone, Debug)]
pub struct Account {
    /// The user of an account key; `None` for a space key.
    pub user: Option<UserId>,
    /// The key of the request.
    pub key: ApiKey,
    /// The role of a space key; `None` for an account key.
    pub role: Option<Role>,
    /// The space of requests that do not name one: a space key's own space, or the user's choice if
    /// it still exists and the user is a member of it.
    pub default_space_id: Option<SpaceId>,
}

/// The accounts of callers.
#[derive(Clone, Copy, Debug)]
pub struct Accounts<'a> {
    tenants: &'a Tenants,
}

impl Tenants {
    pub fn accounts(&self) -> Accounts<'_> {
        Accounts { tenants: self }
    }
}

impl<'a> Accounts<'a> {
    /// Returns the caller's account. Fails with 401 if a space key's space was deleted.
    pub async fn get(self, caller: &Caller) -> Result<Account, ServiceError> {
        match (caller.space_role(), caller.user()) {
            (Some(own), _) => self.space_key_account(caller, own).await,
            (None, Some(user)) => self.user_account(caller, user).await,
            (None, None) => Err(ServiceError::internal(
                "a key belongs neither to a user nor to a space",
            )),
        }
    }

    async fn space_key_account(
        self,
        caller: &Caller,
        own: SpaceRole,
    ) -> Result<Account, ServiceError> {
        let found = self
            .tenants
            .table
            .keys()
            .with_space(own.space_id, caller.key_id())
            .await?;

        let (Some(space), Some(key)) = (found.space, found.record) else {
            return Err(ServiceError::unauthenticated());
        };

        Ok(Account {
            user: None,
            key,
            role: Some(own.role),
            default_space_id: Some(space.id),
        })
    }

    async fn user_account(self, caller: &Caller, user: UserId) -> Result<Account, ServiceError> {
        let found = self
            .tenants
            .table
            .members()
            .user_with_key(user, caller.key_id())
            .await?;
        let key = found
            .key
            .ok_or_else(|| ServiceError::internal("a key is missing in its owner's list"))?;

        let chosen = found.user.and_then(|user| user.default_space_id);
        let default_space = match chosen {
            Some(id) => self.tenants.spaces().get(caller, id).await?,
            None => None,
        };

        Ok(Account {
            user: Some(user),
            key,
            role: None,
            default_space_id: default_space.map(|space| space.record.id),
        })
    }

    /// Returns the space of requests that do not name one.
    pub async fn default_space(self, caller: &Caller) -> Result<Option<SpaceScope>, ServiceError> {
        let id = match (caller.space_role(), caller.user()) {
            (Some(own), _) => Some(own.space_id),
            (None, Some(user)) => {
                let user = self.tenants.table.members().user(user).await?;
                user.and_then(|user| user.default_space_id)
            }
            (None, None) => None,
        };
        match id {
            Some(id) => self.tenants.spaces().get(caller, id).await,
            None => Ok(None),
        }
    }

    /// Sets the space of requests that do not name one. Returns `false` if the caller has no access
    /// to such a space.
    pub async fn set_default_space(
        self,
        caller: &Caller,
        user: UserId,
        id: SpaceId,
    ) -> Result<bool, ServiceError> {
        let is_accessible = self.tenants.spaces().get(caller, id).await?.is_some();
        if is_accessible {
            self.tenants
                .table
                .members()
                .set_default_space(user, id)
                .await?;
        }
        Ok(is_accessible)
    }

    /// Returns a user's account keys.
    pub fn keys(self, user_id: UserId) -> Keys<'a> {
        Keys {
            table: &self.tenants.table,
            scope: KeyScope::Account { user_id },
        }
    }

    /// Returns a page of a user's account keys, newest first, including revoked ones.
    pub async fn list_keys(
        self,
        user_id: UserId,
        page_request: &PageRequest,
    ) -> Result<Page<ApiKey>, ServiceError> {
        let owner = KeyOwner::User(user_id);
        Ok(self.tenants.table.keys().list(owner, page_request).await?)
    }
}
