//! Renditions that are ready to be delivered.

use domain::renditions::RenditionLocation;
use space_store::objects::{NewRendition, RenditionInfo, StoredRendition};

/// A rendition that is stored. Its bytes are not read yet.
#[derive(Debug)]
pub struct FoundRendition {
    /// Where it is stored.
    pub location: RenditionLocation,
    pub stored: StoredRendition,
}

/// A rendition that is ready to be delivered. If its bytes are not needed, it can be dropped.
#[derive(Debug)]
pub enum ReadyRendition {
    /// Found where an earlier request stored it.
    Stored(FoundRendition),
    /// Rendered for this request.
    Rendered {
        rendition: NewRendition,
        /// Where it is stored; `None` if it is not, because its file has as many renditions as it
        /// may have.
        location: Option<RenditionLocation>,
    },
}

impl ReadyRendition {
    /// Returns type and dimensions.
    pub fn info(&self) -> &RenditionInfo {
        match self {
            ReadyRendition::Stored(found) => &found.stored.info,
            ReadyRendition::Rendered { rendition, .. } => &rendition.info,
        }
    }

    /// Returns the size in bytes.
    pub fn size_bytes(&self) -> u64 {
        match self {
            ReadyRendition::Stored(found) => found.stored.size_bytes,
            ReadyRendition::Rendered { rendition, .. } => rendition.bytes.len() as u64,
        }
    }

    /// Returns where it is stored; `None` if it is not.
    pub fn location(&self) -> Option<&RenditionLocation> {
        match self {
            ReadyRendition::Stored(found) => Some(&found.location),
            ReadyRendition::Rendered { location, .. } => location.as_ref(),
        }
    }
}
