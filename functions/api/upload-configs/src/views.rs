//! Upload configs as the API shows them.

use domain::{DeliveryType, UnsignedRestrictions, UploadConfig, UploadRules};
use serde::Serialize;

/// A config as lists show it.
#[derive(Serialize)]
pub(crate) struct UploadConfigView {
    id: String,
    space_id: String,
    name: String,
    description: Option<String>,
    is_signed: bool,
    allow_unsigned: bool,
    delivery_type: DeliveryType,
    unsigned_restrictions: Option<UnsignedRestrictions>,
    created_at: String,
    updated_at: String,
}

impl From<&UploadConfig> for UploadConfigView {
    fn from(config: &UploadConfig) -> UploadConfigView {
        UploadConfigView {
            id: config.id.to_string(),
            space_id: config.space_id.to_string(),
            name: config.name.as_str().to_owned(),
            description: config.description.as_ref().map(|description| description.as_str().to_owned()),
            is_signed: config.is_signed,
            allow_unsigned: config.allow_unsigned,
            delivery_type: config.delivery_type,
            unsigned_restrictions: config.unsigned_restrictions.clone(),
            created_at: config.created_at.rfc3339(),
            updated_at: config.updated_at.rfc3339(),
        }
    }
}

/// A config in full: what was not said shows its default.
#[derive(Serialize)]
pub(crate) struct DetailedUploadConfigView {
    #[serde(flatten)]
    upload_config: UploadConfigView,
    config: UploadRules,
}

impl From<&UploadConfig> for DetailedUploadConfigView {
    fn from(config: &UploadConfig) -> DetailedUploadConfigView {
        DetailedUploadConfigView { upload_config: UploadConfigView::from(config), config: config.config.clone() }
    }
}
