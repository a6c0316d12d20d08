//! Types of the bytes of files, and the categories of types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Category of a file, derived from its stored MIME type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResourceType {
    Image,
    Video,
    Audio,
    /// Plain text, markup, source code.
    Text,
    /// Documents such as PDF and office formats.
    Document,
    /// Archives and compressed files.
    Archive,
    Other,
}

impl ResourceType {
    /// All types.
    pub const ALL: [ResourceType; 7] = [
        ResourceType::Image,
        ResourceType::Video,
        ResourceType::Audio,
        ResourceType::Text,
        ResourceType::Document,
        ResourceType::Archive,
        ResourceType::Other,
    ];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ResourceType::Image => "image",
            ResourceType::Video => "video",
            ResourceType::Audio => "audio",
            ResourceType::Text => "text",
            ResourceType::Document => "document",
            ResourceType::Archive => "archive",
            ResourceType::Other => "other",
        }
    }

    /// Whether files have metadata that is read after an upload. Text files and archives have none,
    /// and no thumbnails.
    pub fn has_metadata(self) -> bool {
        !matches!(self, ResourceType::Text | ResourceType::Archive)
    }

    /// Whether files are images, audio or video.
    pub fn is_media(self) -> bool {
        matches!(
            self,
            ResourceType::Image | ResourceType::Audio | ResourceType::Video
        )
    }
}

/// Type of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    /// MIME type: `image/jpeg`.
    pub mime_type: String,
    /// File extension of the type, of `a-z0-9`: `jpg`.
    pub extension: String,
    /// Category of the type.
    pub resource_type: ResourceType,
}
