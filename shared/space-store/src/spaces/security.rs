//! Errors of security settings that upload configs exclude.

use domain::{FieldError, FieldErrors, PageRequest};
use table::{ChangeError, Reason, TableError, WriteError};

use super::SpaceScope;

/// Number of upload configs that are read at a time for an error that names some of them.
const CONFIGS_PER_PAGE: u16 = 100;
/// Maximum number of these reads.
const MAX_CONFIG_PAGES: usize = 20;
/// Maximum number of names in the error.
const MAX_NAMES: usize = 100;

impl SpaceScope {
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
}
