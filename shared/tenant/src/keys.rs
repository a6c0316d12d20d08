//! The API keys of a space, and those of a user.

use domain::{
    ApiKey, Completion, KeyId, KeyName, KeyScope, KeySecret, Page, PageRequest, Role, ServiceError,
    Timestamp, UserId,
};
use table::Table;

use crate::{SpaceScope, Tenants};

/// What a caller says of a key to be made.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// What it is for.
    pub name: KeyName,
    /// What a space key may do; as much as its creator, where that is not said.
    pub role: Option<Role>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

/// The keys of a space or of a user.
#[derive(Clone, Debug)]
pub struct Keys {
    table: Table,
    /// The scope of a key that is made without saying more.
    scope: KeyScope,
}

impl SpaceScope {
    /// This space's keys.
    pub fn keys(&self) -> Keys {
        Keys {
            table: self.table.clone(),
            scope: KeyScope::Space {
                space_id: self.record.id,
                role: self.role(),
            },
        }
    }
}

impl Tenants {
    /// A user's account keys.
    pub fn account_keys(&self, user_id: UserId) -> Keys {
        Keys {
            table: self.table.clone(),
            scope: KeyScope::Account { user_id },
        }
    }
}

impl Keys {
    /// Makes a key. The secret is in the answer and nowhere else. `complete` ends the request that
    /// it is made for.
    pub async fn create(
        &self,
        new: NewKey,
        complete: impl FnOnce(&ApiKey, &KeySecret) -> Option<Completion>,
    ) -> Result<(ApiKey, KeySecret), ServiceError> {
        let secret = KeySecret::new(self.table.env());
        let now = self.table.env().now();
        let scope = match self.scope {
            KeyScope::Space { space_id, role } => KeyScope::Space {
                space_id,
                role: new.role.unwrap_or(role),
            },
            account @ KeyScope::Account { .. } => account,
        };
        let key = ApiKey {
            id: self.table.next_key_id().await?,
            name: new.name,
            scope,
            hash: secret.hash(),
            last_four: secret.last_four().to_owned(),
            is_active: true,
            expires_at: new.expires_at,
            last_used_at: None,
            created_at: now,
            updated_at: now,
        };
        self.table
            .create_key(&key, complete(&key, &secret).as_ref())
            .await?;
        Ok((key, secret))
    }

    /// A page of the keys, newest first, revoked ones included.
    pub async fn list(&self, page_request: &PageRequest) -> Result<Page<ApiKey>, ServiceError> {
        Ok(self
            .table
            .list_keys(self.scope.owner(), page_request)
            .await?)
    }

    /// Revokes a key, from the next request on; `false` where there is none. Safe to repeat.
    pub async fn revoke(&self, id: KeyId) -> Result<bool, ServiceError> {
        let Some(key) = self.table.listed_key(self.scope.owner(), id).await? else {
            return Ok(false);
        };
        // The list is written last: a key that is revoked there is revoked, and keeps the moment.
        if key.is_active {
            self.table.revoke_key(&key).await?;
        }
        Ok(true)
    }
}
