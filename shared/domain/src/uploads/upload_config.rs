//! Upload configs: named settings and rules of uploads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    env::Timestamp,
    errors::FieldError,
    id::{IdSequence, SpaceId, UploadConfigId},
    keys::Principal,
    naming::{Description, HostPattern, text::nfc},
    settings::DeliveryType,
    spaces::Space,
    uploads::UploadRules,
};

/// Maximum number of characters of a config's name.
const NAME_CHARACTERS: usize = 100;
/// Name of the config that is created with a space.
const STARTER: &str = "starter";

/// Name of an upload config: 1 to 100 characters of `A-Za-z0-9_-`, unique in its space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "maxLength" = NAME_CHARACTERS, "pattern" = "^[A-Za-z0-9_-]+$"))]
pub struct UploadConfigName(String);

impl UploadConfigName {
    /// Parses a config's name.
    pub fn parse(text: &str) -> Result<UploadConfigName, FieldError> {
        let text = nfc(text);

        if text.is_empty() {
            Err(FieldError::Required)
        } else if text.chars().count() > NAME_CHARACTERS {
            Err(FieldError::TooLong(NAME_CHARACTERS))
        } else if text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        {
            Ok(UploadConfigName(text))
        } else {
            Err(FieldError::Custom(
                "must consist of letters, digits, _ and -",
            ))
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Id or name with which a request selects an upload config.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub enum UploadConfigReference {
    /// Id of the config.
    Id(UploadConfigId),
    /// Name of the config.
    Name(UploadConfigName),
}

impl UploadConfigReference {
    /// Parses an id or a name. A malformed text fails with the same error as an unknown config.
    pub fn parse(text: &str) -> Result<UploadConfigReference, FieldError> {
        match text.parse() {
            Ok(id) => Ok(UploadConfigReference::Id(id)),
            Err(_) => UploadConfigName::parse(text)
                .map(UploadConfigReference::Name)
                .map_err(|_| FieldError::InvalidSelection),
        }
    }
}

/// Maximum number of referrer patterns of a config.
pub const MAX_REFERRERS: usize = 100;
/// Maximum of `max_uploads_per_hour` of a config.
pub const MAX_UPLOADS_PER_HOUR: i64 = 1_000;
/// Maximum size of a file from an anonymous caller if the config sets none, in bytes: 50 MB.
pub const MAX_ANONYMOUS_FILE_BYTES: u64 = 50 << 20;

/// Restrictions of unsigned uploads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsignedRestrictions {
    /// Hosts of the pages that may upload; at least one. `example.com` allows this host alone,
    /// `*.example.com` its subdomains at any depth, without `example.com` itself. Scheme, port and
    /// path of a page do not matter.
    pub allowed_referrers: Vec<HostPattern>,
    /// Whether the page and the upload must use HTTPS.
    pub require_https: bool,
    /// Maximum number of uploads per clock hour. Null applies the default of the installation.
    pub max_uploads_per_hour: Option<u64>,
}

/// Settings of an upload config to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewUploadConfig {
    /// Name, unique in the space.
    pub name: UploadConfigName,
    /// Free text for users.
    pub description: Option<Description>,
    /// Whether only signed URLs and presigned uploads can use it.
    pub is_signed: bool,
    /// Whether unsigned uploads are allowed.
    pub allow_unsigned: bool,
    /// Restrictions of unsigned uploads.
    pub unsigned_restrictions: Option<UnsignedRestrictions>,
    /// Delivery type of its files.
    pub delivery_type: DeliveryType,
    /// Rules for its files.
    pub config: UploadRules,
}

/// Stored record of an upload config.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UploadConfig {
    /// Id of the config.
    pub id: UploadConfigId,
    /// Space of the config.
    pub space_id: SpaceId,
    /// Name, unique in the space.
    pub name: UploadConfigName,
    /// Free text for users.
    pub description: Option<Description>,
    /// Whether only signed URLs and presigned uploads can use it.
    pub is_signed: bool,
    /// Whether unsigned uploads are allowed.
    pub allow_unsigned: bool,
    /// Restrictions of unsigned uploads; kept while unsigned uploads are disabled.
    pub unsigned_restrictions: Option<UnsignedRestrictions>,
    /// Delivery type of its files.
    pub delivery_type: DeliveryType,
    /// Rules for its files.
    pub config: UploadRules,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Number of writes, for optimistic locking.
    pub version: u64,
}

impl UploadConfig {
    /// Creates a config in a space.
    pub fn new(
        new: NewUploadConfig,
        space_id: SpaceId,
        ids: &mut IdSequence,
        now: Timestamp,
    ) -> UploadConfig {
        UploadConfig {
            id: UploadConfigId::from_sequence(ids),
            space_id,
            name: new.name,
            description: new.description,
            is_signed: new.is_signed,
            allow_unsigned: new.allow_unsigned,
            unsigned_restrictions: new.unsigned_restrictions,
            delivery_type: new.delivery_type,
            config: new.config,
            created_at: now,
            updated_at: now,
            version: 0,
        }
    }

    /// Returns the rules for uploads of a principal. For anonymous callers they always contain a
    /// maximum size.
    pub fn rules_for(&self, uploaded_by: Principal) -> UploadRules {
        let mut rules = self.config.clone();
        if uploaded_by.is_anonymous() {
            rules
                .validation
                .max_file_size
                .get_or_insert(MAX_ANONYMOUS_FILE_BYTES);
        }
        rules
    }

    /// Returns the config's maximum number of unsigned uploads per clock hour.
    pub fn max_uploads_per_hour(&self) -> Option<u64> {
        self.unsigned_restrictions.as_ref()?.max_uploads_per_hour
    }

    /// Creates the first config of a space.
    pub fn starter(space: &Space) -> UploadConfig {
        UploadConfig {
            id: space.active_upload_config_id,
            space_id: space.id,
            name: UploadConfigName(STARTER.to_owned()),
            description: None,
            is_signed: false,
            allow_unsigned: false,
            unsigned_restrictions: None,
            delivery_type: DeliveryType::Upload,
            config: UploadRules::default(),
            created_at: space.created_at,
            updated_at: space.created_at,
            version: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_parses_ids_and_names() {
        assert!(matches!(
            UploadConfigReference::parse("01JCQZ4XK8V9W7Y6T5S4R3Q2P1"),
            Ok(UploadConfigReference::Id(_))
        ));
        assert!(matches!(
            UploadConfigReference::parse("product_images-2"),
            Ok(UploadConfigReference::Name(_))
        ));

        for wrong in ["", "a b", "ä", "../x", &"a".repeat(101)] {
            assert_eq!(
                UploadConfigReference::parse(wrong),
                Err(FieldError::InvalidSelection),
                "{wrong}"
            );
        }
    }
}
