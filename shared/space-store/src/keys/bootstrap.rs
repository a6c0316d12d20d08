//! Creates the first user, space and API key, which no API request can create.

use domain::{
    errors::ServiceError,
    id::{IdSequence, UserId},
    keys::KeySecret,
    naming::{KeyName, SpaceName},
    spaces::{NewSpace, Space},
    uploads::UploadConfig,
};
use table::{
    errors::{Reason, WriteError},
    spaces::FirstUserRecords,
};

use super::{CreatedKey, NewKey};
use crate::spaces::Tenants;

/// Name of the first key.
const FIRST_KEY: &str = "bootstrap";
/// Name of the keys that replace lost ones.
const RECOVERED_KEY: &str = "recovery";
/// Name of the first space.
const SPACE_NAME: &str = "My assets";

#[derive(Clone, Debug)]
pub enum Bootstrap {
    /// The first user, their space and this account key were created.
    Created(KeySecret),
    /// There is a user. Nothing was written.
    Exists,
}

/// Creates the first user with a space and an account key, all or nothing, unless there is a user.
/// One of several concurrent calls creates them.
pub async fn bootstrap(tenants: &Tenants) -> Result<Bootstrap, ServiceError> {
    if tenants.table.members().first_user().await?.is_some() {
        return Ok(Bootstrap::Exists);
    }

    let env = tenants.table.env();
    let user_id = UserId::new(env);
    let name = SpaceName::parse(SPACE_NAME).expect("the constant is a valid name");
    let space = Space::new(NewSpace::named(name), &mut IdSequence::new(env), env);
    let keys = tenants.accounts().keys(user_id);
    let CreatedKey { key, secret } = keys.draft(account_key(FIRST_KEY)).await?;

    let first = FirstUserRecords {
        user_id,
        starter: UploadConfig::starter(&space),
        space,
        key,
    };
    match tenants.table.members().create_first_user(&first).await {
        Ok(()) => Ok(Bootstrap::Created(secret)),
        Err(WriteError::ConditionFailed(Reason::FirstUserExists)) => Ok(Bootstrap::Exists),
        Err(error) => Err(error.into()),
    }
}

/// Creates another account key of the first user. Returns `None` if there are no users.
pub async fn recover_key(tenants: &Tenants) -> Result<Option<KeySecret>, ServiceError> {
    let Some(user_id) = tenants.table.members().first_user().await? else {
        return Ok(None);
    };
    let keys = tenants.accounts().keys(user_id);
    let created = keys.create(account_key(RECOVERED_KEY), |_, _| None).await?;
    Ok(Some(created.secret))
}

fn account_key(name: &str) -> NewKey {
    NewKey {
        name: KeyName::parse(name).expect("the constant is a valid name"),
        role: None,
        expires_at: None,
    }
}
