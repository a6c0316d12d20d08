//! How much a space holds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::files::ResourceType;

/// Number and size of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FileCount")]
pub struct FileCount {
    /// Number of files.
    pub files: u64,
    /// Size of their originals, in bytes.
    pub bytes: u64,
}

/// The active and trashed files of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Usage {
    /// All active files.
    #[serde(flatten)]
    pub total: FileCount,
    /// Active files of each resource type.
    pub by_resource_type: BTreeMap<&'static str, FileCount>,
    /// Files in the trash.
    pub trashed: FileCount,
}

impl Usage {
    /// Returns the usage with this count of the active files of each resource type, and of trashed
    /// files.
    pub fn of(count: impl Fn(ResourceType) -> FileCount, trashed: FileCount) -> Usage {
        let mut total = FileCount::default();
        let mut by_resource_type = BTreeMap::new();
        for resource_type in ResourceType::ALL {
            let counted = count(resource_type);
            total.files += counted.files;
            total.bytes += counted.bytes;
            by_resource_type.insert(resource_type.name(), counted);
        }
        Usage {
            total,
            by_resource_type,
            trashed,
        }
    }
}
