//! Payload of a webhook.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    files::{CustomMetadata, File, ResourceType},
    id::{FileId, SpaceId},
    naming::{AltText, OriginalName, Title},
    settings::{DeliveryType, WebhookEvent},
};

/// JSON body of a webhook, with its fields in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WebhookPayload {
    pub event: WebhookEvent,
    /// The file that the event is about.
    pub file: WebhookFile,
}

/// A file in the payload of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WebhookFile {
    /// Id of the file.
    pub id: FileId,
    /// Stored name.
    pub name: String,
    /// Name that the client uploaded the file under.
    pub original_name: OriginalName,
    /// MIME type, detected from the bytes.
    pub mime_type: String,
    /// Size in bytes.
    pub size: u64,
    /// Path of the delivery URL.
    pub storage_path: String,
    /// How the file is delivered.
    #[serde(rename = "type")]
    pub delivery_type: DeliveryType,
    /// Category of the MIME type.
    pub resource_type: ResourceType,
    /// Space of the file.
    pub space_id: SpaceId,
    /// What clients assigned; not in `file.uploaded`, whose fields are fixed.
    #[serde(flatten)]
    pub assigned: Option<AssignedFields>,
}

/// What clients assigned to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AssignedFields {
    /// Title. Not in `file.uploaded`.
    pub title: Option<Title>,
    /// Alternative text of an image. Not in `file.uploaded`.
    pub alt: Option<AltText>,
    /// Metadata. Not in `file.uploaded`.
    pub metadata: CustomMetadata,
}

impl WebhookPayload {
    /// Creates the payload of an event of a file.
    pub fn new(event: WebhookEvent, file: &File) -> WebhookPayload {
        let assigned = (event != WebhookEvent::Uploaded).then(|| AssignedFields {
            title: file.title.clone(),
            alt: file.alt.clone(),
            metadata: file.metadata.clone(),
        });

        let file = WebhookFile {
            id: file.id,
            name: file.name.clone(),
            original_name: file.original_name.clone(),
            mime_type: file.mime_type.clone(),
            size: file.size,
            storage_path: file.storage_path.clone(),
            delivery_type: file.delivery_type,
            resource_type: file.resource_type,
            space_id: file.space_id,
            assigned,
        };

        WebhookPayload { event, file }
    }
}
