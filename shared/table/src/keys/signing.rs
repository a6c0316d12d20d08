//! Reads of the keys that upload URLs were signed with.

use domain::{
    id::{SpaceId, UploadConfigId},
    keys::{ApiKey, Role},
    spaces::Space,
    uploads::{SigningApiKey, UploadConfig},
};
use tracing::instrument;

use crate::{
    connection::KeyRecords,
    errors::TableError,
    key::Key,
    read::FoundItems,
    spaces::{Membership, record::existing},
};

/// A key, and its role in the space that it signed for.
#[derive(Clone, Debug)]
pub struct KeyInSpace {
    pub key: ApiKey,
    /// Role of the key, or of the user of an account key.
    pub role: Option<Role>,
}

/// What a signed URL names. Each is `None` if it does not exist.
#[derive(Clone, Debug)]
pub struct SignedScope {
    pub space: Option<Space>,
    pub config: Option<UploadConfig>,
    pub key: Option<KeyInSpace>,
}

impl KeyRecords<'_> {
    /// Returns a space, one of its upload configs, and the key that a URL for them was signed with.
    #[instrument(skip_all)]
    pub async fn signed_scope(
        self,
        space: SpaceId,
        config: UploadConfigId,
        key: SigningApiKey,
    ) -> Result<SignedScope, TableError> {
        let space_key = Key::space(space);
        let config_key = Key::upload_config(space, config);
        let keys = [space_key.clone(), config_key.clone()];
        let mut found = self
            .table
            .batch_get(keys.into_iter().chain(items(space, key)))
            .await?;

        Ok(SignedScope {
            space: existing(found.take(&space_key)?),
            config: found.take(&config_key)?,
            key: take(&mut found, space, key)?,
        })
    }

    /// Returns the key that a URL for a space was signed with.
    #[instrument(name = "signing_key", skip_all)]
    pub async fn signing(
        self,
        space: SpaceId,
        key: SigningApiKey,
    ) -> Result<Option<KeyInSpace>, TableError> {
        let mut found = self.table.batch_get(items(space, key)).await?;
        take(&mut found, space, key)
    }
}

/// Returns the keys of the items that a signing key depends on.
fn items(space: SpaceId, key: SigningApiKey) -> impl Iterator<Item = Key> {
    let membership = key.user_id.map(|user| Key::membership(user, space));
    let listed = Key::listed_api_key(key.owner(space), key.id);
    [listed].into_iter().chain(membership)
}

fn take(
    found: &mut FoundItems,
    space: SpaceId,
    signing: SigningApiKey,
) -> Result<Option<KeyInSpace>, TableError> {
    let listed = Key::listed_api_key(signing.owner(space), signing.id);
    let key: Option<ApiKey> = found.take(&listed)?;
    let Some(key) = key else { return Ok(None) };

    let role = match signing.user_id {
        Some(user) => {
            let membership: Option<Membership> = found.take(&Key::membership(user, space))?;
            membership.map(|membership| membership.role)
        }
        None => key.scope.space_role(),
    };
    Ok(Some(KeyInSpace { key, role }))
}
