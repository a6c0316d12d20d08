//! What an anonymous uploader sees of a file, whatever is changed afterwards.

use serde::{Deserialize, Serialize};

use crate::{
    files::{File, ResourceType},
    naming::OriginalName,
    settings::{DeliveryType, FileStatus},
};

/// Values that an anonymous uploader saw at activation, kept when a later change replaces them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivationSnapshot {
    /// The original name at activation.
    pub original_name: OriginalName,
    /// The delivery type at activation.
    pub delivery_type: DeliveryType,
    /// What was known of the bytes at activation; `None` until they are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ActivatedContent>,
}

/// What an anonymous uploader sees of the bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivatedContent {
    pub mime_type: String,
    pub resource_type: ResourceType,
    /// Size in bytes.
    pub size: u64,
}

impl File {
    /// Records the values at activation if a change of the active, anonymously uploaded file
    /// `before` replaces them for the first time.
    pub fn record_activation_snapshot(&mut self, before: &File) {
        let is_shown = before.status == FileStatus::Active && before.uploaded_by.is_anonymous();
        let has_new_bytes = self.revision != before.revision;
        let is_replaced = has_new_bytes
            || self.original_name != before.original_name
            || self.delivery_type != before.delivery_type;
        if !is_shown || !is_replaced {
            return;
        }

        let snapshot = self
            .activation_snapshot
            .get_or_insert_with(|| ActivationSnapshot {
                original_name: before.original_name.clone(),
                delivery_type: before.delivery_type,
                content: None,
            });
        if has_new_bytes && snapshot.content.is_none() {
            snapshot.content = Some(ActivatedContent {
                mime_type: before.mime_type.clone(),
                resource_type: before.resource_type,
                size: before.size,
            });
        }
    }
}
