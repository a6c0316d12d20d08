//! Filters of file lists.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    env::Timestamp,
    errors::FieldError,
    files::{File, ResourceType},
    id::{FileId, FolderId},
    naming::{Tag, text::folded},
    settings::{DeliveryType, FileStatus},
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
    /// Status of the file. Without it, trashed files do not match.
    pub status: Option<FileStatus>,
    /// Folder that contains the file directly; `Some(None)` is the root.
    pub folder: Option<Option<FolderId>>,
    /// Tag of the file.
    pub tag: Option<Tag>,
    /// Prefix of the original name, in any case.
    pub search: Option<NamePrefix>,
    /// Times at which the file was created, from the first to before the second.
    pub created: CreationRange,
}

impl FileFilter {
    /// Whether the file meets all conditions.
    pub fn matches(&self, file: &File) -> bool {
        self.delivery_type
            .is_none_or(|delivery_type| file.delivery_type == delivery_type)
            && self
                .resource_type
                .is_none_or(|resource_type| file.resource_type == resource_type)
            && self
                .status
                .map_or(file.status != FileStatus::Trashed, |status| {
                    file.status == status
                })
            && self.folder.is_none_or(|folder| file.folder_id() == folder)
            && self.tag.as_ref().is_none_or(|tag| file.tags.contains(tag))
            && self
                .search
                .as_ref()
                .is_none_or(|prefix| file.original_name.folded().starts_with(&prefix.0))
            && self.created.contains(file.id)
    }
}

/// A list of files.
#[derive(Clone, Debug, Default)]
pub struct FileList {
    /// Which files it contains.
    pub filter: FileFilter,
    /// Its order, unless the filter has a search: then it is sorted by name.
    pub order: ListOrder,
}

/// Range of the times at which files were created, as their ids state them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreationRange {
    /// Smallest id of the range.
    pub first: FileId,
    /// Largest id of the range. Below the first one if the range is empty.
    pub last: FileId,
}

impl CreationRange {
    /// Returns the range from a time to before another one. An absent bound does not restrict it.
    pub fn new(from: Option<Timestamp>, to: Option<Timestamp>) -> CreationRange {
        CreationRange {
            first: from.map_or(FileId::MIN, FileId::min_at),
            last: to.map_or(FileId::MAX, FileId::max_before),
        }
    }

    fn contains(&self, id: FileId) -> bool {
        (self.first..=self.last).contains(&id)
    }
}

impl Default for CreationRange {
    /// Returns the range of all times.
    fn default() -> CreationRange {
        CreationRange::new(None, None)
    }
}

/// Order of a list by the time at which its records were created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum ListOrder {
    /// The newest first.
    #[default]
    #[serde(rename = "desc")]
    NewestFirst,
    /// The oldest first.
    #[serde(rename = "asc")]
    OldestFirst,
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
