//! Upload configs: what holds for the uploads that name them.

use serde::{Deserialize, Serialize};

use crate::{DeliveryType, Space, SpaceId, Timestamp, UploadConfigId, Violation};

/// Most characters of a config's name.
const NAME_CHARACTERS: usize = 100;
/// The config that every space begins with.
const STARTER: &str = "starter";

/// Name of an upload config: 1 to 100 of `A-Za-z0-9_-`, unlike every other one's in its space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UploadConfigName(String);

impl UploadConfigName {
    /// Takes a text that could be a config's name.
    pub fn parse(text: &str) -> Result<UploadConfigName, Violation> {
        if text.is_empty() {
            Err(Violation::Required)
        } else if text.chars().count() > NAME_CHARACTERS {
            Err(Violation::TooLong(NAME_CHARACTERS))
        } else if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            Ok(UploadConfigName(text.to_owned()))
        } else {
            Err(Violation::Format)
        }
    }

    /// The name's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How an upload names its config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UploadConfigReference {
    /// By id.
    Id(UploadConfigId),
    /// By name.
    Name(UploadConfigName),
}

impl UploadConfigReference {
    /// Takes an id or a name. What can be neither names no config, and is refused as one that names none.
    pub fn parse(text: &str) -> Result<UploadConfigReference, Violation> {
        match text.parse() {
            Ok(id) => Ok(UploadConfigReference::Id(id)),
            Err(_) => UploadConfigName::parse(text).map(UploadConfigReference::Name).map_err(|_| Violation::Unknown),
        }
    }
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
    /// Whether only signed addresses and presigned uploads may use it.
    pub is_signed: bool,
    /// How its files are delivered.
    pub delivery_type: DeliveryType,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl UploadConfig {
    /// The config that a space begins with.
    pub fn starter(space: &Space) -> UploadConfig {
        UploadConfig {
            id: space.active_upload_config_id,
            space_id: space.id,
            name: UploadConfigName(STARTER.to_owned()),
            is_signed: false,
            delivery_type: DeliveryType::Upload,
            created_at: space.created_at,
            updated_at: space.created_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_is_named_by_id_or_by_name() {
        assert!(matches!(UploadConfigReference::parse("01JCQZ4XK8V9W7Y6T5S4R3Q2P1"), Ok(UploadConfigReference::Id(_))));
        assert!(matches!(UploadConfigReference::parse("product_images-2"), Ok(UploadConfigReference::Name(_))));
        for wrong in ["", "a b", "ä", "../x", &"a".repeat(101)] {
            assert_eq!(UploadConfigReference::parse(wrong), Err(Violation::Unknown), "{wrong}");
        }
    }
}
