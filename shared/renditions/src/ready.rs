//! Variants that are ready to be delivered.

use tenant::{StoredVariant, VariantInfo};

use crate::Rendition;

/// A variant that is ready to be delivered. If its bytes are not needed, it can be dropped.
#[derive(Debug)]
pub enum ReadyVariant {
    /// Stored before. Its bytes are not read yet.
    Stored(StoredVariant),
    /// Rendered for this request.
    Rendered(Rendition),
}

impl ReadyVariant {
    /// Returns type and dimensions.
    pub fn info(&self) -> &VariantInfo {
        match self {
            ReadyVariant::Stored(stored) => &stored.info,
            ReadyVariant::Rendered(rendition) => &rendition.info,
        }
    }

    /// Returns the size in bytes.
    pub fn size_bytes(&self) -> u64 {
        match self {
            ReadyVariant::Stored(stored) => stored.size_bytes,
            ReadyVariant::Rendered(rendition) => rendition.bytes.len() as u64,
        }
    }
}
