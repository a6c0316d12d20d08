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
