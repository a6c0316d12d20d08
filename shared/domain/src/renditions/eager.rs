//! Transformations that are created in advance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::renditions::{Crop, ImageFormat};

/// Maximum number of eager transformations.
pub const MAX_EAGER_TRANSFORMATIONS: usize = 10;

/// Transformation to create in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EagerTransformation {
    /// Width in pixels.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// How the image is resized.
    pub crop: Crop,
    /// Format. Null keeps the format of the original.
    pub format: Option<ImageFormat>,
}
