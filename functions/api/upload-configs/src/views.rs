//! Views of upload configs in responses.

use domain::{
    id::{SpaceId, UploadConfigId},
    keys::Role,
    naming::Description,
    settings::DeliveryType,
    uploads::{UnsignedRestrictions, UploadConfig, UploadConfigName, UploadRules},
};
use http_api::{
    caller::{Action, ManageWebhooks},
    response::Rfc3339,
};
use schemars::JsonSchema;
use serde::Serialize;

/// An upload config without its rules.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UploadConfigSummary")]
pub(crate) struct UploadConfigView {
    id: UploadConfigId,
    /// Id of the space.
    space_id: SpaceId,
    name: UploadConfigName,
    description: Option<Description>,
    /// Whether uploads require a signed or presigned URL.
    is_signed: bool,
    /// Whether uploads without an API key or a signature are allowed.
    allow_unsigned: bool,
    /// Delivery type of uploaded files.
    delivery_type: DeliveryType,
    /// Restrictions of unsigned uploads. Null only if `allow_unsigned` is false.
    unsigned_restrictions: Option<UnsignedRestrictions>,
    created_at: Rfc3339,
    /// Time of the last change.
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

/// An upload config with its rules.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UploadConfig")]
pub(crate) struct DetailedUploadConfigView {
    #[serde(flatten)]
    upload_config: UploadConfigView,
    /// The rules, with defaults for values that were not set.
    config: UploadRules,
}

impl DetailedUploadConfigView {
    /// Creates the view of an upload config for a caller with a role.
    pub(crate) fn of(config: &UploadConfig, role: Role) -> DetailedUploadConfigView {
        let mut rules = config.config.clone();
        if role < ManageWebhooks::MIN_ROLE {
            rules.notifications.webhook_url = None;
        }

        DetailedUploadConfigView {
            upload_config: UploadConfigView::from(config),
            config: rules,
        }
    }
}
