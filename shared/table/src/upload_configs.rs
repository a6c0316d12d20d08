//! Upload configs: in their space's partition, by id and by name, and whose a bare id is.

use domain::{
    Completion, Page, PageRequest, Space, SpaceId, UploadConfig, UploadConfigId,
    UploadConfigReference, UserId,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError, WriteError,
    condition::{Condition, text},
    key::{UPLOAD_CONFIGS, space_partition},
    members::Membership,
    read::Range,
    spaces::existing,
    transaction::Transaction,
};

/// Whose an upload config is.
#[derive(Serialize, Deserialize)]
struct ConfigOwner {
    space_id: SpaceId,
}

impl Table {
    /// Writes a new config.
    #[instrument(skip_all)]
    pub async fn create_upload_config(
        &self,
        config: &UploadConfig,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let mut transaction = self.transaction();
        transaction.insert_upload_config(config);
        transaction.commit_with(completion).await
    }

    /// Replaces the version of a config that a change was made from. Returns the new version.
    #[instrument(skip_all)]
    pub async fn change_upload_config(
        &self,
        from: &UploadConfig,
        to: &UploadConfig,
    ) -> Result<u64, WriteError> {
        let to = &UploadConfig {
            version: from.version + 1,
            ..to.clone()
        };
        let name = Key::upload_config_name(to.space_id, &to.name);
        let mut transaction = self.transaction();
        transaction.replace(Key::upload_config(from.space_id, from.id), to, from.version);
        if from.name == to.name {
            transaction.replace(name, to, from.version);
        } else {
            transaction.insert(name, to, Reason::NameTaken);
            transaction.delete_version(
                Key::upload_config_name(from.space_id, &from.name),
                from.version,
            );
        }
        transaction.commit().await?;
        Ok(to.version)
    }

    /// Deletes a config. Fails with [`Reason::ConfigActive`] if it is its space's active one.
    #[instrument(skip_all)]
    pub async fn delete_upload_config(&self, config: &UploadConfig) -> Result<(), WriteError> {
        let is_inactive = Condition::exists()
            .and("active_upload_config_id <> :config")
            .value("config", text(config.id));
        let is_ours = Condition::equals("space_id", text(config.space_id));
        let mut transaction = self.transaction();
        transaction.check(
            Key::space(config.space_id),
            &is_inactive,
            Reason::ConfigActive,
        );
        transaction.delete_version(
            Key::upload_config(config.space_id, config.id),
            config.version,
        );
        transaction.delete_version(
            Key::upload_config_name(config.space_id, &config.name),
            config.version,
        );
        transaction.delete_if(
            Key::upload_config_owner(config.id),
            &is_ours,
            Reason::VersionConflict,
        );
        transaction.commit().await
    }

    /// An upload config of a space, by id or by name.
    #[instrument(skip_all)]
    pub async fn upload_config(
        &self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<Option<UploadConfig>, TableError> {
        self.get(referenced(space, reference)).await
    }

    /// Returns a space and an upload config in it, by id or by name.
    #[instrument(skip_all)]
    pub async fn space_and_upload_config(
        &self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<(Option<Space>, Option<UploadConfig>), TableError> {
        let config = referenced(space, reference);
        let space = Key::space(space);
        let mut found = self.batch_get([space.clone(), config.clone()]).await?;
        Ok((existing(found.take(&space)?), found.take(&config)?))
    }

    /// A space, an upload config in it, and what a user may do there; `None` where any of them is
    /// missing.
    pub async fn space_upload_config_and_membership(
        &self,
        space: SpaceId,
        config: UploadConfigId,
        user: UserId,
    ) -> Result<Option<(Space, UploadConfig, Membership)>, TableError> {
        self.space_record_and_membership(space, Key::upload_config(space, config), user)
            .await
    }

    /// The space of an upload config.
    #[instrument(skip_all)]
    pub async fn space_of_upload_config(
        &self,
        id: UploadConfigId,
    ) -> Result<Option<SpaceId>, TableError> {
        let owner: Option<ConfigOwner> = self.get(Key::upload_config_owner(id)).await?;
        Ok(owner.map(|owner| owner.space_id))
    }

    /// Returns a page of a space's upload configs, newest first.
    #[instrument(skip_all)]
    pub async fn list_upload_configs(
        &self,
        space: SpaceId,
        page_request: &PageRequest,
    ) -> Result<Page<UploadConfig>, TableError> {
        self.page(
            Range::newest_first(space_partition(space), UPLOAD_CONFIGS),
            page_request,
        )
        .await
    }
}

fn referenced(space: SpaceId, reference: &UploadConfigReference) -> Key {
    match reference {
        UploadConfigReference::Id(id) => Key::upload_config(space, *id),
        UploadConfigReference::Name(name) => Key::upload_config_name(space, name),
    }
}

impl Transaction<'_> {
    /// Inserts a config.
    pub(crate) fn insert_upload_config(&mut self, config: &UploadConfig) {
        let owner = ConfigOwner {
            space_id: config.space_id,
        };
        self.insert(
            Key::upload_config(config.space_id, config.id),
            config,
            Reason::IdTaken,
        );
        self.insert(
            Key::upload_config_name(config.space_id, &config.name),
            config,
            Reason::NameTaken,
        );
        self.insert(Key::upload_config_owner(config.id), &owner, Reason::IdTaken);
    }
}
