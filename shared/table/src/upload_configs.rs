//! Upload configs: in their space's partition, by id and by name, and whose a bare id is.

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use domain::{Space, SpaceId, UploadConfig, UploadConfigId, UploadConfigReference};
use serde::{Deserialize, Serialize};

use crate::{
    Completion, Error, Key, Listing, Page, Table,
    key::{UPLOAD_CONFIGS, space_partition, upload_config_sort},
    spaces::existing,
    write::NotWritten,
};

/// Why an upload config was not written.
#[derive(Debug)]
pub enum ConfigRefused {
    /// Another config of the space has its name.
    NameTaken,
    /// It is its space's active one.
    Active,
    /// Somebody changed it in the meantime, or it is gone.
    Stale,
    /// The table failed.
    Failed(Error),
}

impl From<Error> for ConfigRefused {
    fn from(error: Error) -> ConfigRefused {
        ConfigRefused::Failed(error)
    }
}

/// Whose an upload config is.
#[derive(Serialize, Deserialize)]
struct ConfigOwner {
    space_id: SpaceId,
}

/// The place of the name among the members of a creation and of a change.
const NAME_MEMBER: usize = 1;
/// The place of the space among the members of a deletion.
const SPACE_MEMBER: usize = 0;

impl Table {
    /// The members of a transaction that makes a config: first itself, then its name.
    pub(crate) fn members_of_new_config(&self, config: &UploadConfig) -> Result<[TransactWriteItem; 3], Error> {
        Ok([
            self.put_new(Key::upload_config(config.space_id, config.id), config)?,
            self.put_new(Key::upload_config_name(config.space_id, &config.name), config)?,
            self.put_new(Key::upload_config_owner(config.id), &ConfigOwner { space_id: config.space_id })?,
        ])
    }

    /// Writes a new config.
    pub async fn create_upload_config(
        &self,
        config: &UploadConfig,
        completion: Option<&Completion>,
    ) -> Result<(), ConfigRefused> {
        let members = self.members_of_new_config(config)?.into();
        match self.transact(members, completion).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(refused)) if refused == [NAME_MEMBER] => Err(ConfigRefused::NameTaken),
            Err(NotWritten::Refused(_)) => Err(Error::busy("a fresh id was taken").into()),
            Err(NotWritten::Failed(error)) => Err(error.into()),
        }
    }

    /// Writes a changed config over the one that it was made from. Gives the version that was written.
    pub async fn change_upload_config(&self, from: &UploadConfig, to: &UploadConfig) -> Result<u64, ConfigRefused> {
        let to = &UploadConfig { version: from.version + 1, ..to.clone() };
        let is_version = ("version", AttributeValue::N(from.version.to_string()));
        let name = Key::upload_config_name(to.space_id, &to.name);
        let mut members = vec![self.put_over(Key::upload_config(from.space_id, from.id), to, is_version.clone())?];
        if from.name == to.name {
            members.push(self.put_over(name, to, is_version)?);
        } else {
            members.push(self.put_new(name, to)?);
            members.push(self.delete_where(Key::upload_config_name(from.space_id, &from.name), is_version)?);
        }
        match self.transact(members, None).await {
            Ok(()) => Ok(to.version),
            Err(NotWritten::Refused(refused)) if refused == [NAME_MEMBER] && from.name != to.name => {
                Err(ConfigRefused::NameTaken)
            }
            Err(NotWritten::Refused(_)) => Err(ConfigRefused::Stale),
            Err(NotWritten::Failed(error)) => Err(error.into()),
        }
    }

    /// Removes a config, unless it is its space's active one.
    pub async fn delete_upload_config(&self, config: &UploadConfig) -> Result<(), ConfigRefused> {
        let is_version = ("version", AttributeValue::N(config.version.to_string()));
        let is_active = ("active_upload_config_id", AttributeValue::S(config.id.to_string()));
        let is_ours = ("space_id", AttributeValue::S(config.space_id.to_string()));
        let members = vec![
            self.differs(Key::space(config.space_id), is_active)?,
            self.delete_where(Key::upload_config(config.space_id, config.id), is_version.clone())?,
            self.delete_where(Key::upload_config_name(config.space_id, &config.name), is_version)?,
            self.delete_where(Key::upload_config_owner(config.id), is_ours)?,
        ];
        match self.transact(members, None).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(refused)) if refused.contains(&SPACE_MEMBER) => Err(ConfigRefused::Active),
            Err(NotWritten::Refused(_)) => Err(ConfigRefused::Stale),
            Err(NotWritten::Failed(error)) => Err(error.into()),
        }
    }

    /// An upload config of a space, by id or by name.
    pub async fn upload_config(
        &self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<Option<UploadConfig>, Error> {
        self.get(referenced(space, reference)).await
    }

    /// Returns a space and an upload config in it, by id or by name.
    pub async fn space_and_upload_config(
        &self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<(Option<Space>, Option<UploadConfig>), Error> {
        let config = referenced(space, reference);
        let space = Key::space(space);
        let mut found = self.get_together([space.clone(), config.clone()]).await?;
        Ok((existing(found.take(&space)?), found.take(&config)?))
    }

    /// The space of an upload config.
    pub async fn space_of_upload_config(&self, id: UploadConfigId) -> Result<Option<SpaceId>, Error> {
        let owner: Option<ConfigOwner> = self.get(Key::upload_config_owner(id)).await?;
        Ok(owner.map(|owner| owner.space_id))
    }

    /// A page of a space's upload configs.
    pub async fn list_upload_configs(
        &self,
        space: SpaceId,
        listing: Listing<UploadConfigId>,
    ) -> Result<Page<UploadConfig>, Error> {
        self.page(space_partition(space), UPLOAD_CONFIGS, listing, upload_config_sort).await
    }
}

fn referenced(space: SpaceId, reference: &UploadConfigReference) -> Key {
    match reference {
        UploadConfigReference::Id(id) => Key::upload_config(space, *id),
        UploadConfigReference::Name(name) => Key::upload_config_name(space, name),
    }
}
