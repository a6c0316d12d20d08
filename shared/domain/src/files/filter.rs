//! Filters of file lists.

use schemars::JsonSchema;

use crate::{
    DeliveryType, FieldError, File, FileStatus, FolderId, ResourceType, Tag, naming::text::folded,
};

/// Maximum number of characters of a name prefix, as of an original name.
const PREFIX_CHARACTERS: usize = 255;

/// Conditions on listed files. A file matches if it meets all that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFilter {
    /// Delivery type of the file.
    pub delivery_type: Option<DeliveryType>,
    /// Resource type of the file.
    pub resource_type: Option<ResourceType>,
    /// Status of the file.
    pub status: Option<FileStatus>,
    /// Folder that contains the file directly; `Some(None)` is the root.
    pub folder: Option<Option<FolderId>>,
    /// Tag of the file.
    pub tag: Option<Tag>,
    /// Prefix of the original name, in any case.
    pub search: Option<NamePrefix>,
}

impl FileFilter {
    /// Whether the file meets all conditions.
    pub fn matches(&self, file: &File) -> bool {
        self.delivery_type
            .is_none_or(|delivery_type| file.delivery_type == delivery_type)
            && self
                .resource_type
                .is_none_or(|resource_type| file.resource_type == resource_type)
            && self.status.is_none_or(|status| file.status == status)
            && self.folder.is_none_or(|folder| file.folder_id() == folder)
            && self.tag.as_ref().is_none_or(|tag| file.tags.contains(tag))
            && self
                .search
                .as_ref()
                .is_none_or(|prefix| file.original_name.folded().starts_with(&prefix.0))
    }
}

/// Prefix of original names, case-folded: 1 to 255 characters, without slashes, backslashes and
/// control characters.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("minLength" = 1, "maxLength" = PREFIX_CHARACTERS, "pattern" = r"^[^/\\\u0000-\u001f\u007f-\u009f]+$"))]
pub struct NamePrefix(String);

impl NamePrefix {
    /// Parses and case-folds a prefix.
    pub fn parse(text: &str) -> Result<NamePrefix, FieldError> {
        if text.is_empty() {
            Err(FieldError::Required)
        } else if text.chars().count() > PREFIX_CHARACTERS {
            Err(FieldError::TooLong(PREFIX_CHARACTERS))
        } else if text
            .chars()
            .any(|character| character.is_control() || matches!(character, '/' | '\\'))
        {
            Err(FieldError::Custom(
                "must not contain slashes, backslashes or control characters",
            ))
        } else {
            Ok(NamePrefix(folded(text)))
        }
    }

    /// Returns the case-folded prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
