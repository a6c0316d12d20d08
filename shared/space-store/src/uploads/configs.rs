//! The upload configs of a space.

use domain::{
    errors::{FieldErrors, ServiceError},
    files::File,
    id::{IdSequence, UploadConfigId},
    keys::{Principal, Role},
    requests::{Completion, Page, PageRequest},
    uploads::{NewUploadConfig, UploadConfig, UploadConfigReference, UploadRules},
};

use crate::spaces::{SpaceLists, SpaceScope};

/// Minimum role for reading upload configs.
pub const CONFIG_READ_ROLE: Role = Role::User;

/// The upload configs of a space.
#[derive(Clone, Copy, Debug)]
pub struct UploadConfigs<'a> {
    space: &'a SpaceScope,
}

impl SpaceScope {
    pub fn upload_configs(&self) -> UploadConfigs<'_> {
        UploadConfigs { space: self }
    }
}

impl UploadConfigs<'_> {
    /// Returns the referenced upload config, or the active one if there is no reference.
    pub async fn get(
        self,
        reference: Option<&UploadConfigReference>,
    ) -> Result<Option<UploadConfig>, ServiceError> {
        let active = UploadConfigReference::Id(self.space.record.active_upload_config_id);
        let reference = reference.unwrap_or(&active);
        Ok(self
            .space
            .table
            .upload_configs()
            .get(self.space.record.id, reference)
            .await?)
    }

    /// Returns the current rules for new bytes of a file: those of its upload config, or the
    /// default ones if it was deleted.
    pub async fn rules_of(self, file: &File, by: Principal) -> Result<UploadRules, ServiceError> {
        let reference = UploadConfigReference::Id(file.upload_config_id);
        let config = self.get(Some(&reference)).await?;
        Ok(config
            .map(|config| config.rules_for(by))
            .unwrap_or_default())
    }

    /// Creates an upload config. `complete` returns the completion of the request's idempotency
    /// reservation.
    pub async fn create(
        self,
        new: NewUploadConfig,
        mut ids: IdSequence,
        complete: impl FnOnce(&UploadConfig) -> Option<Completion>,
    ) -> Result<UploadConfig, ServiceError> {
        let config = UploadConfig::new(new, self.space.record.id, &mut ids, self.space.now());
        let completion = complete(&config);
        self.space
            .table
            .upload_configs()
            .create(&config, completion.as_ref())
            .await?;
        Ok(config)
    }

    /// Changes an upload config. On a conflict, `change` is applied to the current version.
    pub async fn change(
        self,
        from: UploadConfig,
        change: impl Fn(&mut UploadConfig) -> Result<(), FieldErrors>,
    ) -> Result<UploadConfig, ServiceError> {
        let id = from.id;
        let change = &change;
        let write = |from: UploadConfig| async move {
            let mut changed = from.clone();
            change(&mut changed)?;
            changed.updated_at = self.space.now();
            let version = self
                .space
                .table
                .upload_configs()
                .change(&from, &changed)
                .await?;
            Ok(UploadConfig { version, ..changed })
        };

        self.space
            .table
            .retry_on_conflict(from, || self.current(id), write)
            .await
    }

    /// Deletes an upload config. Fails with 409 if it is the active one.
    pub async fn delete(self, config: UploadConfig) -> Result<(), ServiceError> {
        let id = config.id;
        let delete = |config: UploadConfig| async move {
            Ok(self.space.table.upload_configs().delete(&config).await?)
        };

        self.space
            .table
            .retry_on_conflict(config, || self.current(id), delete)
            .await
    }

    /// Returns the current version of an upload config. Fails with 404 if it was deleted.
    async fn current(self, id: UploadConfigId) -> Result<UploadConfig, ServiceError> {
        let reference = UploadConfigReference::Id(id);
        let config = self
            .space
            .table
            .upload_configs()
            .get(self.space.record.id, &reference)
            .await?;
        config.ok_or_else(ServiceError::not_found)
    }
}

impl SpaceLists {
    /// Returns a page of upload configs, newest first.
    pub async fn upload_configs(
        &self,
        page_request: &PageRequest,
    ) -> Result<Page<UploadConfig>, ServiceError> {
        let page = self.table.upload_configs().list(self.space, page_request);
        Ok(page.await?)
    }
}
