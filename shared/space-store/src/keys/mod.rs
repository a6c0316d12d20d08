//! API keys: those of a space, and those of an account with its default space.

mod account;
mod bootstrap;

pub use account::{Account, Accounts};
pub use bootstrap::{Bootstrap, bootstrap, recover_key};

use domain::{
    env::Timestamp,
    errors::ServiceError,
    keys::{ApiKey, KeyId, KeyOwner, KeyScope, KeySecret, Role},
    naming::KeyName,
    requests::{Completion, Page, PageRequest},
};
use table::Table;

use crate::spaces::{SpaceLists, SpaceScope};

/// Properties of a new key.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Name of the key.
    pub name: KeyName,
    /// Role of a space key; `None` for its creator's role.
    pub role: Option<Role>,
    /// Time at which the key expires.
    pub expires_at: Option<Timestamp>,
}

/// A key that was just created, with its secret, which is not stored.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    pub key: ApiKey,
    pub secret: KeySecret,
}

/// The keys of a space or of a user.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    table: &'a Table,
    /// Scope of a new key, unless another role is requested.
    scope: KeyScope,
}

impl SpaceScope {
    pub fn keys(&self) -> Keys<'_> {
        Keys {
            table: &self.table,
            scope: KeyScope::Space {
                space_id: self.record.id,
                role: self.role(),
            },
        }
    }
}

impl Keys<'_> {
    /// Creates a key. `complete` returns the completion of the request's idempotency reservation.
    pub async fn create(
        self,
        new: NewKey,
        complete: impl FnOnce(&ApiKey, &KeySecret) -> Option<Completion>,
    ) -> Result<CreatedKey, ServiceError> {
        let created = self.draft(new).await?;
        let completion = complete(&created.key, &created.secret);
        self.table
            .keys()
            .create(&created.key, completion.as_ref())
            .await?;
        Ok(created)
    }

    /// Returns a key with a new id. It is not stored.
    pub(crate) async fn draft(self, new: NewKey) -> Result<CreatedKey, ServiceError> {
        let env = self.table.env();
        let now = env.now();
        let secret = KeySecret::new(env);

        let scope = match self.scope {
            KeyScope::Space { space_id, role } => KeyScope::Space {
                space_id,
                role: new.role.unwrap_or(role),
            },
            account @ KeyScope::Account { .. } => account,
        };

        let key = ApiKey {
            id: self.table.keys().next_id().await?,
            name: new.name,
            scope,
            hash: secret.hash(),
            last_four: secret.last_four().to_owned(),
            is_revoked: false,
            expires_at: new.expires_at,
            last_used_at: None,
            created_at: now,
            updated_at: now,
        };

        Ok(CreatedKey { key, secret })
    }

    /// Revokes a key from the next request on. Returns `false` if there is no such key. Idempotent.
    pub async fn revoke(self, id: KeyId) -> Result<bool, ServiceError> {
        let Some(key) = self.table.keys().listed(self.scope.owner(), id).await? else {
            return Ok(false);
        };

        // The list is written last, so a key that is revoked there needs no further write.
        if !key.is_revoked {
            self.table.keys().revoke(&key).await?;
        }
        Ok(true)
    }
}

impl SpaceLists {
    /// Returns a page of API keys, newest first, including revoked ones.
    pub async fn keys(&self, page_request: &PageRequest) -> Result<Page<ApiKey>, ServiceError> {
        let page = self
            .table
            .keys()
            .list(KeyOwner::Space(self.space), page_request);
        Ok(page.await?)
    }
}
