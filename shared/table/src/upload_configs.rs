//! Upload configs, stored by id and by name.

use domain::{
    id::SpaceId,
    requests::{Completion, Page, PageRequest},
    uploads::{UploadConfig, UploadConfigReference},
};
use tracing::instrument;

use crate::{
    condition::{Condition, text},
    connection::UploadConfigRecords,
    errors::{Reason, TableError, WriteError},
    key::Key,
    key::{UPLOAD_CONFIGS, space_partition},
    query::Range,
    spaces::{WithSpace, record::SpaceLookup},
    transaction::Transaction,
};

impl UploadConfigRecords<'_> {
    /// Creates a config. Fails with [`Reason::NameTaken`] if its name is taken.
    #[instrument(name = "create_upload_config", skip_all)]
    pub async fn create(
        self,
        config: &UploadConfig,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        transaction.insert_upload_config(config);
        transaction.commit_with(completion).await
    }

    /// Replaces a config if it is still the version `from`. Returns the new version. Fails like
    /// [`UploadConfigRecords::create`].
    #[instrument(name = "change_upload_config", skip_all)]
    pub async fn change(self, from: &UploadConfig, to: &UploadConfig) -> Result<u64, WriteError> {
        let to = &UploadConfig {
            version: from.version + 1,
            ..to.clone()
        };
        let old_name = Key::upload_config_name(from.space_id, &from.name);
        let new_name = Key::upload_config_name(to.space_id, &to.name);

        let mut transaction = self.table.transaction();
        transaction.replace(Key::upload_config(from.space_id, from.id), to, from.version);
        if old_name == new_name {
            transaction.replace(new_name, to, from.version);
        } else {
            transaction.insert(new_name, to, Reason::NameTaken);
            transaction.delete_version(old_name, from.version);
        }

        transaction.commit().await?;
        Ok(to.version)
    }

    /// Deletes a config. Fails with [`Reason::ConfigActive`] if it is its space's active one.
    #[instrument(name = "delete_upload_config", skip_all)]
    pub async fn delete(self, config: &UploadConfig) -> Result<(), WriteError> {
        let is_inactive = Condition::exists()
            .and("active_upload_config_id <> :config")
            .value("config", text(config.id));
        let is_in_space = Condition::equals("space_id", text(config.space_id));
        let space = Key::space(config.space_id);
        let record = Key::upload_config(config.space_id, config.id);
        let name = Key::upload_config_name(config.space_id, &config.name);
        let lookup = Key::upload_config_lookup(config.id);

        let mut transaction = self.table.transaction();
        transaction.check(space, &is_inactive, Reason::ConfigActive);
        transaction.delete_version(record, config.version);
        transaction.delete_version(name, config.version);
        transaction.delete_if(lookup, &is_in_space, Reason::VersionConflict);
        transaction.commit().await
    }

    /// Returns an upload config of a space by id or by name.
    #[instrument(name = "upload_config", skip_all)]
    pub async fn get(
        self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<Option<UploadConfig>, TableError> {
        self.table.get(referenced_key(space, reference)).await
    }

    /// Returns a space and one of its upload configs by id or by name.
    #[instrument(name = "space_with_upload_config", skip_all)]
    pub async fn with_space(
        self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<WithSpace<UploadConfig>, TableError> {
        self.table
            .spaces()
            .with_record(space, referenced_key(space, reference))
            .await
    }

    /// Returns a page of a space's upload configs, newest first.
    #[instrument(name = "list_upload_configs", skip_all)]
    pub async fn list(
        self,
        space: SpaceId,
        page_request: &PageRequest,
    ) -> Result<Page<UploadConfig>, TableError> {
        let range = Range::newest_first(space_partition(space), UPLOAD_CONFIGS);
        self.table.page(range, page_request).await
    }
}

fn referenced_key(space: SpaceId, reference: &UploadConfigReference) -> Key {
    match reference {
        UploadConfigReference::Id(id) => Key::upload_config(space, *id),
        UploadConfigReference::Name(name) => Key::upload_config_name(space, name),
    }
}

impl Transaction<'_> {
    pub(crate) fn insert_upload_config(&mut self, config: &UploadConfig) {
        let record = Key::upload_config(config.space_id, config.id);
        let name = Key::upload_config_name(config.space_id, &config.name);
        let lookup = SpaceLookup {
            space_id: config.space_id,
        };
        self.insert(record, config, Reason::IdTaken);
        self.insert(name, config, Reason::NameTaken);
        self.insert(
            Key::upload_config_lookup(config.id),
            &lookup,
            Reason::IdTaken,
        );
    }
}
