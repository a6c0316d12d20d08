//! Formats of transformed images.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Format of a transformed image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    WebP,
    /// AVIF.
    Avif,
    /// GIF.
    Gif,
}

impl ImageFormat {
    /// Returns the format in which an original of this MIME type is delivered: its own, or PNG if
    /// browsers do not show it.
    pub fn of_original(mime_type: &str) -> ImageFormat {
        match mime_type {
            "image/jpeg" => ImageFormat::Jpeg,
            "image/webp" => ImageFormat::WebP,
            "image/gif" => ImageFormat::Gif,
            _ => ImageFormat::Png,
        }
    }

    /// Whether the quality of an image in this format can be selected. PNG is lossless, and a GIF always has
    /// as many colors as possible.
    pub fn has_quality(self) -> bool {
        match self {
            ImageFormat::Jpeg | ImageFormat::WebP | ImageFormat::Avif => true,
            ImageFormat::Png | ImageFormat::Gif => false,
        }
    }

    /// Returns the name, as in JSON and URLs.
    pub fn name(self) -> &'static str {
        match self {
            ImageFormat::Jpeg => "jpeg",
            ImageFormat::Png => "png",
            ImageFormat::WebP => "webp",
            ImageFormat::Avif => "avif",
            ImageFormat::Gif => "gif",
        }
    }
}
