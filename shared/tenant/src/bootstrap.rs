//! What whoever runs Larder does before there is anyone to ask: the first user, their key, their
//! space.

use domain::{
    IdSequence, KeyName, KeySecret, NewSpace, ServiceError, Space, SpaceName, UploadConfig, UserId,
};

use crate::{Tenants, keys::NewKey};

/// Name of the key that is made.
const KEY_NAME: &str = "bootstrap";
/// Name of the first space.
const SPACE_NAME: &str = "My assets";

/// What a bootstrap left behind.
#[derive(Clone, Debug)]
pub struct BootstrapKey {
    /// An account key of the first user that works.
    pub api_key: KeySecret,
    /// Whether the key was made just now, and has to be shown.
    pub is_new: bool,
}

/// Makes sure that there is a user with a key that works: keeps the known key, replaces one that
/// was lost or revoked, and makes user, space and key where there are none yet.
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
    let name = KeyName::parse(KEY_NAME).expect("our own name is valid");
    let new = NewKey {
        name,
        role: None,
        expires_at: None,
    };
    let (_, api_key) = tenants
        .account_keys(user_id)
        .create(new, |_, _| None)
        .await?;
    Ok(BootstrapKey {
        api_key,
        is_new: true,
    })
}

async fn create_first_user(tenants: &Tenants) -> Result<UserId, ServiceError> {
    let user_id = UserId::new(tenants.table.env());
    let name = SpaceName::parse(SPACE_NAME).expect("our own name is valid");
    let space = Space::new(
        NewSpace::named(name),
        &mut IdSequence::new(tenants.table.env()),
        tenants.table.env(),
    );
    let starter = UploadConfig::starter(&space);
    tenants
        .table
        .create_first_user(user_id, &space, &starter)
        .await?;
    Ok(user_id)
}
