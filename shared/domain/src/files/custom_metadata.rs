//! Metadata that clients assign to a file: strings by name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{errors::FieldError, naming::text::MetadataValue};

/// Maximum number of characters of a name.
const KEY_CHARACTERS: usize = 40;
/// Maximum number of values of a file.
pub const MAX_METADATA_VALUES: usize = 20;
/// Regular expression (ECMA-262) of a name.
const KEY_PATTERN: &str = "^[a-z0-9_]{1,40}$";
/// The field error of another name.
const NOT_A_KEY: FieldError =
    FieldError::Custom("must have a name of 1 to 40 characters of a-z, 0-9 and _");

/// Values of the client by name: up to 20 strings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("maxProperties" = MAX_METADATA_VALUES, "propertyNames" = {"pattern": KEY_PATTERN}))]
pub struct CustomMetadata(BTreeMap<String, MetadataValue>);

impl CustomMetadata {
    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses a name and its value.
    pub fn parse_entry(key: &str, value: &str) -> Result<(String, MetadataValue), FieldError> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if key.is_empty() || key.len() > KEY_CHARACTERS || !key.bytes().all(is_allowed) {
            return Err(NOT_A_KEY);
        }
        Ok((key.to_owned(), MetadataValue::parse(value)?))
    }
}

impl FromIterator<(String, MetadataValue)> for CustomMetadata {
    fn from_iter<I: IntoIterator<Item = (String, MetadataValue)>>(values: I) -> CustomMetadata {
        CustomMetadata(values.into_iter().collect())
    }
}
