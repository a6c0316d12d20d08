//! The API keys of a space.

use domain::{ApiKey, Fault, KeyId, KeyName, KeyScope, KeySecret, Role, Sources, Timestamp};
use table::{KeyPage, Listing};

use crate::Space;

impl Space {
    /// Makes a key of this space. The secret is in the answer and nowhere else.
    pub async fn create_key(
        &self,
        name: KeyName,
        role: Role,
        expires_at: Option<Timestamp>,
        sources: &Sources,
    ) -> Result<(ApiKey, KeySecret), Fault> {
        let scope = KeyScope::Space { space_id: self.record().id, role };
        create(&self.table, name, scope, expires_at, sources).await
    }

    /// A page of this space's keys, newest first, revoked ones included.
    pub async fn list_keys(&self, listing: Listing, limit: u16) -> Result<KeyPage, Fault> {
        Ok(self.table.list_keys(&self.listed_scope(), listing, limit).await?)
    }

    /// Revokes a key of this space, from the next request on; `false` where it has no such key. Safe to repeat.
    pub async fn revoke_key(&self, id: KeyId, now: Timestamp) -> Result<bool, Fault> {
        let Some(key) = self.table.listed_key(&self.listed_scope(), id).await? else { return Ok(false) };
        self.table.revoke_key(&key, now).await?;
        Ok(true)
    }

    /// The scope under which this space's keys are listed, whatever their role.
    fn listed_scope(&self) -> KeyScope {
        KeyScope::Space { space_id: self.record().id, role: Role::Viewer }
    }
}

/// Makes a key of any scope.
pub(crate) async fn create(
    table: &table::Table,
    name: KeyName,
    scope: KeyScope,
    expires_at: Option<Timestamp>,
    sources: &Sources,
) -> Result<(ApiKey, KeySecret), Fault> {
    let secret = KeySecret::new(sources);
    let now = sources.now();
    let key = ApiKey {
        id: table.next_key_id().await?,
        name,
        scope,
        hash: secret.hash(),
        last_four: secret.last_four().to_owned(),
        is_active: true,
        expires_at,
        last_used_at: None,
        created_at: now,
        updated_at: now,
    };
    table.create_key(&key, sources).await?;
    Ok((key, secret))
}
