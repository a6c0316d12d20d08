//! Tags of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::text::{LINE_PATTERN, nfc};
use crate::errors::FieldError;

/// Maximum number of tags of a file.
pub const MAX_TAGS: usize = 20;

/// Maximum number of characters of a tag.
const TAG_CHARACTERS: usize = 100;

/// Tag of a file in Unicode NFC: 1 to 100 characters on one line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = 1, "maxLength" = TAG_CHARACTERS, "pattern" = LINE_PATTERN))]
pub struct Tag(String);

impl Tag {
    /// Normalizes and validates a tag.
    pub fn parse(text: &str) -> Result<Tag, FieldError> {
        let text = nfc(text);
        if text.is_empty() {
            Err(FieldError::Required)
        } else if text.chars().count() > TAG_CHARACTERS {
            Err(FieldError::TooLong(TAG_CHARACTERS))
        } else if text.chars().any(char::is_control) {
            Err(FieldError::ControlCharacters)
        } else {
            Ok(Tag(text))
        }
    }

    /// Returns the tag as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Removes duplicates and keeps the order.
    pub fn dedup(tags: Vec<Tag>) -> Vec<Tag> {
        let mut unique: Vec<Tag> = Vec::new();
        for tag in tags {
            if !unique.contains(&tag) {
                unique.push(tag);
            }
        }
        unique
    }
}
