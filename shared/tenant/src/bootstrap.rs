//! Creates the first user, space and API key, which no API request can create.

use domain::{
    IdSequence, KeyName, KeySecret, NewSpace, ServiceError, Space, SpaceName, UploadConfig, UserId,
};

use crate::{Tenants, keys::NewKey};

/// Name of the created key.
const KEY_NAME: &str = "bootstrap";
/// Name of the first space.
const SPACE_NAME: &str = "My assets";

/// The key that a bootstrap returns.
#[derive(Clone, Debug)]
pub struct BootstrapKey {
    /// A valid account key of the first user.
    pub api_key: KeySecret,
    /// Whether the key was just created, and has to be shown.
    pub is_new: bool,
}

/// Ensures that a user with a valid key exists. Keeps `known_key` if it is valid. Otherwise creates
/// a key, and before it the first user and space if there are none.
pub async fn bootstrap(
    tenants: &Tenants,
    known_key: Option<&str>,
) -> Result<BootstrapKey, ServiceError> {
    if let Some(secret) = known_key.and_then(KeySecret::parse)
        && let Some(caller) = tenants.authenticate(&secret).await?
        && caller.user().is_some()
    {
        return Ok(BootstrapKey {
            api_key: secret,
            is_new: false,
        });
    }

    let user_id = match tenants.table.first_user().await? {
        Some(user_id) => user_id,
        None => create_first_user(tenants).await?,
    };
    let new_key = NewKey {
        name: KeyName::parse(KEY_NAME).expect("the constant is a valid name"),
        role: None,
        expires_at: None,
    };
    let created = tenants
        .account_keys(user_id)
        .create(new_key, |_, _| None)
        .await?;
    Ok(BootstrapKey {
        api_key: created.secret,
        is_new: true,
    })
}

async fn create_first_user(tenants: &Tenants) -> Result<UserId, ServiceError> {
    let env = tenants.table.env();
    let user_id = UserId::new(env);
    let name = SpaceName::parse(SPACE_NAME).expect("the constant is a valid name");
    let space = Space::new(NewSpace::named(name), &mut IdSequence::new(env), env);
    let starter = UploadConfig::starter(&space);

    tenants
        .table
        .create_first_user(user_id, &space, &starter)
        .await?;
    Ok(user_id)
}
