//! What a list of files is narrowed down to.

use schemars::JsonSchema;

use crate::{
    DeliveryType, FieldError, File, FileStatus, FolderId, ResourceType, Tag, naming::text::folded,
};

/// Most characters of a prefix that is searched for: a name has no more.
const PREFIX_CHARACTERS: usize = 255;

/// The files that are asked for: those for which all of it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFilter {
    /// How they are delivered.
    pub delivery_type: Option<DeliveryType>,
    /// What kind of thing they are.
    pub resource_type: Option<ResourceType>,
    /// Whether their bytes are there.
    pub status: Option<FileStatus>,
    /// The folder they are right in: `Some(None)` is none.
    pub folder: Option<Option<FolderId>>,
    /// What they are marked with.
    pub tag: Option<Tag>,
    /// What their original names begin with.
    pub search: Option<NamePrefix>,
}

impl FileFilter {
    /// Whether a file is asked for.
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

/// The beginning of an original name, whatever the case: 1 to 255 characters, none of which no name
/// can have.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("minLength" = 1, "maxLength" = PREFIX_CHARACTERS, "pattern" = r"^[^/\\\u0000-\u001f\u007f-\u009f]+$"))]
pub struct NamePrefix(String);

impl NamePrefix {
    /// Takes a prefix.
    pub fn parse(text: &str) -> Result<NamePrefix, FieldError> {
        if text.is_empty() {
            Err(FieldError::Required)
        } else if text.chars().count() > PREFIX_CHARACTERS {
            Err(FieldError::TooLong(PREFIX_CHARACTERS))
        } else if text
            .chars()
            .any(|character| character.is_control() || matches!(character, '/' | '\\'))
        {
            Err(FieldError::InvalidFormat)
        } else {
            Ok(NamePrefix(folded(text)))
        }
    }

    /// The prefix as names are compared with it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
