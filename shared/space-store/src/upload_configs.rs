//! The upload configs of a space.

use domain::{
    Completion, FieldError, FieldErrors, IdSequence, NewUploadConfig, PageRequest, Role,
    ServiceError, UploadConfig, UploadConfigId, UploadConfigReference,
};
use table::{ChangeError, Reason, TableError, WriteError};

use crate::SpaceScope;

/// Minimum role for reading upload configs.
pub const CONFIG_READ_ROLE: Role = Role::User;
/// Number of upload configs that are read at a time for an error that names some of them.
const CONFIGS_PER_PAGE: u16 = 100;
/// Maximum number of these reads.
const MAX_CONFIG_PAGES: usize = 20;
/// Maximum number of names in the error.
const MAX_NAMES: usize = 100;

impl SpaceScope {
    /// Returns the referenced upload config, or the active one if there is no reference.
    pub async fn upload_config(
        &self,
        reference: Option<&UploadConfigReference>,
    ) -> Result<Option<UploadConfig>, ServiceError> {
        let active = UploadConfigReference::Id(self.record.active_upload_config_id);
        let reference = reference.unwrap_or(&active);
        Ok(self
            .table
            .upload_configs()
            .get(self.record.id, reference)
            .await?)
    }

    /// Creates an upload config. `complete` returns the completion of the request's idempotency
    /// reservation.
    pub async fn create_upload_config(
        &self,
        new: NewUploadConfig,
        mut ids: IdSequence,
        complete: impl FnOnce(&UploadConfig) -> Option<Completion>,
    ) -> Result<UploadConfig, ServiceError> {
        let config = UploadConfig::new(new, self.record.id, &mut ids, self.now());
        let completion = complete(&config);
        self.table
            .upload_configs()
            .create(&config, completion.as_ref())
            .await?;
        Ok(config)
    }

    /// Changes an upload config. On a conflict, `change` is applied to the current version.
    pub async fn change_upload_config(
        &self,
        from: UploadConfig,
        change: impl Fn(&mut UploadConfig) -> Result<(), FieldErrors>,
    ) -> Result<UploadConfig, ServiceError> {
        let id = from.id;
        let change = &change;
        let write = |from: UploadConfig| async move {
            let mut changed = from.clone();
            change(&mut changed)?;
            changed.updated_at = self.now();
            let version = self.table.upload_configs().change(&from, &changed).await?;
            Ok(UploadConfig { version, ..changed })
        };

        self.table
            .retry_on_conflict(from, || self.current_upload_config(id), write)
            .await
    }

    /// Deletes an upload config. Fails with 409 if it is the active one.
    pub async fn delete_upload_config(&self, config: UploadConfig) -> Result<(), ServiceError> {
        let id = config.id;
        let delete = |config: UploadConfig| async move {
            Ok(self.table.upload_configs().delete(&config).await?)
        };

        self.table
            .retry_on_conflict(config, || self.current_upload_config(id), delete)
            .await
    }

    /// Returns the error of a write of security settings. If upload configs exclude its watermark, names
    /// them.
    pub(crate) async fn security_error(&self, error: WriteError) -> ChangeError {
        if !matches!(error, WriteError::ConditionFailed(Reason::AvifConfigs)) {
            return error.into();
        }
        match self.avif_configs().await {
            Ok(names) if names.is_empty() => error.into(),
            Ok(names) => {
                let field_error = FieldError::AvifConfigs(names.join(", "));
                FieldErrors::from(("security.watermark.enabled", field_error)).into()
            }
            Err(failed) => failed.into(),
        }
    }

    /// Returns the names of the newest upload configs that convert images to AVIF, at most [`MAX_NAMES`]. Looks at
    /// the newest 2,000 configs.
    async fn avif_configs(&self) -> Result<Vec<String>, TableError> {
        let mut names = Vec::new();
        let mut page_request = PageRequest::first(CONFIGS_PER_PAGE);
        for _ in 0..MAX_CONFIG_PAGES {
            let page = self
                .table
                .upload_configs()
                .list(self.record.id, &page_request)
                .await?;
            let converting = page.items.iter().filter(|config| config.converts_to_avif());
            names.extend(converting.map(|config| config.name.as_str().to_owned()));

            page_request.cursor = page.next;
            if page_request.cursor.is_none() || names.len() >= MAX_NAMES {
                break;
            }
        }
        names.truncate(MAX_NAMES);
        Ok(names)
    }

    /// Returns the current version of an upload config. Fails with 404 if it was deleted.
    async fn current_upload_config(
        &self,
        id: UploadConfigId,
    ) -> Result<UploadConfig, ServiceError> {
        let reference = UploadConfigReference::Id(id);
        let config = self
            .table
            .upload_configs()
            .get(self.record.id, &reference)
            .await?;
        config.ok_or_else(ServiceError::not_found)
    }
}
