//! Upload configs: what holds for the uploads that name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    DeliveryType, Description, FieldError, IdSequence, Principal, ReferrerPattern, Space, SpaceId,
    Timestamp, UploadConfigId, UploadRules, naming::text::nfc,
};

/// Most characters of a config's name.
const NAME_CHARACTERS: usize = 100;
/// The config that every space begins with.
const STARTER: &str = "starter";

/// Name of an upload config: 1 to 100 of `A-Za-z0-9_-`, unlike every other one's in its space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "maxLength" = NAME_CHARACTERS, "pattern" = "^[A-Za-z0-9_-]+$"))]
pub struct UploadConfigName(String);

impl UploadConfigName {
    /// Takes a text that could be a config's name.
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
            Err(FieldError::InvalidFormat)
        }
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How an upload names its config.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub enum UploadConfigReference {
    /// By id.
    Id(UploadConfigId),
    /// By name.
    Name(UploadConfigName),
}

impl UploadConfigReference {
    /// Takes an id or a name. What can be neither names no config, and is refused as one that names
    /// none.
    pub fn parse(text: &str) -> Result<UploadConfigReference, FieldError> {
        match text.parse() {
            Ok(id) => Ok(UploadConfigReference::Id(id)),
            Err(_) => UploadConfigName::parse(text)
                .map(UploadConfigReference::Name)
                .map_err(|_| FieldError::InvalidSelection),
        }
    }
}

/// Most referrers that a config allows.
pub const MAX_REFERRERS: usize = 100;
/// Most unsigned uploads an hour that a config may allow.
pub const MAX_UPLOADS_PER_HOUR: i64 = 1_000;
/// Maximum size of an anonymous file whose config sets none, in bytes: 50 MB.
pub const MAX_ANONYMOUS_FILE_BYTES: u64 = 50 << 20;

/// From where, and how often, strangers may upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsignedRestrictions {
    /// The pages they may come from; at least one.
    pub allowed_referrers: Vec<ReferrerPattern>,
    /// Whether only pages and connections that nobody could change count.
    pub require_https: bool,
    /// Maximum number of uploads in a clock hour; the deployment's default applies where there is
    /// none.
    pub max_uploads_per_hour: Option<u64>,
}

/// What a caller says of an upload config to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewUploadConfig {
    /// Its name.
    pub name: UploadConfigName,
    /// What it is for.
    pub description: Option<Description>,
    /// Whether only signed addresses and presigned uploads may use it.
    pub is_signed: bool,
    /// Whether strangers may upload by it.
    pub allow_unsigned: bool,
    /// From where they may.
    pub unsigned_restrictions: Option<UnsignedRestrictions>,
    /// How its files are delivered.
    pub delivery_type: DeliveryType,
    /// What it asks of files.
    pub config: UploadRules,
}

/// An upload config's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UploadConfig {
    /// Its id.
    pub id: UploadConfigId,
    /// The space it belongs to.
    pub space_id: SpaceId,
    /// Its name.
    pub name: UploadConfigName,
    /// What it is for.
    pub description: Option<Description>,
    /// Whether only signed addresses and presigned uploads may use it.
    pub is_signed: bool,
    /// Whether strangers may upload by it.
    pub allow_unsigned: bool,
    /// From where strangers may upload by it; kept also while they may not.
    pub unsigned_restrictions: Option<UnsignedRestrictions>,
    /// How its files are delivered.
    pub delivery_type: DeliveryType,
    /// What it asks of files.
    pub config: UploadRules,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// How often it was changed: whoever changes it says which version they changed.
    pub version: u64,
}

impl UploadConfig {
    /// A new config of a space.
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

    /// Returns the rules for uploads of a principal. Anonymous files have a maximum size also where
    /// the config sets none.
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

    /// Returns the maximum number of unsigned uploads in a clock hour, where the config states one.
    pub fn max_uploads_per_hour(&self) -> Option<u64> {
        self.unsigned_restrictions.as_ref()?.max_uploads_per_hour
    }

    /// The config that a space begins with.
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
    fn a_config_is_named_by_id_or_by_name() {
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
