//! Upload configs as the API shows them.

use domain::{
    DeliveryType, Description, SpaceId, UnsignedRestrictions, UploadConfig, UploadConfigId,
    UploadConfigName, UploadRules,
};
use schemars::JsonSchema;
use serde::Serialize;
use web::Rfc3339;

/// A config as lists show it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UploadConfigView {
    id: UploadConfigId,
    space_id: SpaceId,
    name: UploadConfigName,
    description: Option<Description>,
    is_signed: bool,
    allow_unsigned: bool,
    delivery_type: DeliveryType,
    unsigned_restrictions: Option<UnsignedRestrictions>,
    created_at: Rfc3339,
    updated_at: Rfc3339,
}

impl From<&UploadConfig> for UploadConfigView {
    fn from(config: &UploadConfig) -> UploadConfigView {
        UploadConfigView {
            id: config.id,
            space_id: config.space_id,
            name: config.name.clone(),
            description: config.description.clone(),
            is_signed: config.is_signed,
            allow_unsigned: config.allow_unsigned,
            delivery_type: config.delivery_type,
            unsigned_restrictions: config.unsigned_restrictions.clone(),
            created_at: config.created_at.into(),
            updated_at: config.updated_at.into(),
        }
    }
}

/// A config in full: what was not said shows its default.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DetailedUploadConfigView {
    #[serde(flatten)]
    upload_config: UploadConfigView,
    config: UploadRules,
}

impl From<&UploadConfig> for DetailedUploadConfigView {
    fn from(config: &UploadConfig) -> DetailedUploadConfigView {
        DetailedUploadConfigView {
            upload_config: UploadConfigView::from(config),
            config: config.config.clone(),
        }
    }
}
