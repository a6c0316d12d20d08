//! Results of the processing after an upload: metadata and thumbnails.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Transformation, decoded_parameters};

/// Maximum size of a file's EXIF fields as JSON, in bytes. They are part of the record, and a page
/// of files must fit into a response of DynamoDB.
pub const MAX_EXIF_BYTES: usize = 4_096;

/// Size of an image as it is displayed, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Metadata that was extracted from the bytes of a file. Fields that do not apply to its type, or
/// could not be read, are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StorageMeta {
    /// Displayed width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Displayed height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Placeholder of an image as a [BlurHash](https://blurha.sh).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blurhash: Option<String>,
    /// Format of an image: `jpeg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// EXIF orientation of an image, 1 to 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<u32>,
    /// Whether pixels of an image can be transparent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_alpha: Option<bool>,
    /// Number of frames of an image, or of pages of a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Duration of audio or video, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Most frequent color of an image: `#c08040`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominant_color: Option<String>,
    /// EXIF fields by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub exif: BTreeMap<String, ExifValue>,
}

/// Value of an EXIF field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ExifValue {
    /// An integer, for example a sensitivity.
    Integer(i64),
    /// A decimal number, for example an exposure time in seconds.
    Decimal(f64),
    /// A text, for example the model of a camera.
    Text(String),
}

impl ExifValue {
    /// Returns the size as JSON in bytes, approximately.
    pub fn size_bytes(&self) -> usize {
        match self {
            ExifValue::Integer(_) | ExifValue::Decimal(_) => size_of::<f64>(),
            ExifValue::Text(text) => text.len(),
        }
    }
}

/// A stored thumbnail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thumbnail {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Query of its URL: `w=300&h=300&f=webp`.
    pub query: String,
    /// Whether every image has it, also if its upload config does not request it.
    pub is_automatic: bool,
}

impl Thumbnail {
    /// Returns the transformation of its URL.
    pub fn transformation(&self) -> Option<Transformation> {
        let parameters = decoded_parameters(&self.query).ok()?;
        Transformation::parse(&parameters).ok()?
    }
}

/// How far the processing after an upload is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessingStatus {
    /// Not completed yet.
    #[default]
    Pending,
    /// The metadata, the thumbnails and the blurhash are recorded, as far as the file has them.
    Completed,
    /// The file could not be processed: the image cannot be decoded or exceeds a limit of
    /// transformations, or several attempts did not complete. `error` says why. Its metadata may be
    /// incomplete, and it has no thumbnails.
    Failed,
}

/// Results of the processing after an upload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessedMedia {
    /// Metadata of the bytes.
    pub meta: StorageMeta,
    /// Thumbnails, the smallest first.
    pub thumbnails: Vec<Thumbnail>,
    /// Why the file could not be processed; `None` on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Whether the blurhash of a decoded image could not be computed, and is not tried again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lacks_blurhash: bool,
}

impl ProcessedMedia {
    /// Returns how far the processing is.
    pub fn status(&self) -> ProcessingStatus {
        if self.failure.is_some() {
            ProcessingStatus::Failed
        } else if self.is_complete() {
            ProcessingStatus::Completed
        } else {
            ProcessingStatus::Pending
        }
    }

    /// Whether nothing is left to compute: the blurhash of a decoded image is recorded last.
    fn is_complete(&self) -> bool {
        let is_decoded = self.meta.dominant_color.is_some() || !self.thumbnails.is_empty();
        !is_decoded || self.is_blurhash_settled()
    }

    /// Whether the blurhash is recorded, or is not tried again.
    pub fn is_blurhash_settled(&self) -> bool {
        self.meta.blurhash.is_some() || self.lacks_blurhash
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes the field by reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}
