//! Variants that are ready to be delivered.

use domain::VariantLocation;
use space_store::{StoredVariant, VariantInfo};

use crate::Rendition;

/// A variant that is stored. Its bytes are not read yet.
#[derive(Debug)]
pub struct FoundVariant {
    /// Where it is stored.
    pub location: VariantLocation,
    pub stored: StoredVariant,
}

/// A variant that is ready to be delivered. If its bytes are not needed, it can be dropped.
#[derive(Debug)]
pub enum ReadyVariant {
    /// Stored before.
    Stored(FoundVariant),
    /// Rendered for this request.
    Rendered {
        rendition: Rendition,
        /// Where it is stored; `None` if it is not, because its file has as many variants as it may have.
        location: Option<VariantLocation>,
    },
}

impl ReadyVariant {
    /// Returns type and dimensions.
    pub fn info(&self) -> &VariantInfo {
        match self {
            ReadyVariant::Stored(found) => &found.stored.info,
            ReadyVariant::Rendered { rendition, .. } => &rendition.info,
        }
    }

    /// Returns the size in bytes.
    pub fn size_bytes(&self) -> u64 {
        match self {
            ReadyVariant::Stored(found) => found.stored.size_bytes,
            ReadyVariant::Rendered { rendition, .. } => rendition.bytes.len() as u64,
        }
    }

    /// Returns where it is stored; `None` if it is not.
    pub fn location(&self) -> Option<&VariantLocation> {
        match self {
            ReadyVariant::Stored(found) => Some(&found.location),
            ReadyVariant::Rendered { location, .. } => location.as_ref(),
        }
    }
}
