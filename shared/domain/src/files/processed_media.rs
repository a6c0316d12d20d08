//! Results of the processing after an upload: metadata and eager renditions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::Thumbnail;

/// Maximum size of a file's EXIF fields as JSON, in bytes. They are part of the record, and a page
/// of files must fit into a response of DynamoDB.
pub const MAX_EXIF_BYTES: usize = 4_096;

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

impl StorageMeta {
    /// Whether it is an animation of several frames. The pages of a TIFF are not.
    pub fn is_animated(&self) -> bool {
        self.pages > Some(1) && self.format.as_deref() != Some("tiff")
    }
}

/// How far the processing after an upload is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProcessingStatus {
    /// Not completed yet.
    #[default]
    Pending,
    /// The metadata is recorded, and the eager renditions are stored, as far as the file has them.
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
    /// Stored renditions that the upload config requests in advance.
    pub eager: Vec<Thumbnail>,
    /// Why the file could not be processed; `None` on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl ProcessedMedia {
    /// Returns how far the processing is.
    pub fn status(&self) -> ProcessingStatus {
        if self.failure.is_some() {
            ProcessingStatus::Failed
        } else {
            ProcessingStatus::Completed
        }
    }

    /// Whether the image was decoded, which is when its most frequent color is known.
    pub(crate) fn is_decoded(&self) -> bool {
        self.failure.is_none() && self.meta.dominant_color.is_some()
    }
}
